// All items as bitsets over the rows, with the rows of each class that have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bits.hpp"
#include "search.hpp"

namespace lormika {

// Rows of each class that match some conditions, and of all classes.
struct Cover {
    const int32_t* counts;
    int rows;
};

struct ItemTable {
    int rows;
    Layout layout;
    std::vector<uint64_t> bits;       // items x words
    std::vector<int32_t> counts;      // items x classes
    std::vector<int32_t> feature_of;  // items
    std::vector<char> of_instance;    // items
    std::vector<double> weight;       // items: that of their feature
    std::vector<int32_t> rows_of_class;

    ItemTable(const Table& table, const int32_t* instance)
        : rows(table.rows), layout(table.classes), rows_of_class(table.classes, 0) {
        for (int r = 0; r < rows; ++r) ++rows_of_class[table.labels[r]];
        layout.fit(rows_of_class.data());
        const std::vector<int32_t> order = by_class(table);

        const int items = std::accumulate(table.sizes, table.sizes + table.features, 0);
        const size_t words = layout.words();
        bits.assign(items * words, 0);
        for (int f = 0, first = 0; f < table.features; first += table.sizes[f++]) {
            for (int v = 0; v < table.sizes[f]; ++v) {
                feature_of.push_back(f);
                of_instance.push_back(instance[f] == v);
                weight.push_back(table.weights[f]);
            }
            set_bits(table.items + static_cast<size_t>(f) * rows, table.sizes[f], order, bits.data() + first * words);
        }
        counts.resize(static_cast<size_t>(items) * table.classes);
        for (int i = 0; i < items; ++i) count(bits_of(i), bits_of(i), counts.data() + static_cast<size_t>(i) * table.classes);
    }

    // Rows of each class that two bitsets share.
    void count(const uint64_t* x, const uint64_t* y, int32_t* shared) const {
        for (int c = 0; c < layout.classes(); ++c) {
            const int from = layout.begin[c], words = layout.begin[c + 1] - from;
            shared[c] = static_cast<int32_t>(counter().count_pair(x + from, y + from, words));
        }
    }

    bool is_weighted() const {
        return std::any_of(weight.begin(), weight.end(), [](double w) { return w != 0 && w != 1; });
    }

    int size() const { return static_cast<int>(feature_of.size()); }
    const uint64_t* bits_of(int item) const { return bits.data() + static_cast<size_t>(item) * layout.words(); }

    Cover cover_of(int item) const {
        const int32_t* its = counts.data() + static_cast<size_t>(item) * layout.classes();
        return {its, std::accumulate(its, its + layout.classes(), 0)};
    }
    Cover everything() const { return {rows_of_class.data(), rows}; }

private:
    // Row numbers sorted by class.
    std::vector<int32_t> by_class(const Table& table) const {
        std::vector<int32_t> next(table.classes, 0), order(rows);
        for (int c = 1; c < table.classes; ++c) next[c] = next[c - 1] + rows_of_class[c - 1];
        for (int r = 0; r < rows; ++r) order[next[table.labels[r]]++] = r;
        return order;
    }

    // The bitsets of one feature's items, word by word. Few items are told by the bits of their numbers, which are
    // collected in registers; many are set one by one.
    void set_bits(const int32_t* item, int size, const std::vector<int32_t>& order, uint64_t* target) const {
        const size_t words = layout.words();
        const int32_t* row = order.data();
        for (int c = 0; c < layout.classes(); ++c)
            for (int done = 0; done < rows_of_class[c]; done += 64) {
                uint64_t* word = target + layout.begin[c] + done / 64;
                const int filled = std::min(64, rows_of_class[c] - done);
                if (size > 4) {
                    for (int b = 0; b < filled; ++b) word[item[row[b]] * words] |= uint64_t{1} << b;
                } else {
                    uint64_t ones = 0, twos = 0;
                    for (int b = 0; b < filled; ++b) {
                        const uint64_t number = item[row[b]];
                        ones |= (number & 1) << b;
                        twos |= (number >> 1) << b;
                    }
                    const uint64_t all = ~uint64_t{0} >> (64 - filled);
                    for (int v = 0; v < size; ++v) word[v * words] = (v & 1 ? ones : ~ones) & (v & 2 ? twos : ~twos) & all;
                }
                row += filled;
            }
    }
};

}  // namespace lormika
