// Numbers in single precision compared sixty-four at a time: a bit for each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "processor.hpp"

#if defined(LORMIKA_X86)
#include <emmintrin.h>  // which every such processor has
#elif defined(LORMIKA_ARM)
#include <arm_neon.h>
#endif

namespace lormika {

constexpr size_t kWordBits = 64;

#if defined(LORMIKA_X86)

using Lanes = __m128;

inline Lanes all_lanes(float value) { return _mm_set1_ps(value); }
inline Lanes at_most(Lanes x, Lanes y) { return _mm_cmple_ps(x, y); }
inline Lanes equal(Lanes x, Lanes y) { return _mm_cmpeq_ps(x, y); }

template <class Compare>
uint32_t sixteen_bits(const float* values, Compare compare) {
    const auto four = [&](int place) { return _mm_castps_si128(compare(_mm_loadu_ps(values + place))); };
    const __m128i low = _mm_packs_epi32(four(0), four(4)), high = _mm_packs_epi32(four(8), four(12));
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}

#elif defined(LORMIKA_ARM)

using Lanes = float32x4_t;

inline Lanes all_lanes(float value) { return vdupq_n_f32(value); }
inline uint32x4_t at_most(Lanes x, Lanes y) { return vcleq_f32(x, y); }
inline uint32x4_t equal(Lanes x, Lanes y) { return vceqq_f32(x, y); }

template <class Compare>
uint32_t sixteen_bits(const float* values, Compare compare) {
    const auto eight = [&](int place) {
        const uint32x4_t low = compare(vld1q_f32(values + place)), high = compare(vld1q_f32(values + place + 4));
        const uint8_t of_lane[] = {1, 2, 4, 8, 16, 32, 64, 128};
        const uint8x8_t lanes = vmovn_u16(vcombine_u16(vmovn_u32(low), vmovn_u32(high)));
        return static_cast<uint32_t>(vaddv_u8(vand_u8(lanes, vld1_u8(of_lane))));
    };
    return eight(0) | eight(8) << 8;
}

#else

using Lanes = float;

inline Lanes all_lanes(float value) { return value; }
inline bool at_most(Lanes x, Lanes y) { return x <= y; }
inline bool equal(Lanes x, Lanes y) { return x == y; }

template <class Compare>
uint32_t sixteen_bits(const float* values, Compare compare) {
    uint32_t bits = 0;
    for (int i = 0; i < 16; ++i) bits |= static_cast<uint32_t>(compare(values[i])) << i;
    return bits;
}

#endif

// The comparison takes and returns lanes.
template <class Compare>
uint64_t word_of(const float* values, Compare compare) {
    uint64_t word = 0;
    for (int part = 0; part < 4; ++part)
        word |= static_cast<uint64_t>(sixteen_bits(values + 16 * part, compare)) << (16 * part);
    return word;
}

// Which are at most the bound; a missing value, NaN, is at most nothing.
inline uint64_t at_most(const float* values, float bound) {
    return word_of(values, [most = all_lanes(bound)](Lanes x) { return at_most(x, most); });
}

inline uint64_t equal(const float* values, float value) {
    return word_of(values, [other = all_lanes(value)](Lanes x) { return equal(x, other); });
}

inline uint64_t are_missing(const float* values) {
    return ~word_of(values, [](Lanes x) { return equal(x, x); });
}

}  // namespace lormika
