#include "tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lormika {

namespace {

constexpr int kFew = 4;          // rows of a group: with fewer, each goes on alone
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

// Rows at the same node, as bits; only these words of them are not empty.
struct Group {
    int32_t node;
    uint64_t words;
};

// Which words of those that go left, and of those that go right, are not empty.
struct Parted {
    uint64_t left, right;
};

bool are_few(const uint64_t* bits, uint64_t words) {
    int rows = 0;
    for (; words && rows < kFew; words &= words - 1)
        for (uint64_t word = bits[std::countr_zero(words)]; word && rows < kFew; word &= word - 1) ++rows;
    return rows < kFew;
}

// Leave those that go right where they are. `goes_left` says it of all rows of a word.
template <class GoesLeft>
Parted part(uint64_t* bits, uint64_t* left, uint64_t words, GoesLeft goes_left) {
    Parted parted{0, 0};
    for (; words; words &= words - 1) {
        const int w = std::countr_zero(words);
        left[w] = bits[w] & goes_left(w);
        bits[w] ^= left[w];
        parted.left |= static_cast<uint64_t>(left[w] != 0) << w;
        parted.right |= static_cast<uint64_t>(bits[w] != 0) << w;
    }
    return parted;
}

Parted part(uint64_t* bits, uint64_t* left, uint64_t words, const Block::Column& column, float threshold, bool missing_left) {
    if (column.is_low) return part(bits, left, words, [&](int w) { return column.is_low[w]; });
    const auto values = [&](int w) { return column.values + static_cast<size_t>(w) * kWordBits; };
    if (missing_left)
        return part(bits, left, words, [&](int w) { return at_most(values(w), threshold) | are_missing(values(w)); });
    return part(bits, left, words, [&](int w) { return at_most(values(w), threshold); });
}

// Call with each row of a group.
template <class Function>
void each_row(const uint64_t* bits, uint64_t words, Function function) {
    for (; words; words &= words - 1) {
        const int w = std::countr_zero(words);
        for (uint64_t word = bits[w]; word; word &= word - 1)
            function(static_cast<uint32_t>(w * static_cast<int>(kWordBits) + std::countr_zero(word)));
    }
}

}  // namespace

Tree::Tree(const GrownTree& grown, size_t features) {
    constexpr auto kMost = static_cast<size_t>(std::numeric_limits<int32_t>::max());
    if (grown.nodes == 0 || grown.nodes > kMost || features == 0 || features > kMost)
        throw std::invalid_argument("a tree has nodes, and features to look at");
    nodes_.reserve(grown.nodes);
    std::vector<uint32_t> levels(grown.nodes, 0);
    const auto is_later = [&](int64_t child, size_t node) {
        return child > static_cast<int64_t>(node) && child < static_cast<int64_t>(grown.nodes);
    };
    for (size_t node = 0; node < grown.nodes; ++node) {
        const int64_t left = grown.left[node], right = grown.right[node], feature = grown.feature[node];
        depth_ = std::max<size_t>(depth_, levels[node]);
        if (left < 0) {
            const auto own = static_cast<int32_t>(node);
            nodes_.push_back({0.0f, 0, {own, own}});
            continue;
        }
        if (!is_later(left, node) || !is_later(right, node) || feature < 0 || feature >= static_cast<int64_t>(features))
            throw std::invalid_argument("a node of the tree points outside, or back");
        nodes_.push_back({round_down(grown.threshold[node]),
                          static_cast<int32_t>(feature),
                          {static_cast<int32_t>(left), static_cast<int32_t>(right)}});
        for (const int64_t child : {left, right}) levels[child] = std::max(levels[child], levels[node] + 1);
        if (grown.missing_left[node]) {
            missing_left_.resize(grown.nodes, 0);
            missing_left_[node] = 1;
        }
    }
}

