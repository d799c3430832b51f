// Counting the rows that bitsets share, many bitsets at a time, with the widest instructions that the processor has.
//
// Bitsets lie in blocks of eight, word by word: a line holds the same word of each ("lane"). So every instruction works on
// several bitsets, nothing is summed across a register, and short bitsets are counted as fast, word for word, as long ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lormika {

constexpr int kLanes = 8;

struct alignas(64) Line {
    uint64_t lane[kLanes];
};

// What is counted: in each chosen block and for each class, the bits that every lane shares with `base` in words
// [begin[c], end[c]).
struct Counting {
    int classes;
    const int* begin;
    const int* end;
    const uint64_t* base;
    const Line* bits;  // block b begins at b * words
    size_t words;
    const int* blocks;
    int n_blocks;
    int32_t* counts;  // blocks x classes x lanes
};

// What is looked for: lanes with so many rows, and for some class at least so many rows of it and at most so many others.
struct Screen {
    int32_t least_rows;
    const int32_t* least_both;  // classes; more than there are rows: the class is not in question
    const int32_t* most_other;  // classes
};

// Raw pointers only: the files that implement this are compiled for different processors, and what they share with others,
// such as the functions of a vector, must not be.
struct Counter {
    const char* name;

    // Counts, and says for each block which lanes pass.
    void (*count)(const Counting& what, const Screen& screen, uint8_t* lanes);

    // Bits that two bitsets share, which lie in consecutive words.
    int64_t (*count_pair)(const uint64_t* x, const uint64_t* y, size_t words);

    bool (*runs)();  // on this processor
};

// All counters that were compiled, the fastest first; the last one runs everywhere. Ends with null.
extern const Counter* const kCounters[];

// The fastest one that runs on this processor.
const Counter& counter();

}  // namespace lormika
