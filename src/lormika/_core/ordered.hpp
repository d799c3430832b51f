// Sorted values of many features, stored one feature after the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lormika {

template <class T>
struct Ordered {
    const T* values;
    const int64_t* begin;  // features: where each one's values begin,
    const int64_t* end;    // and end

    size_t size(size_t feature) const { return static_cast<size_t>(end[feature] - begin[feature]); }
    const T* of(size_t feature) const { return values + begin[feature]; }
};

// How many of the sorted values are less; all of them, for NaN. Without branches, which could not be foreseen.
template <class T>
inline size_t count_less(const T* values, size_t size, T value) {
    const T* first = values;
    while (size > 1) {
        const size_t half = size / 2;
        first += !(first[half - 1] >= value) ? half : 0;
        size -= half;
    }
    return static_cast<size_t>(first - values) + (size == 1 && !(*first >= value) ? 1 : 0);
}

// The same for several wanted values, at most kTogether: step by step for all, since one step waits for the one before.
constexpr size_t kTogether = 16;

template <class T>
inline void count_less_each(const T* values, size_t size, const T* wanted, size_t count, size_t* less) {
    for (size_t i = 0; i < count; ++i) less[i] = 0;
    while (size > 1) {
        const size_t half = size / 2;
        for (size_t i = 0; i < count; ++i) less[i] += !(values[less[i] + half - 1] >= wanted[i]) ? half : 0;
        size -= half;
    }
    if (size == 1)
        for (size_t i = 0; i < count; ++i) less[i] += !(values[less[i]] >= wanted[i]);
}

}  // namespace lormika
