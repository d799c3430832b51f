// The k best rules found so far, in the total order of rules.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "measures.hpp"
#include "search.hpp"

namespace lormika {

inline Key key_of(const FoundRule& rule) {
    return {rule.worth, rule.antecedent_rows, rule.both_rows, rule.length};
}

// The total order: worth (score x weight), rows, rows of the class, fewer conditions, conditions by feature and value, class.
inline bool precedes(const FoundRule& x, const FoundRule& y) {
    const Key kx = key_of(x), ky = key_of(y);
    if (ky.behind(kx)) return true;
    if (kx.behind(ky)) return false;
    if (x.items != y.items) return x.items < y.items;  // equally long, and unused places are equal
    return x.consequent < y.consequent;
}

class BestList {
public:
    explicit BestList(size_t k) : k_(k) {}

    bool admits_worth(double worth) const { return !(worth < least_); }
    bool admits(const FoundRule& rule) const { return !full() || precedes(rule, rules_.front()); }

    // Whether any rule with a key up to this one could enter.
    bool within_reach(const Key& best) const { return !full() || !best.behind(kth_); }

    void add(const FoundRule& rule) {
        if (full()) {
            std::pop_heap(rules_.begin(), rules_.end(), precedes);
            rules_.pop_back();
        }
        rules_.push_back(rule);
        std::push_heap(rules_.begin(), rules_.end(), precedes);
        if (full()) {
            kth_ = key_of(rules_.front());
            least_ = kth_.worth;
        }
    }

    std::vector<FoundRule> sorted() const {
        std::vector<FoundRule> rules = rules_;
        std::sort(rules.begin(), rules.end(), precedes);
        return rules;
    }

private:
    bool full() const { return rules_.size() == k_; }

    size_t k_;
    std::vector<FoundRule> rules_;  // a heap with the worst on top
    Key kth_{};
    double least_ = -std::numeric_limits<double>::infinity();
};

}  // namespace lormika