// Rows at the same node are a group, which is parted there: a node is looked up once for all of them, and what it asks is
// answered for sixty-four rows at a time. Similar rows, as explanations ask about, stay together for long.
template <class Expect>
void Tree::descend_together(const Block& block, Room& room, Expect expect) const {
    const size_t size = block.words();
    // Every group that waits has a row, and is on the way of the one that goes on, which is parted into the place after.
    room.bits.resize((std::min(depth_, block.count()) + 2) * size);
    std::vector<Group> waiting;
    Group own{0, size < kWordBits ? (uint64_t{1} << size) - 1 : ~uint64_t{0}};
    std::fill_n(room.bits.begin(), size, ~uint64_t{0});
    if (const size_t last = block.count() % kWordBits) room.bits[size - 1] = (uint64_t{1} << last) - 1;
    for (;;) {
        const Node& node = nodes_[own.node];
        uint64_t* const bits = room.bits.data() + waiting.size() * size;
        const bool has_arrived = is_leaf(own.node);
        if (has_arrived || are_few(bits, own.words)) {
            if (has_arrived) {
                expect(own.node);
                each_row(bits, own.words, [&](uint32_t row) { room.rows.push_back(row); });
                room.arrivals.push_back({own.node, static_cast<uint32_t>(room.rows.size())});
            } else {
                each_row(bits, own.words, [&](uint32_t row) { room.walkers.push_back({row, own.node}); });
            }
            if (waiting.empty()) return;
            own = waiting.back();
            waiting.pop_back();
            continue;
        }
        const auto [left, right] = node.children;
        prefetch(&nodes_[left]);
        prefetch(&nodes_[right]);
        const Block::Column& column = block[static_cast<size_t>(node.feature)];
        const bool low_left = column.low <= node.threshold, high_left = column.high <= node.threshold;
        if (column.is_low && low_left == high_left) {
            own.node = low_left ? left : right;
            continue;
        }
        uint64_t* const left_bits = bits + size;
        const auto parted = part(bits, left_bits, own.words, column, node.threshold, sends_missing_left(own.node));
        if (parted.left == 0) {
            own.node = right;
            continue;
        }
        if (parted.right)
            waiting.push_back({right, parted.right});
        else  // all: they stay in their place
            for (uint64_t words = parted.left; words; words &= words - 1)
                bits[std::countr_zero(words)] = left_bits[std::countr_zero(words)];
        own = {left, parted.left};
    }
}

template <bool kMissingLeft, class Expect>
void Tree::descend_alone(const Block& block, Room& room, Expect expect) const {
    const std::vector<Walker>& walkers = room.walkers;
    if (walkers.empty()) return;
    Walker going[kAbreast];
    size_t next = 0, arrived = 0;
    bool is_new[kAbreast];  // if there are few, the last one goes more than once, and arrives once
    const auto begin = [&](size_t place) {
        is_new[place] = next < walkers.size();
        going[place] = walkers[is_new[place] ? next++ : walkers.size() - 1];
    };
    for (size_t place = 0; place < kAbreast; ++place) begin(place);
    while (arrived < walkers.size()) {
        for (int step = 0; step < kSteps; ++step)
            for (auto& [row, at] : going) {
                const Node& node = nodes_[at];
                const float value = block.row(row)[node.feature];
                bool is_right = !(value <= node.threshold);  // a missing value, NaN, is at most nothing
                if constexpr (kMissingLeft) is_right &= !(std::isnan(value) && missing_left_[at]);
                at = node.children[is_right];
            }
        for (size_t place = 0; place < kAbreast; ++place) {
            const Walker& walker = going[place];
            if (!is_new[place] || !is_leaf(walker.node)) continue;
            expect(walker.node);
            room.rows.push_back(walker.row);
            room.arrivals.push_back({walker.node, static_cast<uint32_t>(room.rows.size())});
            ++arrived;
            begin(place);
        }
    }
}

template <class Expect>
void Tree::descend(const Block& block, Room& room, Expect expect) const {
    room.walkers.clear();
    room.arrivals.clear();
    room.rows.clear();
    if (block.count() == 0) return;
    descend_together(block, room, expect);
    if (missing_left_.empty())
        descend_alone<false>(block, room, expect);
    else
        descend_alone<true>(block, room, expect);
}

// Values of leaves are all over the memory: they are fetched while other rows are on their way.
void Tree::add(const Block& block, const double* values, size_t classes, double* sums, Room& room) const {
    const auto values_of = [=](int32_t leaf) { return values + static_cast<size_t>(leaf) * classes; };
    descend(block, room, [=](int32_t leaf) { prefetch(values_of(leaf)); });
    const uint32_t* row = room.rows.data();
    for (const Arrival& arrival : room.arrivals) {
        const uint32_t* const end = room.rows.data() + arrival.end;
        const double* const value = values_of(arrival.leaf);
        if (classes == 2) {  // most often
            const double first = value[0], second = value[1];
            for (; row < end; ++row) {
                double* const sum = sums + 2 * static_cast<size_t>(*row);
                sum[0] += first;
                sum[1] += second;
            }
        }
        for (; row < end; ++row)
            for (size_t c = 0; c < classes; ++c) sums[*row * classes + c] += value[c];
    }
}

void Tree::find_leaves(const Block& block, int32_t* leaves, Room& room) const {
    descend(block, room, [](int32_t) {});
    const uint32_t* row = room.rows.data();
    for (const Arrival& arrival : room.arrivals)
        for (; row < room.rows.data() + arrival.end; ++row) leaves[*row] = arrival.leaf;
}

}  // namespace lormika
