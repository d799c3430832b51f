#include "bits.hpp"

#include <bit>

#include "processor.hpp"

#if defined(LORMIKA_X86)
#include <immintrin.h>
#endif

namespace lormika {

namespace {

uint64_t extract_portable(uint64_t value, uint64_t mask) {
    uint64_t result = 0;
    for (uint64_t bit = 1; mask != 0; bit <<= 1, mask &= mask - 1)
        if (value & mask & (~mask + 1)) result |= bit;  // the lowest bit of the mask
    return result;
}

template <class Extract>
LORMIKA_INLINE void project_with(Extract extract, const Layout& from, const Layout& to, Strided<const uint64_t> source,
                                 const uint64_t* mask, Strided<uint64_t> target) {
    for (int c = 0; c < from.classes(); ++c) {
        int out = to.begin[c];
        uint64_t pending = 0;
        int filled = 0;
        for (int w = from.begin[c]; w < from.begin[c + 1]; ++w) {
            if (mask[w] == 0) continue;
            const uint64_t kept = extract(source[w], mask[w]);
            const int width = std::popcount(mask[w]);
            pending |= kept << filled;
            if (filled + width >= 64) {
                target[out++] = pending;
                pending = filled == 0 ? 0 : kept >> (64 - filled);
                filled -= 64;
            }
            filled += width;
        }
        if (filled > 0) target[out] = pending;
    }
}

#if defined(LORMIKA_X86)
LORMIKA_USES("bmi2,popcnt")
void project_pext(const Layout& from, const Layout& to, Strided<const uint64_t> source, const uint64_t* mask,
                  Strided<uint64_t> target) {
    project_with([](uint64_t value, uint64_t m) LORMIKA_USES("bmi2,popcnt") { return _pext_u64(value, m); }, from, to, source,
                 mask, target);
}
#endif

}  // namespace

void project(const Layout& from, const Layout& to, Strided<const uint64_t> source, const uint64_t* mask,
             Strided<uint64_t> target) {
#if defined(LORMIKA_X86)
    static const bool has_pext = processor().bmi2 && processor().popcnt;
    if (has_pext) return project_pext(from, to, source, mask, target);
#endif
    project_with(extract_portable, from, to, source, mask, target);
}

}  // namespace lormika
