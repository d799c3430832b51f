// What encoders make of categories, put together from tables; and the cells of a table that are not zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lormika {

// A column of categories, by their positions, and its outputs, which stand side by side.
struct Cells {
    int64_t feature;  // its column
    int64_t places;   // positions; the last one stands for a missing value
    int64_t first;    // the first of its outputs
    int64_t width;    // and how many these are
};

// Fill in the outputs (rows x outputs) of all these columns in encoded rows (rows x features). The tables (places x width)
// stand one after the other, and so do the marks, one for each place: those that occur become true.
void fill_in(const std::vector<Cells>& columns, const double* tables, const double* encoded, size_t rows, size_t features,
             double* outputs, size_t width, bool* occurs);

// A table without its zeros: the values that are left, row by row, their columns, and where each row begins and the last ends.
struct Sparse {
    std::vector<double> values;
    std::vector<int32_t> columns, starts;
};
Sparse without_zeros(const double* table, size_t rows, size_t width);

}  // namespace lormika
