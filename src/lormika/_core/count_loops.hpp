// What the counters have in common. Included once by each of them, and compiled for its processor: nothing here may be
// visible to the linker.
#pragma once

#include "count.hpp"

namespace lormika {
namespace {

// Ways::count(base, lines, words, counts) counts one class of one block; Ways::passing(counts, classes, screen) says which
// lanes pass.
template <class Ways>
void count_blocks(const Counting& what, const Screen& screen, uint8_t* lanes) {
    int32_t* counts = what.counts;
    for (int i = 0; i < what.n_blocks; ++i) {
        const Line* block = what.bits + what.blocks[i] * what.words;
        for (int c = 0; c < what.classes; ++c) {
            const int from = what.begin[c];
            Ways::count(what.base + from, block + from, what.end[c] - from, counts + c * kLanes);
        }
        lanes[i] = Ways::passing(counts, what.classes, screen);
        counts += what.classes * kLanes;
    }
}

inline uint8_t passing_lanes(const int32_t* counts, int classes, const Screen& screen) {
    int32_t rows[kLanes] = {}, passes[kLanes] = {};
    for (int c = 0; c < classes; ++c)
        for (int l = 0; l < kLanes; ++l) rows[l] += counts[c * kLanes + l];
    for (int c = 0; c < classes; ++c)
        for (int l = 0; l < kLanes; ++l) {
            const int32_t both = counts[c * kLanes + l];
            passes[l] |= (both >= screen.least_both[c]) & (rows[l] - both <= screen.most_other[c]);
        }
    unsigned found = 0;
    for (int l = 0; l < kLanes; ++l) found |= unsigned(passes[l] & (rows[l] >= screen.least_rows)) << l;
    return static_cast<uint8_t>(found);
}

}  // namespace
}  // namespace lormika
