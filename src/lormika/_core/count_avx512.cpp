// AVX-512 with VPOPCNTDQ counts the bits of eight words in one instruction.
#include "processor.hpp"

#if defined(LORMIKA_X86)
#include "count_loops.hpp"
#include "count_x86.hpp"

namespace lormika {

namespace {

struct Avx512 {
    static void count(const uint64_t* base, const Line* lines, int words, int32_t* counts) {
        __m512i even = _mm512_setzero_si512(), odd = even;
        int w = 0;
        for (; w + 2 <= words; w += 2) {
            even = _mm512_add_epi64(even, shared(base[w], lines[w]));
            odd = _mm512_add_epi64(odd, shared(base[w + 1], lines[w + 1]));
        }
        if (w < words) even = _mm512_add_epi64(even, shared(base[w], lines[w]));
        const __m256i sums = _mm512_maskz_cvtepi64_epi32(0xFF, _mm512_add_epi64(even, odd));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts), sums);
    }

    static uint8_t passing(const int32_t* counts, int classes, const Screen& screen) {
        return passing_lanes_avx2(counts, classes, screen);
    }

private:
    static __m512i shared(uint64_t word, const Line& line) {
        const __m512i one = _mm512_set1_epi64(static_cast<long long>(word));
        return _mm512_popcnt_epi64(_mm512_and_si512(one, _mm512_load_si512(line.lane)));
    }
};

int64_t count_pair(const uint64_t* x, const uint64_t* y, size_t words) {
    __m512i sum = _mm512_setzero_si512();
    for (size_t w = 0; w < words; w += 8) {
        const size_t left = words - w;
        const __mmask8 present = left >= 8 ? 0xFF : static_cast<__mmask8>((1u << left) - 1);
        const __m512i both = _mm512_and_si512(_mm512_maskz_loadu_epi64(present, x + w),  //
                                              _mm512_maskz_loadu_epi64(present, y + w));
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
    }
    Line sums;
    _mm512_store_si512(sums.lane, sum);
    uint64_t all = 0;
    for (const uint64_t one : sums.lane) all += one;
    return static_cast<int64_t>(all);
}

bool runs() { return processor().avx512; }

}  // namespace

extern const Counter kAvx512;
const Counter kAvx512{"AVX-512 VPOPCNTDQ", count_blocks<Avx512>, count_pair, runs};

}  // namespace lormika
#endif
