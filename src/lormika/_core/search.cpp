#include "search.hpp"

#include <algorithm>
#include <limits>

#include "best.hpp"
#include "bits.hpp"
#include "gate.hpp"
#include "item_table.hpp"
#include "measures.hpp"

namespace lormika {

namespace {

// Which lists the specialisations of a condition set can still enter.
enum Reach : unsigned { kNowhere = 0, kHypothetical = 1, kCurrent = 2 };

constexpr int64_t kWorkBetweenPolls = 1 << 22;  // a few milliseconds

template <Objective objective>
class Search {
public:
    Search(const Table& table, const Lists& lists, const Options& options, const std::function<void()>& poll)
        : classes_(table.classes), lists_(lists), options_(options), poll_(poll), items_(table, lists.instance),
          measures_(table.rows, items_.rows_of_class, options, items_.is_weighted()), gate_(items_, options),
          best_(lists.count, BestList(options.k)), levels_(options.max_conditions, Level(table.classes)) {}

    Result run() {
        begin();
        Result result{{}, nodes_};
        for (const BestList& list : best_)
            for (FoundRule rule : list.sorted()) {
                rule.p_value = gate_.p_value(rule);
                result.rules.push_back(rule);
            }
        return result;
    }

private:
    // An item that may be added to a condition set p. The rule with it has been judged; longer ones may be worth it.
    struct Candidate {
        int32_t item;
        int slot;  // where its bitset and counts were before sorting
        unsigned reach;
        Key bound;
    };

    // The path and one more item.
    struct Extension {
        int32_t item;
        int slot;
        Cover rows;            // of both
        Cover without, beside; // of the path alone, and of the item without the last one of the path
        bool is_current;
        unsigned reach;
    };

    // A condition set p with its candidates, best first. Bitsets are over the rows of p alone.
    struct Level {
        bool is_current = true;  // p is true of the instance
        double weight = std::numeric_limits<double>::infinity();  // of p
        Layout layout;
        std::vector<Candidate> candidates;
        std::vector<uint64_t> bits;    // candidates x words
        std::vector<int32_t> counts;   // candidates x classes: rows of p and the candidate
        std::vector<int> partners;     // candidates that are counted together with the expanded one
        std::vector<int32_t> shared;   // partners x classes: rows of p, the expanded one and the partner

        explicit Level(int classes) : layout(classes) {}
        const uint64_t* bits_of(size_t candidate) const { return bits.data() + candidate * layout.words(); }
    };

    Cover cover(const std::vector<int32_t>& counts, size_t at) const {
        const int32_t* its = counts.data() + at * classes_;
        return {its, std::accumulate(its, its + classes_, 0)};
    }

    // Single conditions.
    void begin() {
        Level& root = levels_[0];
        root.layout = items_.layout;
        const Cover all = items_.everything();
        for (int i = 0; i < items_.size(); ++i) {
            if (items_.weight[i] == 0) continue;
            const unsigned reach = items_.of_instance[i] ? kCurrent | kHypothetical : kHypothetical;
            judge(0, {i, i, items_.cover_of(i), all, all, bool(items_.of_instance[i]), reach}, root.candidates);
        }
        nodes_ = items_.size();
        if (root.candidates.size() < 2) return;
        sort(root, items_.counts);
        root.bits.resize(root.candidates.size() * root.layout.words());
        for (size_t s = 0; s < root.candidates.size(); ++s)
            std::copy_n(items_.bits_of(root.candidates[s].slot), root.layout.words(),
                        root.bits.begin() + s * root.layout.words());
        expand(0);
    }

    // Expands each candidate with those before it: good pairs come early and raise the thresholds; poor candidates own
    // the large subtrees, and are cut on arrival.
    void expand(int depth) {
        Level& here = levels_[depth];
        for (size_t t = 0; t < here.candidates.size(); ++t) {
            Candidate& candidate = here.candidates[t];
            const Cover rows = cover(here.counts, t);
            // The thresholds have risen since it was judged; what is dead now is dead below its siblings too.
            const double weight = std::min(here.weight, items_.weight[candidate.item]);
            candidate.reach = reach(depth + 1, rows, candidate.reach, weight, candidate.bound);
            if (candidate.reach == kNowhere) continue;
            choose_partners(here, t);
            if (here.partners.empty()) continue;
            count_shared(here.layout, here.bits_of(t), here.bits.data(), here.partners.data(),
                         static_cast<int>(here.partners.size()), here.shared.data());
            count_nodes(here.partners.size(), here.layout.words());
            path_[depth] = candidate.item;
            descend(depth, t, rows);
        }
    }

    void choose_partners(Level& here, size_t t) const {
        const Candidate& candidate = here.candidates[t];
        here.partners.clear();
        for (size_t j = 0; j < t; ++j) {
            const Candidate& partner = here.candidates[j];
            if ((partner.reach & candidate.reach) != kNowhere &&
                items_.feature_of[partner.item] != items_.feature_of[candidate.item])
                here.partners.push_back(static_cast<int>(j));
        }
        here.shared.resize(here.partners.size() * classes_);
    }

