// Bitsets of rows. Rows are sorted by class and each class owns whole 64-bit words ("segment"), so that one
// AND + popcount pass over two bitsets yields the count of every class.
#pragma once

#include <cstdint>
#include <vector>

namespace lormika {

// Words [begin[c], begin[c + 1]) hold the rows of class c.
struct Layout {
    std::vector<int> begin;

    explicit Layout(int classes = 0) : begin(classes + 1, 0) {}
    int classes() const { return static_cast<int>(begin.size()) - 1; }
    int words() const { return begin.back(); }

    // Room for so many rows of each class.
    void fit(const int32_t* rows_of_class) {
        for (int c = 0; c < classes(); ++c) begin[c + 1] = begin[c] + (rows_of_class[c] + 63) / 64;
    }
};

// For each of the chosen bitsets: rows of each class that it shares with `base`.
// `bits` holds bitset s at s * layout.words(); counts are written as chosen x classes.
void count_shared(const Layout& layout, const uint64_t* base, const uint64_t* bits, const int* chosen, int n_chosen,
                  int32_t* counts);

// The bits of `source` at the set bits of `mask`, closed up within each class: `to` is laid out for the rows of mask.
void project(const Layout& from, const Layout& to, const uint64_t* source, const uint64_t* mask, uint64_t* target);

}  // namespace lormika
