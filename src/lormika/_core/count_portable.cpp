// For processors without a counter of their own.
#include <bit>

#include "count_loops.hpp"

namespace lormika {

namespace {

struct Portable {
    static void count(const uint64_t* base, const Line* lines, int words, int32_t* counts) {
        int32_t sums[kLanes] = {};
        for (int w = 0; w < words; ++w)
            for (int l = 0; l < kLanes; ++l) sums[l] += std::popcount(base[w] & lines[w].lane[l]);
        for (int l = 0; l < kLanes; ++l) counts[l] = sums[l];
    }

    static uint8_t passing(const int32_t* counts, int classes, const Screen& screen) {
        return passing_lanes(counts, classes, screen);
    }
};

int64_t count_pair(const uint64_t* x, const uint64_t* y, size_t words) {
    int64_t sum = 0;
    for (size_t w = 0; w < words; ++w) sum += std::popcount(x[w] & y[w]);
    return sum;
}

bool everywhere() { return true; }

}  // namespace

extern const Counter kPortable;
const Counter kPortable{"portable", count_blocks<Portable>, count_pair, everywhere};

}  // namespace lormika
