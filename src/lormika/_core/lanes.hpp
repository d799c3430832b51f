// Sixty-four numbers compared at a time: a bit for each.
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

inline uint32_t sixteen_equal(const uint8_t* numbers, uint8_t number) {
    const __m128i own = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers));
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(own, _mm_set1_epi8(static_cast<char>(number)))));
}

#elif defined(LORMIKA_ARM)

using Lanes = float32x4_t;

inline Lanes all_lanes(float value) { return vdupq_n_f32(value); }
inline uint32x4_t at_most(Lanes x, Lanes y) { return vcleq_f32(x, y); }
inline uint32x4_t equal(Lanes x, Lanes y) { return vceqq_f32(x, y); }

// A bit for each of eight truths, which are all ones or all zeros.
inline uint32_t eight_bits(uint8x8_t truths) {
    const uint8_t of_lane[] = {1, 2, 4, 8, 16, 32, 64, 128};
    return static_cast<uint32_t>(vaddv_u8(vand_u8(truths, vld1_u8(of_lane))));
}

template <class Compare>
uint32_t sixteen_bits(const float* values, Compare compare) {
    const auto eight = [&](int place) {
        const uint32x4_t low = compare(vld1q_f32(values + place)), high = compare(vld1q_f32(values + place + 4));
        return eight_bits(vmovn_u16(vcombine_u16(vmovn_u32(low), vmovn_u32(high))));
    };
    return eight(0) | eight(8) << 8;
}

inline uint32_t sixteen_equal(const uint8_t* numbers, uint8_t number) {
    const uint8x16_t truths = vceqq_u8(vld1q_u8(numbers), vdupq_n_u8(number));
    return eight_bits(vget_low_u8(truths)) | eight_bits(vget_high_u8(truths)) << 8;
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

inline uint32_t sixteen_equal(const uint8_t* numbers, uint8_t number) {
    uint32_t bits = 0;
    for (int i = 0; i < 16; ++i) bits |= static_cast<uint32_t>(numbers[i] == number) << i;
    return bits;
}

#endif

// The word that four times sixteen bits make.
template <class Sixteen>
uint64_t join(Sixteen sixteen) {
    uint64_t word = 0;
    for (int part = 0; part < 4; ++part) word |= static_cast<uint64_t>(sixteen(16 * part)) << (16 * part);
    return word;
}

// The comparison takes and returns lanes.
template <class Compare>
uint64_t word_of(const float* values, Compare compare) {
    return join([&](int place) { return sixteen_bits(values + place, compare); });
}

// Which are at most the bound; a missing value, NaN, is at most nothing.
inline uint64_t at_most(const float* values, float bound) {
    return word_of(values, [most = all_lanes(bound)](Lanes x) { return at_most(x, most); });
}

inline uint64_t equal(const float* values, float value) {
    return word_of(values, [other = all_lanes(value)](Lanes x) { return equal(x, other); });
}

inline uint64_t equal(const uint8_t* numbers, uint8_t number) {
    return join([&](int place) { return sixteen_equal(numbers + place, number); });
}

inline uint64_t are_missing(const float* values) {
    return ~word_of(values, [](Lanes x) { return equal(x, x); });
}

}  // namespace lormika
