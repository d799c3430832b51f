// Ranges of numbers, and the item of each value. Tables are stored feature by feature.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lormika {

constexpr int32_t kNoCut = -1;

// Where sorted values are cut into ranges of about equally many: how many lie below each of at most bins - 1 cuts, and
// then kNoCut. Equal values stay together. Each cut lies as near as possible to an equal share of the values that
// remain, counted from the end which gives the more even ranges.
void cut_evenly(const double* ordered, int32_t size, int bins, int32_t* below);

// Which item each value belongs to, and how many values each item has.
// A feature with cuts has a range below each of them and one above; one without (a category) stands for itself. The last
// item of a feature is for missing values.
struct Scale {
    const double* cuts;  // sorted
    int32_t n_cuts;
    int32_t size;  // of items
    bool is_category;
};
void assign(const Scale& scale, const double* values, size_t size, int32_t* items, int32_t* rows);

}  // namespace lormika
