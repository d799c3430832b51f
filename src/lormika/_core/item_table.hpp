// All items as bitsets over the rows, with the rows of each class that have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bits.hpp"
#include "lanes.hpp"
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
        const std::vector<int32_t> places = places_of(table);

        const int items = std::accumulate(table.sizes, table.sizes + table.features, 0);
        const size_t words = layout.words();
        bits.assign(items * words, 0);
        std::vector<uint8_t> numbers(words * kWordBits, kNoItem);
        for (int f = 0, first = 0; f < table.features; first += table.sizes[f++]) {
            for (int v = 0; v < table.sizes[f]; ++v) {
                feature_of.push_back(f);
                of_instance.push_back(instance[f] == v);
                weight.push_back(table.weights[f]);
            }
            const int32_t* const item = table.items + static_cast<size_t>(f) * rows;
            if (table.sizes[f] > kMostAtOnce)
                set_one_by_one(item, places, bits.data() + first * words);
            else
                set_at_once(item, table.sizes[f], places, numbers, bits.data() + first * words);
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
    static constexpr int kMostAtOnce = 24;    // items of a feature: setting bits one by one is quicker if there are more
    static constexpr uint8_t kNoItem = 0xFF;  // between two classes

    // The bit of each row.
    std::vector<int32_t> places_of(const Table& table) const {
        std::vector<int32_t> next(table.classes), places(rows);
        for (int c = 0; c < table.classes; ++c) next[c] = layout.begin[c] * static_cast<int32_t>(kWordBits);
        for (int r = 0; r < rows; ++r) places[r] = next[table.labels[r]]++;
        return places;
    }

    // The bitsets of one feature's items: which rows have the first one, which the second, and so on.
    void set_at_once(const int32_t* item, int size, const std::vector<int32_t>& places, std::vector<uint8_t>& numbers,
                     uint64_t* target) const {
        for (int r = 0; r < rows; ++r) numbers[places[r]] = static_cast<uint8_t>(item[r]);
        for (int v = 0; v < size; ++v)
            for (int w = 0; w < layout.words(); ++w) *target++ = equal(numbers.data() + w * kWordBits, static_cast<uint8_t>(v));
    }

    void set_one_by_one(const int32_t* item, const std::vector<int32_t>& places, uint64_t* target) const {
        const size_t words = layout.words();
        for (int r = 0; r < rows; ++r) {
            const auto place = static_cast<size_t>(places[r]);
            target[item[r] * words + place / kWordBits] |= uint64_t{1} << place % kWordBits;
        }
    }
};

}  // namespace lormika
