// What the counts of a rule must be like for the rule, or a longer one, to enter a list. Found from the thresholds once for
// many rules, so that most are dismissed by comparing whole numbers, without a division.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "best.hpp"
#include "gate.hpp"
#include "level.hpp"
#include "measures.hpp"

namespace lormika {

// The greatest whole number in [low, high] that holds, of which those up to some point do; low - 1 if none does. It is looked
// for from where the last one was, in steps that double, and then by halving the interval.
template <class Holds>
int last_that(int low, int high, int& last, Holds holds) {
    int good = low - 1, bad = high + 1;
    if (low <= high) {
        const int first = std::clamp(last, low, high);
        const bool up = holds(first);
        (up ? good : bad) = first;
        for (int step = 1; bad - good > step; step *= 2) {
            const int next = up ? good + step : bad - step;
            const bool one = holds(next);
            (one ? good : bad) = next;
            if (one != up) break;
        }
    }
    while (bad - good > 1) {
        const int middle = good + (bad - good) / 2;
        (holds(middle) ? good : bad) = middle;
    }
    return last = good;
}

template <Objective objective>
class Limits {
public:
    Limits(const Lists& lists, const Options& options, const Measures<objective>& measures, Gate& gate, int classes)
        : lists_(lists), options_(options), measures_(measures), gate_(gate), least_both_(classes), most_other_(classes),
          last_(2 * classes) {}

    // For the rules that add one condition to those with these rows; `is_last`: no further one will be added.
    void set(const std::vector<Threshold>& thresholds, const Cover& rows, int length, bool is_last, unsigned reach,
             double weight) {
        const int classes = static_cast<int>(least_both_.size());
        least_rows_ = std::numeric_limits<int>::max();
        for (int c = 0; c < classes; ++c) {
            least_both_[c] = kNever;
            most_other_[c] = -1;
            for (int side = 0; side < 2; ++side) {
                const int place = side * classes + c;
                if (reach & lists_.place(side, c, classes))
                    add(thresholds[lists_.of_class[place]], c, rows, is_last, weight, last_[place]);
            }
            if (least_both_[c] == kNever) continue;
            least_both_[c] = std::max(least_both_[c], gate_.least_both(c, length));
            if (is_last) most_other_[c] = std::min(most_other_[c], gate_.most_other(c, rows.counts[c]));
            if (least_both_[c] > rows.counts[c] || most_other_[c] < 0) least_both_[c] = kNever;
        }
        least_rows_ = std::max(least_rows_, options_.min_count);
    }

    bool is_open(int c) const { return least_both_[c] != kNever; }
    bool any_open() const {
        return std::any_of(least_both_.begin(), least_both_.end(), [](int least) { return least != kNever; });
    }
    int most_other(int c) const { return most_other_[c]; }
    Screen screen() const { return {least_rows_, least_both_.data(), most_other_.data()}; }

private:
    static constexpr int kNever = std::numeric_limits<int>::max();

    struct Last {
        int few = 1, other = 0, rows = 1;
    };

    void add(const Threshold& threshold, int c, const Cover& rows, bool is_last, double weight, Last& last) {
        const int both = rows.counts[c], other = rows.rows - both;
        const auto too_few = [&](int a) { return !threshold.within_reach(measures_.peak(a, c, weight)); };
        const auto few_enough = [&](int b) { return threshold.admits_worth(measures_.highest(both + b, both, c, weight)); };
        const auto too_short = [&](int n) { return !threshold.admits_worth(measures_.highest(n, 1, c, weight)); };
        const bool open = threshold.full;
        least_both_[c] = std::min(least_both_[c], open ? last_that(1, both, last.few, too_few) + 1 : 1);
        const bool bounded = open && is_last && objective != Objective::support && objective != Objective::coverage;
        most_other_[c] = std::max(most_other_[c], bounded ? last_that(0, other, last.other, few_enough) : other);
        const bool needs_rows = open && objective == Objective::coverage;
        least_rows_ = std::min(least_rows_, needs_rows ? last_that(1, rows.rows, last.rows, too_short) + 1 : 1);
    }

    const Lists& lists_;
    const Options& options_;
    const Measures<objective>& measures_;
    Gate& gate_;
    std::vector<int32_t> least_both_, most_other_;  // classes
    std::vector<Last> last_;                        // sides x classes
    int32_t least_rows_ = 1;
};

}  // namespace lormika
