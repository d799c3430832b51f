// AVX2 has no instruction that counts bits: each half of a byte is looked up in a table of sixteen.
#include "processor.hpp"

#if defined(LORMIKA_X86)
#include "count_loops.hpp"
#include "count_x86.hpp"

namespace lormika {

namespace {

constexpr int kWordsInBytes = 31;  // so many words of 8 bits a byte are summed up before a byte overflows

// Bits of each byte.
inline __m256i count_bytes(__m256i bits) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                           0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(bits, half));
    const __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bits, 4), half));
    return _mm256_add_epi8(low, high);
}

inline __m256i load(const uint64_t* words) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)); }

struct Avx2 {
    static void count(const uint64_t* base, const Line* lines, int words, int32_t* counts) {
        const __m256i zero = _mm256_setzero_si256();
        __m256i first = zero, second = zero;  // lanes 0 to 3, and 4 to 7
        for (int w = 0; w < words;) {
            __m256i first_bytes = zero, second_bytes = zero;
            for (const int stop = w + kWordsInBytes < words ? w + kWordsInBytes : words; w < stop; ++w) {
                const __m256i one = _mm256_set1_epi64x(static_cast<long long>(base[w]));
                const __m256i low = count_bytes(_mm256_and_si256(one, load(lines[w].lane)));
                const __m256i high = count_bytes(_mm256_and_si256(one, load(lines[w].lane + 4)));
                first_bytes = _mm256_add_epi8(first_bytes, low);
                second_bytes = _mm256_add_epi8(second_bytes, high);
            }
            first = _mm256_add_epi64(first, _mm256_sad_epu8(first_bytes, zero));
            second = _mm256_add_epi64(second, _mm256_sad_epu8(second_bytes, zero));
        }
        // The lower half of each sum, in order.
        const __m256 pairs = _mm256_shuffle_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second), 0x88);
        const __m256i sums = _mm256_permute4x64_epi64(_mm256_castps_si256(pairs), 0xD8);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts), sums);
    }

    static uint8_t passing(const int32_t* counts, int classes, const Screen& screen) {
        return passing_lanes_avx2(counts, classes, screen);
    }
};

int64_t count_pair(const uint64_t* x, const uint64_t* y, size_t words) {
    int64_t sum = 0;
    size_t w = 0;
    while (w + 4 <= words) {
        __m256i bytes = _mm256_setzero_si256();
        for (int i = 0; i < kWordsInBytes && w + 4 <= words; ++i, w += 4)
            bytes = _mm256_add_epi8(bytes, count_bytes(_mm256_and_si256(load(x + w), load(y + w))));
        const __m256i four = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
        sum += _mm256_extract_epi64(four, 0) + _mm256_extract_epi64(four, 1) + _mm256_extract_epi64(four, 2) +
               _mm256_extract_epi64(four, 3);
    }
    for (; w < words; ++w) sum += _mm_popcnt_u64(x[w] & y[w]);
    return sum;
}

bool runs() { return processor().avx2 && processor().popcnt; }

}  // namespace

extern const Counter kAvx2;
const Counter kAvx2{"AVX2", count_blocks<Avx2>, count_pair, runs};

}  // namespace lormika
#endif
