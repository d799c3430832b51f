#include "tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace lormika {

namespace {

constexpr ptrdiff_t kFew = 8;    // rows of a group: with fewer, each goes on alone
constexpr size_t kAbreast = 12;  // rows that go down alone at the same time: while one waits for memory, others go on
constexpr int kSteps = 4;        // of each, until it is looked which have arrived, and the next ones begin

// The greatest number in single precision that is no more than this: the same values are at most either of them.
float round_down(double threshold) {
    const float near = static_cast<float>(threshold);
    return near > threshold ? std::nextafter(near, -std::numeric_limits<float>::infinity()) : near;
}

// Let memory be fetched that is soon needed.
void prefetch([[maybe_unused]] const void* place) {
#if defined(__GNUC__)
    __builtin_prefetch(place);
#endif
}

template <bool kMissingLeft>
bool goes_right(float value, float threshold) {
    const bool is_right = !(value <= threshold);  // a missing value, NaN, is at most nothing
    return kMissingLeft ? is_right & !std::isnan(value) : is_right;
}

// Let rows that go right come last, in their order; returns the first of them. The room is for as many rows.
template <bool kMissingLeft>
uint32_t* part(uint32_t* begin, uint32_t* end, const float* values, float threshold, uint32_t* room) {
    uint32_t *left_end = begin, *right_end = room;
    for (const uint32_t* row = begin; row < end; ++row) {
        const uint32_t own = *row;
        const bool is_right = goes_right<kMissingLeft>(values[own], threshold);
        *left_end = *right_end = own;  // where it does not belong, the next one takes its place
        left_end += !is_right;
        right_end += is_right;
    }
    std::copy(room, right_end, left_end);
    return left_end;
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

// Rows at the same node are a group, which is parted there: a node is looked up once for all of them. Similar rows, as
// explanations ask about, stay together for long.
void Tree::descend(const Block& block, int32_t* leaves) const {
    struct Group {
        int32_t node;
        uint32_t *begin, *end;
    };
    std::vector<uint32_t> rows(block.count), room(block.count);
    std::iota(rows.begin(), rows.end(), 0u);
    std::vector<Group> groups{{0, rows.data(), rows.data() + rows.size()}};
    std::vector<Walker> walkers;
    while (!groups.empty()) {
        const auto [at, begin, end] = groups.back();
        groups.pop_back();
        const Node& node = nodes_[at];
        if (node.children[0] == at) {
            for (const uint32_t* row = begin; row < end; ++row) leaves[*row] = at;
            continue;
        }
        if (end - begin < kFew) {
            for (const uint32_t* row = begin; row < end; ++row) walkers.push_back({*row, at});
            continue;
        }
        const auto part_here = sends_missing_left(at) ? part<true> : part<false>;
        const float* const values = block.columns + static_cast<size_t>(node.feature) * block.count;
        uint32_t* const middle = part_here(begin, end, values, node.threshold, room.data());
        if (middle < end) {
            prefetch(&nodes_[node.children[1]]);
            groups.push_back({node.children[1], middle, end});
        }
        if (begin < middle) groups.push_back({node.children[0], begin, middle});
    }
    if (missing_left_.empty())
        descend_alone<false>(block.rows, walkers, leaves);
    else
        descend_alone<true>(block.rows, walkers, leaves);
}

template <bool kMissingLeft>
void Tree::descend_alone(const float* rows, const std::vector<Walker>& walkers, int32_t* leaves) const {
    if (walkers.empty()) return;
    Walker going[kAbreast];
    size_t next = 0;
    // If there are few, the last one goes more than once.
    const auto begin = [&] { return walkers[next < walkers.size() ? next++ : walkers.size() - 1]; };
    for (Walker& walker : going) walker = begin();
    for (bool open = true; open;) {
        for (int step = 0; step < kSteps; ++step)
            for (auto& [row, at] : going) {
                const Node& node = nodes_[at];
                const float value = rows[row * features_ + static_cast<size_t>(node.feature)];
                bool is_right = goes_right<false>(value, node.threshold);
                if constexpr (kMissingLeft) is_right &= !(std::isnan(value) && missing_left_[at]);
                at = node.children[is_right];
            }
        open = false;
        for (Walker& walker : going) {
            const bool arrived = nodes_[walker.node].children[0] == walker.node;
            if (arrived) leaves[walker.row] = walker.node;
            if (arrived && next == walkers.size()) continue;
            if (arrived) walker = begin();
            open = true;
        }
    }
}

void Tree::add(const Block& block, const double* values, size_t classes, double* sums) const {
    std::vector<int32_t> leaves(block.count);
    descend(block, leaves.data());
    for (size_t r = 0; r < leaves.size(); ++r) {
        const double* value = values + static_cast<size_t>(leaves[r]) * classes;
        double* sum = sums + r * classes;
        for (size_t c = 0; c < classes; ++c) sum[c] += value[c];
    }
}

}  // namespace lormika
