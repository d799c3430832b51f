#include "distinct.hpp"

#include <bit>
#include <cstring>

namespace lormika {

namespace {

// Doubles of small whole numbers differ in their upper bits alone: these are folded into the lower ones, by which a place
// in the table of hashes is chosen.
uint64_t mixed(uint64_t hash, uint64_t cell) {
    hash = (hash ^ cell) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

// Several sums at a time: none has to wait for another.
uint64_t hash_row(const uint64_t* row, size_t features) {
    constexpr size_t kSums = 4;
    uint64_t sums[kSums] = {}, hash = 0;
    size_t f = 0;
    for (; f + kSums <= features; f += kSums)
        for (size_t i = 0; i < kSums; ++i) sums[i] = mixed(sums[i], row[f + i]);
    for (; f < features; ++f) hash = mixed(hash, row[f]);
    for (const uint64_t sum : sums) hash = mixed(hash, sum);
    return hash;
}

}  // namespace

std::vector<int64_t> find_distinct(const uint64_t* table, size_t rows, size_t features, int64_t* copies) {
    constexpr int64_t kEmpty = -1;
    const size_t mask = std::bit_ceil(2 * rows + 1) - 1;
    std::vector<int64_t> places(mask + 1, kEmpty);  // open addressing: numbers of distinct rows
    std::vector<int64_t> first;
    for (size_t r = 0; r < rows; ++r) {
        const uint64_t* row = table + r * features;
        size_t place = hash_row(row, features) & mask;
        while (places[place] != kEmpty &&
               std::memcmp(table + first[places[place]] * features, row, features * sizeof(uint64_t)) != 0)
            place = (place + 1) & mask;
        if (places[place] == kEmpty) {
            places[place] = static_cast<int64_t>(first.size());
            first.push_back(static_cast<int64_t>(r));
        }
        copies[r] = places[place];
    }
    return first;
}

}  // namespace lormika
