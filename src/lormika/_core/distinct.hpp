// Which rows of a table are the same, bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lormika {

// copies[r]: which of the distinct rows, counted in the order in which they first occur, row r is. The result are the
// positions of these first occurrences. `table` holds rows x features 64-bit values, one row after the other.
std::vector<int64_t> find_distinct(const uint64_t* table, size_t rows, size_t features, int64_t* copies);

}  // namespace lormika
