// One thread's part of the search: expands condition sets and judges the rules with one condition more.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "best.hpp"
#include "gate.hpp"
#include "level.hpp"
#include "limits.hpp"
#include "tally.hpp"
#include "watch.hpp"

namespace lormika {

// What all workers read.
template <Objective objective>
struct Task {
    const Lists& lists;
    const Options& options;
    const ItemTable& items;
    const Measures<objective>& measures;
    const Fisher& fisher;
};

template <Objective objective>
class Worker {
public:
    Worker(const Task<objective>& task, BestLists& best, Watch& watch, bool is_main)
        : classes_(task.items.layout.classes()), lists_(task.lists), options_(task.options), items_(task.items),
          measures_(task.measures), gate_(task.items, task.fisher, task.options), best_(best), thresholds_(task.lists.count),
          limits_(lists_, options_, measures_, gate_, classes_), tally_(classes_), pace_(watch, is_main),
          levels_(options_.max_conditions, Level(classes_)), alive_(options_.max_conditions) {}

    // Judges single conditions.
    void begin(Level& root) {
        root.layout = items_.layout;
        root.found = items_.counts;
        const Cover all = items_.everything();
        for (int i = 0; i < items_.size(); ++i) {
            if (items_.weight[i] == 0) continue;
            const bool is_current = items_.of_instance[i];
            const unsigned allowed = lists_.allowed[i];
            const unsigned reach = is_current ? allowed | allowed << kMostLists : allowed;
            judge(root, 0, {i, i, i, items_.cover_of(i), all, all, is_current, reach}, root.candidates);
        }
        pace_.nodes += items_.size();
        root.sort();
        root.bits.resize(root.candidates.size(), root.layout.words());
        for (size_t s = 0; s < root.candidates.size(); ++s) {
            const uint64_t* bits = items_.bits_of(root.candidates[s].item);
            for (int w = 0; w < root.layout.words(); ++w) root.bits[s][w] = bits[w];
        }
    }

    // Takes part in expanding the root: each candidate with those before it. False: it was stopped.
    template <class Next>
    bool run(const Level& root, Next next) {
        alive_[0].fit(root);
        for (size_t t = next(); t < root.candidates.size(); t = next())
            if (!expand(root, 0, t)) return false;
        return true;
    }

    Gate& gate() { return gate_; }
    int64_t nodes() const { return pace_.nodes; }

    // The most that a rule of this list with more conditions can be worth; false: none can enter.
    bool bound(const Level& root, size_t t, int list, double& worth) {
        best_.refresh(thresholds_, seen_);
        const Cover rows = root.cover(t);
        bool found = false;
        for (int side = 0; side < 2; ++side)
            for (int c = 0; c < classes_; ++c) {
                Key key;
                if (lists_.of_class[side * classes_ + c] != list) continue;
                if (!(root.candidates[t].reach & lists_.place(side, c, classes_))) continue;
                if (!measures_.bound(rows.rows, rows.counts[c], 1, c, items_.weight[root.candidates[t].item], key)) continue;
                if (!reaches(list, key) || !gate_.open_below(rows.rows, rows.counts[c], 1, c)) continue;
                worth = found ? std::max(worth, key.worth) : key.worth;
                found = true;
            }
        return found;
    }

private:
    // The path and one more item.
    struct Extension {
        int32_t item;
        int partner, slot;
        Cover rows;             // of both
        Cover without, beside;  // of the path alone, and of the item without the last one of the path
        bool is_current;
        unsigned reach;
    };

    // Each candidate with those before it: good pairs come early and raise the thresholds; poor candidates own the large
    // subtrees, and are cut on arrival.
    bool expand_all(int depth) {
        const Level& here = levels_[depth];
        alive_[depth].fit(here);
        for (size_t t = 0; t < here.candidates.size(); ++t)
            if (!expand(here, depth, t)) return false;
        return true;
    }

    bool expand(const Level& here, int depth, size_t t) {
        const Candidate& candidate = here.candidates[t];
        const Cover rows = here.cover(t);
        const double weight = std::min(here.weight, items_.weight[candidate.item]);
        // The thresholds have risen since it was judged; what is dead now is dead below its siblings too.
        best_.refresh(thresholds_, seen_);
        Key unused;
        const unsigned reachable = reach(depth + 1, rows, alive_[depth].reach(t), weight, unused);
        alive_[depth].set(t, reachable);
        if (reachable == kNowhere || !tally_.choose(alive_[depth], reachable, t)) return true;
        const bool is_last = depth + 2 >= options_.max_conditions;
        limits_.set(thresholds_, rows, depth + 2, is_last, reachable, weight);
        if (!limits_.any_open()) return true;
        tally_.count(here, t, limits_, is_last);
        path_[depth] = candidate.item;
        Level& below = levels_[depth + 1];
        below.is_current = here.is_current && items_.of_instance[candidate.item];
        below.weight = weight;
        judge_all(here, below, depth, rows, reachable);
        if (!pace_.advance(tally_.nodes(), tally_.lines())) return false;
        return is_last || descend(here, below, depth, rows);
    }

