// Decision trees whose answers are added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "block.hpp"
#include "tree.hpp"

namespace lormika {

class Forest {
   public:
    Forest(size_t features, size_t classes) : features_(features), classes_(classes) {}

    size_t features() const { return features_; }
    size_t classes() const { return classes_; }
    size_t size() const { return trees_.size(); }

    // Values (nodes x classes) stay where they are for as long as the forest is used.
    void plant(const GrownTree& grown, const double* values) { trees_.push_back({Tree(grown, features_), values}); }

    // To the sums of each row (rows x classes), add the values of its leaf in every tree, one tree after the other.
    void add(const Block& block, double* sums) const {
        Room room;
        for (const auto& [tree, values] : trees_) tree.add(block, values, classes_, sums, room);
    }

    // The leaf that each row reaches in the first tree: rows that share it are alike.
    void find_leaves(const Block& block, int32_t* leaves) const {
        Room room;
        trees_.front().tree.find_leaves(block, leaves, room);
    }

   private:
    struct Planted {
        Tree tree;
        const double* values;
    };

    size_t features_, classes_;
    std::vector<Planted> trees_;
};

}  // namespace lormika
