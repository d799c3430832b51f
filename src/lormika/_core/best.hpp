// The k best rules found so far, in the total order of rules.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "measures.hpp"
#include "search.hpp"

namespace lormika {

inline Key key_of(const FoundRule& rule) { return {rule.worth, rule.antecedent_rows, rule.both_rows, rule.length}; }

// The total order: worth (score x weight), rows, rows of the class, fewer conditions, conditions by feature and value, class.
inline bool precedes(const FoundRule& x, const FoundRule& y) {
    const Key kx = key_of(x), ky = key_of(y);
    if (ky.behind(kx)) return true;
    if (kx.behind(ky)) return false;
    if (x.items != y.items) return x.items < y.items;  // equally long, and unused places are equal
    return x.consequent < y.consequent;
}

// What a rule must precede to enter a list: its last rule, once it is full.
struct Threshold {
    bool full = false;
    FoundRule last{};

    bool admits_worth(double worth) const { return !full || !(worth < last.worth); }
    bool admits(const FoundRule& rule) const { return !full || precedes(rule, last); }

    // Whether any rule with a key up to this one could enter.
    bool within_reach(const Key& best) const { return !full || !best.behind(key_of(last)); }
};

class BestList {
public:
    explicit BestList(size_t k) : k_(k) {}

    void add(const FoundRule& rule) {
        if (!threshold_.admits(rule)) return;
        if (threshold_.full) {
            std::pop_heap(rules_.begin(), rules_.end(), precedes);
            rules_.pop_back();
        }
        rules_.push_back(rule);
        std::push_heap(rules_.begin(), rules_.end(), precedes);
        if (rules_.size() == k_) threshold_ = {true, rules_.front()};
    }

    const Threshold& threshold() const { return threshold_; }

    std::vector<FoundRule> sorted() const {
        std::vector<FoundRule> rules = rules_;
        std::sort(rules.begin(), rules.end(), precedes);
        return rules;
    }

private:
    size_t k_;
    std::vector<FoundRule> rules_;  // a heap with the worst on top
    Threshold threshold_;
};

// The lists of all threads. Each thread has a copy of the thresholds: one that is out of date is lower, so it only admits
// more than it need, and the lists decide. As the order of rules is total, the schedule makes no difference to them.
class BestLists {
public:
    BestLists(int count, size_t k) : lists_(count, BestList(k)) {}

    void add(const FoundRule& rule) {
        const std::lock_guard lock(mutex_);
        lists_[rule.list].add(rule);
        if (lists_[rule.list].threshold().full) changes_.fetch_add(1, std::memory_order_release);
    }

    // Brings a copy up to date; whether it was not.
    bool refresh(std::vector<Threshold>& copy, int64_t& seen) const {
        if (changes_.load(std::memory_order_acquire) == seen) return false;
        const std::lock_guard lock(mutex_);
        seen = changes_.load(std::memory_order_relaxed);
        for (size_t i = 0; i < lists_.size(); ++i) copy[i] = lists_[i].threshold();
        return true;
    }

    const std::vector<BestList>& all() const { return lists_; }  // once the threads have ended

private:
    mutable std::mutex mutex_;
    std::atomic<int64_t> changes_{0};
    std::vector<BestList> lists_;
};

}  // namespace lormika
