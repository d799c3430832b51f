#include "mix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lormika {

constexpr size_t kFew = 8;  // observed values for each one to sort

void mix(const double* table, size_t features, size_t rows, const bool* numeric, const double* means, const Mixture& mixture,
         double* made) {
    const int64_t* x = mixture.parent;
    const int64_t* y = x + mixture.count;
    const int64_t* origin = mixture.parents > 2 ? y + mixture.count : x;
    for (size_t f = 0; f < features; ++f) {
        const double* column = table + f * rows;
        double* out = made + f * mixture.count;
        const double mean = means[f];
        const auto number = [=](int64_t row) { return std::isnan(column[row]) ? mean : column[row]; };
        for (size_t i = 0; i < mixture.count; ++i) {
            const double kept = column[mixture.closest[i]];
            out[i] =
                !numeric[f] || std::isnan(kept) ? kept : number(x[i]) + (number(y[i]) - number(origin[i])) * mixture.step[i];
        }
    }
}

void snap(const Ordered<double>& observed, const bool* numeric, size_t features, size_t count, double* numbers,
          int32_t* places) {
    for (size_t f = 0; f < features; ++f) {
        const double* values = observed.of(f);
        const size_t size = observed.size(f);
        double* own = numbers + f * count;
        int32_t* place = places + f * count;
        std::fill_n(place, count, static_cast<int32_t>(size));
        if (!numeric[f] || size == 0) continue;
        size_t less[kTogether];
        for (size_t start = 0; start < count; start += kTogether) {
            const size_t some = std::min(kTogether, count - start);
            count_less_each(values, size, own + start, some, less);
            for (size_t i = 0; i < some; ++i) {
                const double number = own[start + i];
                const size_t above = std::clamp<size_t>(less[i], 1, std::max<size_t>(size - 1, 1));
                const size_t higher = std::min(above, size - 1);
                const size_t near = number - values[above - 1] <= values[higher] - number ? above - 1 : higher;
                if (std::isnan(number)) continue;
                own[start + i] = values[near];
                place[start + i] = static_cast<int32_t>(near);
            }
        }
    }
}

void order(const Ordered<double>& observed, size_t features, size_t count, const int32_t* places, double* ordered) {
    std::vector<int32_t> sorted(count);
    std::vector<int32_t> held;
    for (size_t f = 0; f < features; ++f) {
        const double* values = observed.of(f);
        const size_t size = observed.size(f);
        const int32_t* own = places + f * count;
        double* next = ordered + f * count;
        if (size <= kFew * count) {  // counting them takes less time than sorting
            held.assign(size + 1, 0);
            for (size_t i = 0; i < count; ++i) ++held[std::min(static_cast<size_t>(own[i]), size)];
            for (size_t place = 0; place < size; ++place) next = std::fill_n(next, held[place], values[place]);
        } else {
            std::copy_n(own, count, sorted.begin());
            std::sort(sorted.begin(), sorted.end());
            for (size_t i = 0; i < count && static_cast<size_t>(sorted[i]) < size; ++i) *next++ = values[sorted[i]];
        }
        std::fill(next, ordered + (f + 1) * count, std::numeric_limits<double>::quiet_NaN());
    }
}

}  // namespace lormika
