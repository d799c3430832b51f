// New rows, made from similar ones. Tables are stored feature by feature.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ordered.hpp"

namespace lormika {

struct Mixture {
    size_t count;            // rows to make
    size_t parents;          // 2 or 3
    const int64_t* parent;   // parents x count: row numbers
    const int64_t* closest;  // count: the parent that categories and missing values come from
    const double* step;      // count
};

// made[f][i] = x + (y - x) * step for two parents, x + (y - z) * step for three; a missing number counts as the mean.
// Categories, and numbers that are missing there, are those of the closest parent.
void mix(const double* table, size_t features, size_t rows, const bool* numeric, const double* means, const Mixture& mixture,
         double* made);

// Moves numbers to the nearest observed value of their feature, to the lower of two equally near, and says which one that
// is. NaN stays, and so does what has no observed values: their place is after all of these. Categories have no places.
void snap(const Ordered<double>& observed, const bool* numeric, size_t features, size_t count, double* numbers,
          int32_t* places);

// The values at such places, sorted; those after all observed ones are missing, and come last as NaN.
void order(const Ordered<double>& observed, size_t features, size_t count, const int32_t* places, double* ordered);

}  // namespace lormika
