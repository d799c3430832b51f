#include "tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lormika {

namespace {

constexpr size_t kAbreast = 16;  // rows that go down at the same time: while one waits for memory, others go on
constexpr size_t kBlock = 512;

// The greatest number in single precision that is no more than this: the same values are at most either of them.
float round_down(double threshold) {
    const float near = static_cast<float>(threshold);
    return near > threshold ? std::nextafter(near, -std::numeric_limits<float>::infinity()) : near;
}

}  // namespace

Tree::Tree(const GrownTree& grown, size_t features) : features_(features) {
    constexpr auto kMost = static_cast<size_t>(std::numeric_limits<int32_t>::max());
    if (grown.nodes == 0 || grown.nodes > kMost || features == 0 || features > kMost)
        throw std::invalid_argument("a tree has nodes, and features to look at");
    nodes_.reserve(grown.nodes);
    const auto is_later = [&](int64_t child, size_t node) {
        return child > static_cast<int64_t>(node) && child < static_cast<int64_t>(grown.nodes);
    };
    for (size_t node = 0; node < grown.nodes; ++node) {
        const int64_t left = grown.left[node], right = grown.right[node], feature = grown.feature[node];
        if (left < 0) {
            const auto own = static_cast<int32_t>(node);
            nodes_.push_back({0.0f, 0, {own, own}});
            continue;
        }
        if (!is_later(left, node) || !is_later(right, node) || feature < 0 || feature >= static_cast<int64_t>(features))
            throw std::invalid_argument("a node of the tree points outside, or back");
        nodes_.push_back({round_down(grown.threshold[node]), static_cast<int32_t>(feature),
                          {static_cast<int32_t>(left), static_cast<int32_t>(right)}});
        if (grown.missing_left[node]) {
            missing_left_.resize(grown.nodes, 0);
            missing_left_[node] = 1;
        }
    }
}

template <bool kMissingLeft>
void Tree::descend(const float* rows, size_t count, int32_t* leaves) const {
    const Node* const nodes = nodes_.data();
    for (size_t start = 0; start < count; start += kAbreast) {
        int32_t at[kAbreast] = {};
        const float* own[kAbreast];
        for (size_t i = 0; i < kAbreast; ++i) own[i] = rows + std::min(start + i, count - 1) * features_;
        for (bool moving = true; moving;) {
            moving = false;
            for (size_t i = 0; i < kAbreast; ++i) {
                const Node& node = nodes[at[i]];
                const float value = own[i][node.feature];
                bool right = !(value <= node.threshold);  // NaN, too
                if constexpr (kMissingLeft) right &= !(std::isnan(value) && missing_left_[at[i]]);
                const int32_t next = node.children[right];
                moving |= next != at[i];
                at[i] = next;
            }
        }
        std::copy_n(at, std::min(kAbreast, count - start), leaves + start);
    }
}

void Tree::add(const float* rows, size_t count, const double* values, size_t classes, double* sums) const {
    int32_t leaves[kBlock];
    for (size_t start = 0; start < count; start += kBlock) {
        const size_t some = std::min(kBlock, count - start);
        const float* first = rows + start * features_;
        if (missing_left_.empty())
            descend<false>(first, some, leaves);
        else
            descend<true>(first, some, leaves);
        for (size_t r = 0; r < some; ++r) {
            const double* value = values + static_cast<size_t>(leaves[r]) * classes;
            double* sum = sums + (start + r) * classes;
            for (size_t c = 0; c < classes; ++c) sum[c] += value[c];
        }
    }
}

}  // namespace lormika
