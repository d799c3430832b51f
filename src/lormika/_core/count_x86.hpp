// The screen with AVX2, which AVX-512 processors use, too: eight counts fill a register.
#pragma once

#include <immintrin.h>

#include "count.hpp"

namespace lormika {
namespace {

inline __m256i load_counts(const int32_t* counts) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts)); }

inline uint8_t passing_lanes_avx2(const int32_t* counts, int classes, const Screen& screen) {
    __m256i rows = _mm256_setzero_si256(), fails = _mm256_set1_epi32(-1);
    for (int c = 0; c < classes; ++c) rows = _mm256_add_epi32(rows, load_counts(counts + c * kLanes));
    for (int c = 0; c < classes; ++c) {
        const __m256i both = load_counts(counts + c * kLanes);
        const __m256i few = _mm256_cmpgt_epi32(_mm256_set1_epi32(screen.least_both[c]), both);
        const __m256i many = _mm256_cmpgt_epi32(_mm256_sub_epi32(rows, both), _mm256_set1_epi32(screen.most_other[c]));
        fails = _mm256_and_si256(fails, _mm256_or_si256(few, many));
    }
    fails = _mm256_or_si256(fails, _mm256_cmpgt_epi32(_mm256_set1_epi32(screen.least_rows), rows));
    return static_cast<uint8_t>(~_mm256_movemask_ps(_mm256_castsi256_ps(fails)));
}

}  // namespace
}  // namespace lormika
