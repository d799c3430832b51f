// Distances from instances to every row of a dictionary-coded table, without one-hot columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lormika {

// A table of `rows` x `features`, stored feature by feature as codes into each feature's distinct values.
template <class Code>
struct CodedTable {
    size_t rows;
    size_t features;
    const Code* codes;       // features x rows
    const double* points;    // distinct values of all features; a missing number stands as the mean
    const int64_t* offsets;  // features + 1: where each feature's values begin in points
    const double* scales;    // standard deviations of numbers; 0: counts nothing
    const bool* numeric;     // numbers; the others are categories
    const double* columns;   // the points of some numbers again, row by row,
    const int64_t* column;   // features: which of these columns; -1: there is none
};

// squared[i][r] = sum over features of ((x[i] - value[r]) / scale)^2, or of 2 where the categories differ.
// x (instances x features) holds an instance's value of a numeric feature and its code of a categorical one (-1: none of
// them). The table is read once for all instances.
template <class Code>
void scan(const CodedTable<Code>& table, const double* x, size_t instances, double* squared);

// Of the squared distances in each class, the smallest but for so many (the largest, if the class has fewer rows): one for
// each of the counts, which ascend (counts x classes).
void reach(const double* squared, const int32_t* labels, size_t rows, int classes, const int32_t* counts, int n_counts,
           double* result);

// Rows whose squared distance is at most the bound of their class, ascending.
std::vector<int64_t> within(const double* squared, const int32_t* labels, size_t rows, const double* bounds);

}  // namespace lormika
