#include "bits.hpp"

#include <bit>
#include <cstddef>

// One portable source, compiled for several generations of processors; the loader picks the best at run time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__)
#define LORMIKA_MULTIVERSION __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define LORMIKA_MULTIVERSION
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define LORMIKA_HAS_PEXT 1
#endif

namespace lormika {

LORMIKA_MULTIVERSION
void count_shared(const Layout& layout, const uint64_t* base, const uint64_t* bits, const int* chosen, int n_chosen,
                  int32_t* counts) {
    const int classes = layout.classes();
    const int* begin = layout.begin.data();
    const size_t words = layout.words();
    for (int s = 0; s < n_chosen; ++s) {
        const uint64_t* other = bits + chosen[s] * words;
        for (int c = 0; c < classes; ++c) {
            uint64_t count = 0, second = 0, third = 0, fourth = 0;  // four sums at a time keep the processor busy
            int w = begin[c];
            for (; w + 4 <= begin[c + 1]; w += 4) {
                count += std::popcount(base[w] & other[w]);
                second += std::popcount(base[w + 1] & other[w + 1]);
                third += std::popcount(base[w + 2] & other[w + 2]);
                fourth += std::popcount(base[w + 3] & other[w + 3]);
            }
            for (; w < begin[c + 1]; ++w) count += std::popcount(base[w] & other[w]);
            *counts++ = static_cast<int32_t>(count + second + third + fourth);
        }
    }
}

namespace {

uint64_t extract_portable(uint64_t value, uint64_t mask) {
    uint64_t result = 0;
    for (uint64_t bit = 1; mask != 0; bit <<= 1, mask &= mask - 1)
        if (value & mask & -mask) result |= bit;
    return result;
}

template <class Extract>
inline __attribute__((always_inline)) void project_with(Extract extract, const Layout& from, const Layout& to,
                                                        const uint64_t* source, const uint64_t* mask,
                                                        uint64_t* target) {
    for (int c = 0; c < from.classes(); ++c) {
        uint64_t* out = target + to.begin[c];
        uint64_t pending = 0;
        int filled = 0;
        for (int w = from.begin[c]; w < from.begin[c + 1]; ++w) {
            if (mask[w] == 0) continue;
            const uint64_t kept = extract(source[w], mask[w]);
            const int width = std::popcount(mask[w]);
            pending |= kept << filled;
            if (filled + width >= 64) {
                *out++ = pending;
                pending = filled == 0 ? 0 : kept >> (64 - filled);
                filled -= 64;
            }
            filled += width;
        }
        if (filled > 0) *out = pending;
    }
}

#ifdef LORMIKA_HAS_PEXT
__attribute__((target("bmi2,popcnt"))) void project_pext(const Layout& from, const Layout& to, const uint64_t* source,
                                                         const uint64_t* mask, uint64_t* target) {
    project_with([](uint64_t value, uint64_t m) __attribute__((target("bmi2,popcnt"))) { return _pext_u64(value, m); },
                 from, to, source, mask, target);
}
#endif

}  // namespace

void project(const Layout& from, const Layout& to, const uint64_t* source, const uint64_t* mask, uint64_t* target) {
#ifdef LORMIKA_HAS_PEXT
    static const bool has_pext = __builtin_cpu_supports("bmi2");
    if (has_pext) return project_pext(from, to, source, mask, target);
#endif
    project_with(extract_portable, from, to, source, mask, target);
}

}  // namespace lormika
