#include "cells.hpp"

#include <algorithm>

namespace lormika {

void fill_in(const std::vector<Cells>& columns, const double* tables, const double* encoded, size_t rows, size_t features,
             double* outputs, size_t width, bool* occurs) {
    for (size_t r = 0; r < rows; ++r) {
        const double* table = tables;
        bool* mark = occurs;
        for (const Cells& own : columns) {
            const double value = encoded[r * features + own.feature], last = static_cast<double>(own.places - 1);
            const auto place = static_cast<int64_t>(value < last ? value : last);  // a missing value, NaN, is less than nothing
            mark[place] = true;
            std::copy_n(table + place * own.width, own.width, outputs + r * width + own.first);
            table += own.places * own.width;
            mark += own.places;
        }
    }
}

Sparse without_zeros(const double* table, size_t rows, size_t width) {
    Sparse sparse;
    sparse.starts.reserve(rows + 1);
    sparse.starts.push_back(0);
    for (size_t r = 0; r < rows; ++r) {
        for (size_t c = 0; c < width; ++c)
            if (const double value = table[r * width + c]; value != 0) {  // NaN, too
                sparse.values.push_back(value);
                sparse.columns.push_back(static_cast<int32_t>(c));
            }
        sparse.starts.push_back(static_cast<int32_t>(sparse.values.size()));
    }
    return sparse;
}

}  // namespace lormika
