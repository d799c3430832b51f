// All items as bitsets over the rows, with the rows of each class that have them.
#pragma once

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
    std::vector<uint64_t> bits;           // items x words
    std::vector<int32_t> counts;          // items x classes
    std::vector<int32_t> feature_of;      // items
    std::vector<char> of_instance;        // items
    std::vector<int32_t> rows_of_class;

    ItemTable(const Table& table, const int32_t* instance)
        : rows(table.rows), layout(table.classes), rows_of_class(table.classes, 0) {
        for (int r = 0; r < rows; ++r) ++rows_of_class[table.labels[r]];
        layout.fit(rows_of_class.data());
        const std::vector<int> place = places(table);

        const int items = std::accumulate(table.sizes, table.sizes + table.features, 0);
        const size_t words = layout.words();
        bits.assign(items * words, 0);
        for (int f = 0, first = 0; f < table.features; first += table.sizes[f++]) {
            for (int v = 0; v < table.sizes[f]; ++v) {
                feature_of.push_back(f);
                of_instance.push_back(instance[f] == v);
            }
            const int32_t* item = table.items + static_cast<size_t>(f) * rows;
            for (int r = 0; r < rows; ++r)
                bits[(first + item[r]) * words + place[r] / 64] |= uint64_t{1} << (place[r] % 64);
        }
        std::vector<int> every(items);
        std::iota(every.begin(), every.end(), 0);
        const std::vector<uint64_t> ones(words, ~uint64_t{0});
        counts.resize(static_cast<size_t>(items) * table.classes);
        count_shared(layout, ones.data(), bits.data(), every.data(), items, counts.data());
    }

    int size() const { return static_cast<int>(feature_of.size()); }
    const uint64_t* bits_of(int item) const { return bits.data() + static_cast<size_t>(item) * layout.words(); }

    Cover cover_of(int item) const {
        const int32_t* its = counts.data() + static_cast<size_t>(item) * layout.classes();
        return {its, std::accumulate(its, its + layout.classes(), 0)};
    }
    Cover everything() const { return {rows_of_class.data(), rows}; }

private:
    // Where each row's bit is: rows sorted by class.
    std::vector<int> places(const Table& table) const {
        std::vector<int> next(table.classes), place(rows);
        for (int c = 0; c < table.classes; ++c) next[c] = 64 * layout.begin[c];
        for (int r = 0; r < rows; ++r) place[r] = next[table.labels[r]]++;
        return place;
    }
};

}  // namespace lormika