    // Judges the t-th candidate with each partner, and expands the surviving ones on the rows of the candidate.
    void descend(int depth, size_t t, const Cover& rows) {
        Level& here = levels_[depth];
        Level& below = levels_[depth + 1];
        const Candidate& candidate = here.candidates[t];
        below.is_current = here.is_current && items_.of_instance[candidate.item];
        below.weight = std::min(here.weight, items_.weight[candidate.item]);
        below.candidates.clear();
        for (size_t j = 0; j < here.partners.size(); ++j) {
            const Candidate& partner = here.candidates[here.partners[j]];
            const bool is_current = below.is_current && items_.of_instance[partner.item];
            judge(depth + 1,
                  {partner.item, static_cast<int>(j), cover(here.shared, j), rows, cover(here.counts, here.partners[j]),
                   is_current, candidate.reach & partner.reach},
                  below.candidates);
        }
        if (below.candidates.size() < 2) return;
        sort(below, here.shared);
        below.layout.fit(rows.counts);
        below.bits.resize(below.candidates.size() * below.layout.words());
        for (size_t s = 0; s < below.candidates.size(); ++s)
            project(here.layout, below.layout, here.bits_of(here.partners[below.candidates[s].slot]), here.bits_of(t),
                    below.bits.data() + s * below.layout.words());
        expand(depth + 1);
    }

    // Does the rule of an extension enter, and is it worth specialising?
    void judge(int depth, const Extension& one, std::vector<Candidate>& survivors) {
        const int rows = one.rows.rows;
        if (rows < options_.min_count) return;
        // Redundancy is inherited by every specialisation.
        if (options_.filter != Filter::none && (rows == one.without.rows || rows == one.beside.rows)) return;
        const double weight = std::min(levels_[depth].weight, items_.weight[one.item]);
        if (one.reach & (one.is_current ? kCurrent : kHypothetical))
            for (int c = 0; c < classes_; ++c) enter(depth, one, c, weight);
        if (depth + 1 >= options_.max_conditions) return;
        Key bound;
        const unsigned reachable = reach(depth + 1, one.rows, one.reach, weight, bound);
        if (reachable != kNowhere) survivors.push_back({one.item, one.slot, reachable, bound});
    }

    // Cheap tests first; the gate counts generalisations and sums Fisher's tails.
    void enter(int depth, const Extension& one, int c, double weight) {
        const int list = lists_.of_class[one.is_current * classes_ + c];
        const int rows = one.rows.rows, both = one.rows.counts[c];
        if (list < 0 || both == 0) return;
        const double score = measures_.score(rows, both, c);
        const double worth = score * weight;
        if (!best_[list].admits_worth(worth)) return;
        if (!gate_.improves(rows, both, c, one.without) || !gate_.improves(rows, both, c, one.beside)) return;
        FoundRule rule{list, depth + 1, {}, c, rows, both, score, worth, 0.0};
        std::copy_n(path_.begin(), depth, rule.items.begin());
        rule.items[depth] = one.item;
        std::sort(rule.items.begin(), rule.items.begin() + depth + 1);
        if (best_[list].admits(rule) && gate_.passes(rule)) best_[list].add(rule);
    }

    // Which of the lists in question a longer rule could enter, and the best key it could have.
    unsigned reach(int length, const Cover& rows, unsigned in_question, double weight, Key& bound) const {
        unsigned found = kNowhere;
        for (int c = 0; c < classes_; ++c) {
            Key key;
            const int both = rows.counts[c];
            if (!measures_.bound(rows.rows, both, length, c, weight, key)) continue;
            unsigned open = kNowhere;
            if (in_question & kHypothetical) open |= reaches(lists_.of_class[c], key) ? kHypothetical : kNowhere;
            if (in_question & kCurrent) open |= reaches(lists_.of_class[classes_ + c], key) ? kCurrent : kNowhere;
            if (open == kNowhere || !gate_.open_below(rows.rows, both, length, c)) continue;
            if (found == kNowhere || bound.behind(key)) bound = key;
            found |= open;
        }
        return found;
    }

    bool reaches(int list, const Key& key) const { return list >= 0 && best_[list].within_reach(key); }

    // Best bound first, with the counts of each candidate beside it.
    void sort(Level& level, const std::vector<int32_t>& counts_by_slot) const {
        std::sort(level.candidates.begin(), level.candidates.end(), [](const Candidate& x, const Candidate& y) {
            if (y.bound.behind(x.bound)) return true;
            if (x.bound.behind(y.bound)) return false;
            return x.item < y.item;
        });
        level.counts.resize(level.candidates.size() * classes_);
        for (size_t s = 0; s < level.candidates.size(); ++s)
            std::copy_n(counts_by_slot.begin() + size_t(level.candidates[s].slot) * classes_, classes_,
                        level.counts.begin() + s * classes_);
    }

    void count_nodes(size_t nodes, int words) {
        nodes_ += nodes;
        work_since_poll_ += int64_t(nodes) * (words + 64);  // judging a node costs as much as counting some words
        if (work_since_poll_ < kWorkBetweenPolls) return;
        work_since_poll_ = 0;
        poll_();
    }

    const int classes_;
    const Lists& lists_;
    const Options& options_;
    const std::function<void()>& poll_;
    ItemTable items_;
    Measures<objective> measures_;
    Gate gate_;
    std::vector<BestList> best_;
    std::vector<Level> levels_;
    std::array<int32_t, kMostConditions> path_{};
    int64_t nodes_ = 0;
    int64_t work_since_poll_ = 0;
};

}  // namespace

Result search(const Table& table, const Lists& lists, const Options& options, const std::function<void()>& poll) {
    switch (options.objective) {
        case Objective::support: return Search<Objective::support>(table, lists, options, poll).run();
        case Objective::coverage: return Search<Objective::coverage>(table, lists, options, poll).run();
        case Objective::confidence: return Search<Objective::confidence>(table, lists, options, poll).run();
        case Objective::lift: return Search<Objective::lift>(table, lists, options, poll).run();
        default: return Search<Objective::leverage>(table, lists, options, poll).run();
    }
}

}  // namespace lormika
