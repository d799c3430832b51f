// A decision tree in a form in which many rows go down it together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

// Rows of a table, few enough, some thousand, to stay in the processor's cache meanwhile; by rows and by columns.
struct Block {
    const float* rows;     // count x features
    const float* columns;  // features x count
    size_t count;
};

class Tree {
   public:
    // Children come after their parents, so that every way ends; std::invalid_argument if they do not, or if a position
    // points outside the tree or the features.
    Tree(const GrownTree& grown, size_t features);

    size_t size() const { return nodes_.size(); }
    size_t features() const { return features_; }

    // To the sums of each row (rows x classes), add the values of the leaf that it reaches (nodes x classes).
    void add(const Block& block, const double* values, size_t classes, double* sums) const;

   private:
    // A leaf is its own child: a row that has arrived stays there.
    struct Node {
        float threshold;
        int32_t feature;
        int32_t children[2];
    };

    // A row, and the node that it has come to.
    struct Walker {
        uint32_t row;
        int32_t node;
    };

    bool sends_missing_left(int32_t node) const { return !missing_left_.empty() && missing_left_[node]; }
    void descend(const Block& block, int32_t* leaves) const;
    template <bool kMissingLeft>
    void descend_alone(const float* rows, const std::vector<Walker>& walkers, int32_t* leaves) const;

    std::vector<Node> nodes_;
    std::vector<uint8_t> missing_left_;  // empty: nowhere
    size_t features_;
};

}  // namespace lormika
