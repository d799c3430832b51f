// Scores of rules, and the best score that any specialisation of a rule can reach.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search.hpp"

namespace lormika {

// What decides the order of two rules before their conditions do. A bound is the best such key below a rule.
struct Key {
    double worth;
    int antecedent, both, length;

    // Strictly behind the other, whatever the conditions are.
    bool behind(const Key& other) const {
        if (worth != other.worth) return worth < other.worth;
        if (antecedent != other.antecedent) return antecedent < other.antecedent;
        if (both != other.both) return both < other.both;
        return length > other.length;
    }
};

template <Objective objective>
class Measures {
public:
    Measures(int rows, const std::vector<int32_t>& class_rows, const Options& options, bool weighted)
        : n_(rows), m_(options.m), min_count_(options.min_count), shrinks_(options.filter != Filter::none),
          weighted_(weighted) {
        for (const int32_t q : class_rows) class_rows_.push_back(q);
        // Two different confidences are different numbers as long as their denominators are small enough.
        const double widest = n_ + m_;
        exact_ = m_ == std::floor(m_) && n_ * widest < 0x1p53;
        separable_ = exact_ && (m_ == 0 ? n_ * n_ < 0x1p52 : n_ * widest * widest < 0x1p52);
    }

    // Whole numbers until the one division, so that rules which tie compare equal.
    double score(int antecedent, int both, int c) const {
        const double p = antecedent, a = both, q = class_rows_[c];
        switch (objective) {
            case Objective::support: return a / n_;
            case Objective::coverage: return p / n_;
            case Objective::confidence: return (n_ * a + m_ * q) / (n_ * (p + m_));
            case Objective::lift: return (n_ * a + m_ * q) / (q * (p + m_));
            default: return (n_ * a - p * q) / (n_ * n_);
        }
    }

    // Best key of any rule with more conditions; false: there can be none. Its weight is at most this one, since every
    // condition can only lower it.
    bool bound(int antecedent, int both, int length, int c, double weight, Key& best) const {
        if (!bound(antecedent, both, length, c, best)) return false;
        if (!weighted_) return true;
        // A smaller weight brings a negative score nearer to 0. Different scores may round to the same worth, so the
        // rows of the optimum no longer decide among rules that tie.
        best.worth = best.worth > 0 ? best.worth * weight : 0;
        best.antecedent = shrinks_ ? antecedent - 1 : antecedent;
        return true;
    }

    // Best key of any rule with at most so many rows of the class, however long.
    Key peak(int both, int c, double weight) const {
        const int everything = static_cast<int>(n_), least = std::max(both, min_count_);
        switch (objective) {
            case Objective::support: return {highest(everything, both, c, weight), everything, both, 0};
            case Objective::coverage: return {highest(everything, both, c, weight), everything, both, 0};
            default: return {highest(least, both, c, weight), is_sharp(c) && !weighted_ ? least : everything, both, 0};
        }
    }

    // Most that a rule with these rows can be worth, given the largest weight it can have; rounding never lowers it.
    double highest(int antecedent, int both, int c, double weight) const {
        double best = score(antecedent, both, c);
        if (!exact_ && (objective == Objective::confidence || objective == Objective::lift)) best *= 1 + 1e-14;
        if (!weighted_) return best;
        return best > 0 ? best * weight : 0;  // a smaller weight brings a negative score nearer to 0
    }

    bool is_weighted() const { return weighted_; }

private:
    // Whether the optimum of the bound is reached only with the fewest rows.
    bool is_sharp(int c) const { return class_rows_[c] < n_ && (objective == Objective::leverage || separable_); }

    bool bound(int antecedent, int both, int length, int c, Key& best) const {
        // A specialisation that covers as many rows is redundant.
        const int most = shrinks_ ? antecedent - 1 : antecedent;
        if (most < min_count_ || most < 1 || both < 1) return false;
        const int a = std::min(both, most);
        if (objective == Objective::support || objective == Objective::coverage) {
            best = {score(most, a, c), most, a, length + 1};
            return true;
        }
        // The optimum keeps all rows of the class and sheds the others, down to min_count. It is reached only there,
        // unless all rows have the class.
        const int least = std::max(a, min_count_);
        best = {score(least, a, c), is_sharp(c) ? least : most, a, length + 1};
        if (objective != Objective::leverage && !exact_) best.worth *= 1 + 1e-14;  // room for rounding
        return true;
    }

    double n_, m_;
    int min_count_;
    bool shrinks_, weighted_;
    bool exact_, separable_;
    std::vector<double> class_rows_;
};

}  // namespace lormika
