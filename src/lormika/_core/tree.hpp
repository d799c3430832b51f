// A decision tree in a form in which many rows go down it together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "block.hpp"

namespace lormika {

// One value of each node of a tree, `stride` bytes after that of the node before.
template <class T>
struct Field {
    const T* first;
    ptrdiff_t stride;
    T operator[](size_t node) const {
        return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) + static_cast<ptrdiff_t>(node) * stride);
    }
};

// A tree as scikit-learn keeps it. A row goes left if its value is at most the threshold, or if it is missing (NaN) and
// `missing_left`; a node without a left child (below 0) is a leaf.
struct GrownTree {
    size_t nodes;
    Field<int64_t> left, right, feature;
    Field<double> threshold;
    Field<uint8_t> missing_left;
};

// A row, and the node that it has come to.
struct Walker {
    uint32_t row;
    int32_t node;
};

// Rows at a leaf: as far as this end, from that of the leaf before.
struct Arrival {
    int32_t leaf;
    uint32_t end;
};

// Room to work in, for as many trees and blocks as one likes.
struct Room {
    std::vector<uint64_t> bits;
    std::vector<Walker> walkers;    // that go on alone
    std::vector<Arrival> arrivals;  // of the rows, one leaf after the other
    std::vector<uint32_t> rows;
};

class Tree {
public:
    // Children come after their parents, so that every way ends; std::invalid_argument if they do not, or if a position
    // points outside the tree or the features.
    Tree(const GrownTree& grown, size_t features);

    size_t size() const { return nodes_.size(); }

    // To the sums of each row (rows x classes), add the values of the leaf that it reaches (nodes x classes).
    void add(const Block& block, const double* values, size_t classes, double* sums, Room& room) const;

    // The leaf that each row reaches.
    void find_leaves(const Block& block, int32_t* leaves, Room& room) const;

private:
    // A leaf is its own child: a row that has arrived stays there.
    struct Node {
        float threshold;
        int32_t feature;
        int32_t children[2];
    };

    bool is_leaf(int32_t node) const { return nodes_[node].children[0] == node; }
    bool sends_missing_left(int32_t node) const { return !missing_left_.empty() && missing_left_[node]; }
    // `expect` is called with each leaf that is reached.
    template <class Expect>
    void descend(const Block& block, Room& room, Expect expect) const;
    template <class Expect>
    void descend_together(const Block& block, Room& room, Expect expect) const;
    template <bool kMissingLeft, class Expect>
    void descend_alone(const Block& block, Room& room, Expect expect) const;

    std::vector<Node> nodes_;
    std::vector<uint8_t> missing_left_;  // empty: nowhere
    size_t depth_ = 0;
};

}  // namespace lormika
