#include "block.hpp"

#include <algorithm>

namespace lormika {

namespace {

constexpr size_t kTile = 16;  // rows and columns of a piece that is transposed in the processor's fastest cache

}  // namespace

Block::Block(const float* rows, size_t count, size_t features)
    : rows_(rows), count_(count), features_(features), words_((count + kWordBits - 1) / kWordBits),
      values_(features * words_ * kWordBits), is_low_(features * words_) {
    transpose();
    columns_.reserve(features);
    for (size_t f = 0; f < features; ++f)
        columns_.push_back(look_at(values_.data() + f * words_ * kWordBits, is_low_.data() + f * words_));
}

void Block::transpose() {
    const size_t room = words_ * kWordBits;
    for (size_t r = 0; r < count_; r += kTile)
        for (size_t f = 0; f < features_; f += kTile) {
            const size_t rows = std::min(kTile, count_ - r), columns = std::min(kTile, features_ - f);
            const float* from = rows_ + r * features_ + f;
            float* to = values_.data() + f * room + r;
            if (rows == kTile)  // a number that the compiler knows
                for (size_t column = 0; column < columns; ++column)
                    for (size_t i = 0; i < kTile; ++i) to[column * room + i] = from[i * features_ + column];
            else
                for (size_t column = 0; column < columns; ++column)
                    for (size_t i = 0; i < rows; ++i) to[column * room + i] = from[i * features_ + column];
        }
    for (size_t f = 0; f < features_ && count_ > 0; ++f) {
        float* const own = values_.data() + f * room;
        std::fill(own + count_, own + room, own[0]);
    }
}

Block::Column Block::look_at(const float* values, uint64_t* is_low) const {
    if (count_ == 0) return {values, is_low, 0, 0};
    const float first = values[0];
    const float* const end = values + count_;
    const float* const other = std::find_if(values, end, [=](float value) { return !(value == first); });
    const float second = other < end ? *other : first;
    const float low = std::min(first, second), high = std::max(first, second);
    for (size_t w = 0; w < words_; ++w) {
        is_low[w] = equal(values + w * kWordBits, low);
        if (~(is_low[w] | equal(values + w * kWordBits, high))) return {values, nullptr, low, high};  // a third, or NaN
    }
    return {values, is_low, low, high};
}

}  // namespace lormika
