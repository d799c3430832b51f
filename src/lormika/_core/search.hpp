// The k best class-association rules of a table of items, found by OPUS branch-and-bound search.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace lormika {

constexpr int kMostConditions = 6;

enum class Objective { support, coverage, confidence, lift, leverage };
enum class Filter { none, nonredundant, productive, significant };  // each implies the one before

// Each row has exactly one item of each feature. Items are numbered feature by feature, so that their numbers follow
// the order of features and, within one, of values.
struct Table {
    int rows, features, classes;
    const int32_t* items;   // features x rows: the row's item among those of the feature
    const int32_t* sizes;   // features: how many items the feature has
    const int32_t* labels;  // rows: class of each row
    const double* weights;  // features: what a rule's score is multiplied by, the least of its features; 0: no rule has it
};

constexpr int kMostLists = 4;

// Every rule belongs to at most one list, by whether it is true of the instance and by its class.
struct Lists {
    int count;
    const int32_t* of_class;  // 2 x classes: list of hypothetical (first row) and of current rules; -1: none
    const int32_t* instance;  // features: the instance's item among those of the feature; -1: none
    const uint8_t* allowed;   // items: a bit for each list whose rules may have the item

    // The place of a rule, as a bit: its list, and whether it is hypothetical (0) or current (1). 0: it has no list.
    unsigned place(int side, int c, int classes) const {
        const int list = of_class[side * classes + c];
        return list < 0 ? 0u : 1u << (side * kMostLists + list);
    }
};

struct Options {
    Objective objective;
    Filter filter;
    int k;
    int max_conditions;
    int min_count;
    double m;
    std::array<double, kMostConditions + 1> critical;  // critical p-value by number of conditions
};

struct FoundRule {
    int list;
    int length;
    std::array<int32_t, kMostConditions> items;  // ascending
    int consequent;
    int antecedent_rows;
    int both_rows;
    double score;
    double worth;  // score x weight: what rules are ordered by
    double p_value;
};

enum class Stopped { no, time, nodes, interrupt };

// When to stop early. `poll` is called now and then by the thread that called: true stops the search, and what was found is
// kept; it may also throw.
struct Stops {
    double seconds;
    int64_t nodes;  // that a thread looks at
    std::function<bool()> poll;
};

struct Result {
    std::vector<FoundRule> rules;  // list by list, best first
    int64_t nodes;                 // condition sets that were looked at
    Stopped stopped;
    std::vector<double> open;  // lists: the most that a rule which was not looked at can be worth; NaN: none can enter
};

// The rules are the same for any number of threads.
Result search(const Table& table, const Lists& lists, const Options& options, const Stops& stops, int threads);

}  // namespace lormika
