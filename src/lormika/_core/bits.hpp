// Bitsets of rows. Rows are sorted by class and each class owns whole 64-bit words ("segment"), so that one
// AND + popcount pass over two bitsets yields the count of every class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "count.hpp"

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

// Some words, one every `step`.
template <class Word>
struct Strided {
    Word* first;
    int step;
    Word& operator[](int w) const { return first[static_cast<size_t>(w) * step]; }
};

// Bitsets in blocks, as they are counted; see count.hpp.
class Blocks {
public:
    // Room for so many bitsets; what is in it is undefined, except that the lanes after the last one are empty.
    void resize(size_t size, int words) {
        words_ = words;
        lines_.resize((size + kLanes - 1) / kLanes * words);
        for (size_t s = size; s % kLanes != 0; ++s)
            for (int w = 0; w < words; ++w) (*this)[s][w] = 0;
    }

    Strided<uint64_t> operator[](size_t s) { return {lines_[s / kLanes * words_].lane + s % kLanes, kLanes}; }
    Strided<const uint64_t> operator[](size_t s) const { return {lines_[s / kLanes * words_].lane + s % kLanes, kLanes}; }

    const Line* data() const { return lines_.data(); }
    int words() const { return words_; }

private:
    int words_ = 0;
    std::vector<Line> lines_;
};

// The bits of `source` at the set bits of `mask`, closed up within each class: `to` is laid out for the rows of mask.
void project(const Layout& from, const Layout& to, Strided<const uint64_t> source, const uint64_t* mask,
             Strided<uint64_t> target);

}  // namespace lormika
