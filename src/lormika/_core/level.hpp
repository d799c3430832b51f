// A condition set with the items that may be added to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "bits.hpp"
#include "item_table.hpp"
#include "measures.hpp"

namespace lormika {

// Where the specialisations of a condition set can still enter: bits of places, see Lists.
constexpr unsigned kNowhere = 0;

// An item that may be added to a condition set p. The rule with it has been judged; longer ones may be worth it.
struct Candidate {
    int32_t item;
    int partner;  // its number among the candidates one level up
    int slot;     // where its counts were before sorting
    unsigned reach;
    Key bound;
};

// A condition set p with its candidates, best first. Bitsets are over the rows of p alone.
struct Level {
    bool is_current = true;                                   // p is true of the instance
    double weight = std::numeric_limits<double>::infinity();  // of p
    Layout layout;
    std::vector<Candidate> candidates;
    std::vector<int32_t> found;   // slots x classes: counts in the order in which candidates were found
    std::vector<int32_t> counts;  // candidates x classes: rows of p and the candidate
    Blocks bits;                  // candidates

    explicit Level(int classes) : layout(classes) {}

    void clear() {
        candidates.clear();
        found.clear();
    }

    Cover cover(size_t candidate) const {
        const int32_t* its = counts.data() + candidate * layout.classes();
        return {its, std::accumulate(its, its + layout.classes(), 0)};
    }

    // Best bound first, with the counts of each candidate beside it.
    void sort() {
        std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
            if (y.bound.behind(x.bound)) return true;
            if (x.bound.behind(y.bound)) return false;
            return x.item < y.item;
        });
        const int classes = layout.classes();
        counts.resize(candidates.size() * classes);
        for (size_t s = 0; s < candidates.size(); ++s)
            std::copy_n(found.begin() + static_cast<size_t>(candidates[s].slot) * classes, classes,
                        counts.begin() + s * classes);
    }
};

// Which candidates of a level are alive, and where, in blocks of lanes. Each thread has its own: what one has found dead,
// another finds out by itself.
class Alive {
public:
    void fit(const Level& level) {
        reach_.assign((level.candidates.size() + kLanes - 1) / kLanes, {});
        for (size_t s = 0; s < level.candidates.size(); ++s) set(s, level.candidates[s].reach);
    }

    unsigned reach(size_t s) const { return reach_[s / kLanes][s % kLanes]; }
    void set(size_t s, unsigned reach) { reach_[s / kLanes][s % kLanes] = static_cast<uint8_t>(reach); }

    // Lanes of a block that share a place with the given reach, of the first `end` candidates.
    uint8_t lanes(size_t block, unsigned reach, size_t end) const {
        const size_t left = std::min<size_t>(kLanes, end - block * kLanes);
        unsigned all = 0;
        for (size_t lane = 0; lane < left; ++lane) all |= ((reach_[block][lane] & reach) != 0 ? 1u : 0u) << lane;
        return static_cast<uint8_t>(all);
    }

private:
    static_assert(2 * kMostLists <= 8, "the bits of places fill a byte");
    std::vector<std::array<uint8_t, kLanes>> reach_;
};

}  // namespace lormika
