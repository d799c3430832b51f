// NEON, which every 64-bit ARM processor has, counts the bits of each byte.
#include "processor.hpp"

#if defined(LORMIKA_ARM)
#include <arm_neon.h>

#include "count_loops.hpp"

namespace lormika {

namespace {

constexpr int kWordsInBytes = 31;  // so many words of 8 bits a byte are summed up before a byte overflows
constexpr int kPairs = kLanes / 2;

inline uint8x16_t count_bytes(uint64x2_t bits) { return vcntq_u8(vreinterpretq_u8_u64(bits)); }

inline uint64x2_t sum_words(uint8x16_t bytes) { return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(bytes))); }

struct Neon {
    static void count(const uint64_t* base, const Line* lines, int words, int32_t* counts) {
        uint64x2_t sums[kPairs];
        for (int p = 0; p < kPairs; ++p) sums[p] = vdupq_n_u64(0);
        for (int w = 0; w < words;) {
            uint8x16_t bytes[kPairs];
            for (int p = 0; p < kPairs; ++p) bytes[p] = vdupq_n_u8(0);
            for (const int stop = w + kWordsInBytes < words ? w + kWordsInBytes : words; w < stop; ++w) {
                const uint64x2_t one = vdupq_n_u64(base[w]);
                for (int p = 0; p < kPairs; ++p)
                    bytes[p] = vaddq_u8(bytes[p], count_bytes(vandq_u64(one, vld1q_u64(lines[w].lane + 2 * p))));
            }
            for (int p = 0; p < kPairs; ++p) sums[p] = vaddq_u64(sums[p], sum_words(bytes[p]));
        }
        for (int p = 0; p < kPairs; ++p) vst1_s32(counts + 2 * p, vreinterpret_s32_u32(vmovn_u64(sums[p])));
    }

    static uint8_t passing(const int32_t* counts, int classes, const Screen& screen) {
        return passing_lanes(counts, classes, screen);
    }
};

int64_t count_pair(const uint64_t* x, const uint64_t* y, size_t words) {
    uint64x2_t sum = vdupq_n_u64(0);
    size_t w = 0;
    while (w + 2 <= words) {
        uint8x16_t bytes = vdupq_n_u8(0);
        for (int i = 0; i < kWordsInBytes && w + 2 <= words; ++i, w += 2)
            bytes = vaddq_u8(bytes, count_bytes(vandq_u64(vld1q_u64(x + w), vld1q_u64(y + w))));
        sum = vaddq_u64(sum, sum_words(bytes));
    }
    int64_t result = static_cast<int64_t>(vaddvq_u64(sum));
    if (w < words) result += vaddlv_u8(vcnt_u8(vcreate_u8(x[w] & y[w])));
    return result;
}

bool everywhere() { return true; }

}  // namespace

extern const Counter kNeon;
const Counter kNeon{"NEON", count_blocks<Neon>, count_pair, everywhere};

}  // namespace lormika
#endif
