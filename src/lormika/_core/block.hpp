// Rows of a table, in the form in which they go down trees together: what a node asks of them is answered by bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lanes.hpp"

namespace lormika {

class Block {
   public:
    static constexpr size_t kMostRows = kWordBits * kWordBits;

    // Rows stand one after the other, and stay where they are for as long as the block is used.
    Block(const float* rows, size_t count, size_t features);

    size_t count() const { return count_; }
    size_t features() const { return features_; }
    size_t words() const { return words_; }
    const float* row(size_t number) const { return rows_ + number * features_; }

    // A feature of all rows. If these have at most two values, none of them missing, the bits say which have the lower one;
    // else there are no bits.
    struct Column {
        const float* values;
        const uint64_t* is_low;
        float low, high;
    };
    const Column& operator[](size_t feature) const { return columns_[feature]; }

   private:
    void transpose();
    Column look_at(const float* values, uint64_t* is_low) const;

    const float* rows_;
    size_t count_, features_, words_;
    std::vector<float> values_;  // features x rows, up to whole words: the first row's value is repeated
    std::vector<uint64_t> is_low_;
    std::vector<Column> columns_;
};

}  // namespace lormika