    // The t-th candidate with each partner that may be worth it.
    void judge_all(const Level& here, Level& below, int depth, const Cover& rows, unsigned reachable) {
        below.clear();
        tally_.each([&](size_t partner, const auto& counts) {
            const Candidate& other = here.candidates[partner];
            const int slot = static_cast<int>(below.candidates.size());
            below.found.resize((slot + 1) * size_t(classes_));
            int32_t* own = below.found.data() + slot * size_t(classes_);
            int sum = 0;
            for (int c = 0; c < classes_; ++c) sum += own[c] = counts(c);
            judge(below, depth + 1,
                  {other.item,
                   static_cast<int>(partner),
                   slot,
                   {own, sum},
                   rows,
                   here.cover(partner),
                   below.is_current && items_.of_instance[other.item],
                   reachable & alive_[depth].reach(partner)},
                  below.candidates);
        });
    }

    // Expands the survivors on the rows of the path alone.
    bool descend(const Level& here, Level& below, int depth, const Cover& rows) {
        if (below.candidates.size() < 2) return true;
        below.sort();
        below.layout.fit(rows.counts);
        below.bits.resize(below.candidates.size(), below.layout.words());
        for (size_t s = 0; s < below.candidates.size(); ++s) {
            const Candidate& candidate = below.candidates[s];
            const Strided<const uint64_t> source =
                depth == 0 ? Strided<const uint64_t>{items_.bits_of(candidate.item), 1} : here.bits[candidate.partner];
            project(here.layout, below.layout, source, tally_.base(), below.bits[s]);
        }
        return expand_all(depth + 1);
    }

    // Does the rule of an extension enter, and is it worth specialising?
    void judge(const Level& level, int depth, const Extension& one, std::vector<Candidate>& survivors) {
        const int rows = one.rows.rows;
        if (rows < options_.min_count) return;
        // Redundancy is inherited by every specialisation.
        if (options_.filter != Filter::none && (rows == one.without.rows || rows == one.beside.rows)) return;
        const double weight = std::min(level.weight, items_.weight[one.item]);
        for (int c = 0; c < classes_; ++c)
            if (one.reach & lists_.place(one.is_current, c, classes_)) enter(depth, one, c, weight);
        if (depth + 1 >= options_.max_conditions) return;
        Key bound;
        const unsigned reachable = reach(depth + 1, one.rows, one.reach, weight, bound);
        if (reachable != kNowhere) survivors.push_back({one.item, one.partner, one.slot, reachable, bound});
    }

    // Cheap tests first; the gate counts generalisations and sums Fisher's tails.
    void enter(int depth, const Extension& one, int c, double weight) {
        const int list = lists_.of_class[one.is_current * classes_ + c];
        const int rows = one.rows.rows, both = one.rows.counts[c];
        if (both == 0) return;
        const double score = measures_.score(rows, both, c);
        const double worth = score * weight;
        if (!thresholds_[list].admits_worth(worth)) return;
        if (!gate_.improves(rows, both, c, one.without) || !gate_.improves(rows, both, c, one.beside)) return;
        FoundRule rule{list, depth + 1, {}, c, rows, both, score, worth, 0.0};
        std::copy_n(path_.begin(), depth, rule.items.begin());
        rule.items[depth] = one.item;
        std::sort(rule.items.begin(), rule.items.begin() + depth + 1);
        if (!thresholds_[list].admits(rule) || !gate_.may_pass(rule, one.without, one.beside) || !gate_.passes(rule)) return;
        best_.add(rule);
        best_.refresh(thresholds_, seen_);
    }

    // Which of the lists in question a longer rule could enter, and the best key it could have.
    unsigned reach(int length, const Cover& rows, unsigned in_question, double weight, Key& bound) const {
        unsigned found = kNowhere;
        for (int c = 0; c < classes_; ++c) {
            Key key;
            const int both = rows.counts[c];
            if (!measures_.bound(rows.rows, both, length, c, weight, key)) continue;
            unsigned open = kNowhere;
            for (int side = 0; side < 2; ++side) {
                const unsigned place = in_question & lists_.place(side, c, classes_);
                if (place && reaches(lists_.of_class[side * classes_ + c], key)) open |= place;
            }
            if (open == kNowhere || !gate_.open_below(rows.rows, both, length, c)) continue;
            if (found == kNowhere || bound.behind(key)) bound = key;
            found |= open;
        }
        return found;
    }

    bool reaches(int list, const Key& key) const { return thresholds_[list].within_reach(key); }

    const int classes_;
    const Lists& lists_;
    const Options& options_;
    const ItemTable& items_;
    const Measures<objective>& measures_;
    Gate gate_;
    BestLists& best_;
    std::vector<Threshold> thresholds_;
    int64_t seen_ = 0;
    Limits<objective> limits_;
    Tally tally_;
    Pace pace_;
    std::vector<Level> levels_;  // the first one is the root's, which all workers share, and stays empty
    std::vector<Alive> alive_;
    std::array<int32_t, kMostConditions> path_{};
};

}  // namespace lormika
