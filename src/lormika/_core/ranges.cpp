#include "ranges.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lormika {

namespace {

// Sorted values, or their mirror image.
struct Side {
    const double* ordered;
    int32_t size;
    bool mirrored;

    // Whether the values on both sides of a place differ.
    bool is_between(int32_t place) const {
        const int32_t p = mirrored ? size - place : place;
        return ordered[p - 1] != ordered[p];
    }

    // The last place for a cut that is less than `place` (0: none), and the first one from there on (size: none).
    int32_t before(int32_t place) const {
        while (--place > 0 && !is_between(place)) {
        }
        return std::max(place, 0);
    }
    int32_t from(int32_t place) const {
        while (place < size && !is_between(place)) ++place;
        return place;
    }
};

void cut_from_one_end(const Side& side, int bins, std::vector<int32_t>& places) {
    int32_t done = 0;
    for (int left = bins; left > 1; --left) {
        const double target = done + static_cast<double>(side.size - done) / left;
        const int32_t at = std::max(static_cast<int32_t>(std::ceil(target)), done + 1);
        int32_t place = side.from(at);
        const int32_t lower = side.before(at);
        if (lower > done && (place == side.size || target - lower <= place - target)) place = lower;
        if (place == side.size) break;
        places.push_back(place);
        done = place;
    }
}

int64_t unevenness(const std::vector<int32_t>& places, int32_t size) {
    int64_t sum = 0;
    int32_t low = 0;
    for (size_t i = 0; i <= places.size(); ++i) {
        const int64_t width = (i < places.size() ? places[i] : size) - low;
        sum += width * width;
        low += static_cast<int32_t>(width);
    }
    return sum;
}

}  // namespace

void cut_evenly(const double* ordered, int32_t size, int bins, int32_t* below) {
    std::fill_n(below, bins - 1, kNoCut);
    if (size == 0) return;
    std::vector<int32_t> upwards, downwards;
    cut_from_one_end({ordered, size, false}, bins, upwards);
    cut_from_one_end({ordered, size, true}, bins, downwards);
    std::reverse(downwards.begin(), downwards.end());
    for (int32_t& place : downwards) place = size - place;
    const auto& chosen = unevenness(upwards, size) <= unevenness(downwards, size) ? upwards : downwards;
    std::copy(chosen.begin(), chosen.end(), below);
}

void assign(const Scale& scale, const double* values, size_t size, int32_t* items, int32_t* rows) {
    constexpr int32_t kFew = 8;  // cuts that are compared one by one, many values at a time
    const int32_t last = scale.size - 1;
    if (scale.is_category) {
        for (size_t r = 0; r < size; ++r) items[r] = std::isnan(values[r]) ? last : static_cast<int32_t>(values[r]);
    } else if (scale.n_cuts <= kFew) {
        for (size_t r = 0; r < size; ++r) items[r] = std::isnan(values[r]) ? last : 0;
        for (int32_t c = 0; c < scale.n_cuts; ++c)
            for (size_t r = 0; r < size; ++r) items[r] += values[r] >= scale.cuts[c];
    } else {
        const double* end = scale.cuts + scale.n_cuts;
        for (size_t r = 0; r < size; ++r)
            items[r] =
                std::isnan(values[r]) ? last : static_cast<int32_t>(std::upper_bound(scale.cuts, end, values[r]) - scale.cuts);
    }
    std::fill_n(rows, scale.size, 0);
    for (size_t r = 0; r < size; ++r) ++rows[items[r]];
}

}  // namespace lormika
