// Searches on made tables, without Python: for sanitizers and for other systems; `build` compiles it.
//
// Everything is counted once more in the plainest way. Prints a digest of all rules, the same on every machine.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "../../src/lormika/_core/cells.hpp"
#include "../../src/lormika/_core/count.hpp"
#include "../../src/lormika/_core/distinct.hpp"
#include "../../src/lormika/_core/fisher.hpp"
#include "../../src/lormika/_core/forest.hpp"
#include "../../src/lormika/_core/ranges.hpp"
#include "../../src/lormika/_core/search.hpp"

using namespace lormika;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

// The same numbers everywhere, which the standard library's distributions are not.
struct Draws {
    uint64_t state;
    uint64_t word() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint64_t mixed = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9u;
        return mixed ^ (mixed >> 32);
    }
    int below(int bound) { return static_cast<int>(word() % static_cast<uint64_t>(bound)); }
};

struct Digest {
    uint64_t value = 0xCBF29CE484222325u;
    void add(uint64_t word) { value = (value ^ word) * 0x100000001B3u; }
};

struct MadeTable {
    int rows, classes;
    std::vector<int32_t> items, sizes, labels, instance, list_of_class;
    std::vector<double> weights;
    std::vector<uint8_t> allowed;

    MadeTable(int rows, int features, int classes, uint64_t seed) : rows(rows), classes(classes) {
        Draws draws{seed};
        for (int r = 0; r < rows; ++r) labels.push_back(draws.below(classes));
        for (int f = 0; f < features; ++f) {
            sizes.push_back(2 + f % 5);
            for (int r = 0; r < rows; ++r)  // some features depend on the class
                items.push_back(f % 3 == 0 && draws.below(3) > 0 ? labels[r] % sizes[f] : draws.below(sizes[f]));
            instance.push_back(draws.below(sizes[f]));
            weights.push_back(1.0);
            allowed.insert(allowed.end(), sizes[f], 0xFF);
        }
        for (int side = 0; side < 2; ++side)
            for (int c = 0; c < classes; ++c) list_of_class.push_back(side * 2 + (c == 0 ? 0 : 1));
    }

    Result search(Objective objective, Filter filter, int threads) const {
        Options options{objective, filter, 7, 3, 5, objective == Objective::lift ? 2.0 : 0.0, {}};
        options.critical.fill(0.001);
        const Table table{rows,          static_cast<int>(sizes.size()), classes, items.data(), sizes.data(), labels.data(),
                          weights.data()};
        const Lists lists{4, list_of_class.data(), instance.data(), allowed.data()};
        const Stops never{std::numeric_limits<double>::infinity(), std::numeric_limits<int64_t>::max(), [] { return false; }};
        return lormika::search(table, lists, options, never, threads);
    }

    bool has(int row, int item) const {
        int feature = 0;
        while (item >= sizes[feature]) item -= sizes[feature++];
        return items[static_cast<size_t>(feature) * rows + row] == item;
    }

    // Counts a rule's rows one by one.
    void check(const FoundRule& rule) const {
        int antecedent = 0, both = 0;
        for (int r = 0; r < rows; ++r) {
            bool holds = true;
            for (int i = 0; i < rule.length; ++i) holds = holds && has(r, rule.items[i]);
            antecedent += holds;
            both += holds && labels[r] == rule.consequent;
        }
        require(antecedent == rule.antecedent_rows && both == rule.both_rows, "the rows of a rule");
        require(rule.p_value >= 0 && rule.p_value <= 1, "the p-value of a rule");
    }
};

void try_searches(Digest& digest) {
    for (const auto& [rows, features, classes] : {std::array{90, 5, 2}, {700, 9, 3}, {64, 12, 5}, {1, 3, 2}})
        for (const auto objective :
             {Objective::support, Objective::coverage, Objective::confidence, Objective::lift, Objective::leverage})
            for (const auto filter : {Filter::none, Filter::nonredundant, Filter::productive, Filter::significant}) {
                const MadeTable table(rows, features, classes, static_cast<uint64_t>(rows));
                const Result one = table.search(objective, filter, 1), three = table.search(objective, filter, 3);
                require(one.rules.size() == three.rules.size(), "as many rules for any number of threads");
                for (size_t i = 0; i < one.rules.size(); ++i) {
                    const FoundRule& rule = one.rules[i];
                    require(rule.items == three.rules[i].items && rule.list == three.rules[i].list,
                            "the same rules for any number of threads");
                    table.check(rule);
                    for (int c = 0; c < rule.length; ++c) digest.add(static_cast<uint64_t>(rule.items[c]));
                    digest.add(static_cast<uint64_t>(rule.consequent));
                    digest.add(std::bit_cast<uint64_t>(rule.score));
                }
            }
}

void try_counters(Digest& digest) {
    constexpr int words = 70;
    Draws draws{5};
    std::vector<uint64_t> base(words);
    std::vector<Line> lines(words);
    for (uint64_t& word : base) word = draws.word() | draws.word();
    for (Line& line : lines)
        for (uint64_t& word : line.lane) word = draws.word() | draws.word();
    const int begin[] = {0, 33}, end[] = {33, words}, blocks[] = {0};
    const int32_t least_both[] = {800, 0}, most_other[] = {1200, 1150};
    for (const Counter* const* each = kCounters; *each != nullptr; ++each) {
        if (!(*each)->runs()) continue;
        int32_t counts[2 * kLanes];
        uint8_t lanes = 0;
        (*each)->count({2, begin, end, base.data(), lines.data(), words, blocks, 1, counts}, {1, least_both, most_other},
                       &lanes);
        for (int lane = 0; lane < kLanes; ++lane) {
            int expected[2] = {0, 0};
            for (int w = 0; w < words; ++w) expected[w >= begin[1]] += std::popcount(base[w] & lines[w].lane[lane]);
            require(counts[lane] == expected[0] && counts[kLanes + lane] == expected[1], (*each)->name);
            const bool passes = (expected[0] >= least_both[0] && expected[1] <= most_other[0]) ||
                                (expected[1] >= least_both[1] && expected[0] <= most_other[1]);
            require((lanes >> lane & 1) == passes, (*each)->name);
            if (*(each + 1) == nullptr) digest.add(static_cast<uint64_t>(expected[0]));
        }
        int64_t shared = 0;
        for (int w = 0; w < words; ++w) shared += std::popcount(base[w] & lines[0].lane[w % kLanes]);
        std::vector<uint64_t> other(words);
        for (int w = 0; w < words; ++w) other[w] = lines[0].lane[w % kLanes];
        require((*each)->count_pair(base.data(), other.data(), words) == shared, (*each)->name);
        std::fprintf(stderr, "counter: %s\n", (*each)->name);
    }
}

// The same sum of logarithms in both kinds of wide numbers, and p-values that are known: 1 / C(n, h), and one half.
void try_fisher() {
    constexpr int n = 300'000;
    Pair pair(0.0);
    long double wide = 0;
    for (int i = 2; i <= n; ++i) {
        pair = pair + std::log(static_cast<double>(i));
        wide += std::log(static_cast<double>(i));
    }
    const double expected = 3483468.5507991887;  // log(300000!)
    require(std::abs(static_cast<double>(pair) - expected) < 1e-8, "a sum of pairs");
    if (std::numeric_limits<long double>::digits >= 64)
        require(std::abs(static_cast<double>(pair - Pair(static_cast<double>(wide)))) < 1e-8, "pairs and long doubles");
    const Fisher fisher(n);
    const double choices = n * (n - 1.0) / 2;
    require(std::abs(fisher.p_value({n, 2, 2, 2}) * choices - 1) < 1e-9, "a p-value in a large table");
    require(std::abs(fisher.p_value({2, 1, 1, 1}) - 0.5) < 1e-12, "a p-value in a small table");
}

void try_tables(Digest& digest) {
    Draws draws{9};
    std::vector<uint64_t> table;
    for (int i = 0; i < 300 * 2; ++i) table.push_back(static_cast<uint64_t>(draws.below(9)));
    std::vector<int64_t> copies(300);
    const std::vector<int64_t> first = find_distinct(table.data(), 300, 2, copies.data());
    for (size_t r = 0; r < copies.size(); ++r) {
        const size_t original = static_cast<size_t>(first[static_cast<size_t>(copies[r])]);
        require(table[2 * r] == table[2 * original] && table[2 * r + 1] == table[2 * original + 1], "copies of rows");
    }
    digest.add(first.size());
    std::vector<double> ordered;
    for (int i = 0; i < 100; ++i) ordered.push_back(i / 3);
    int32_t below[7];
    cut_evenly(ordered.data(), 100, 8, below);
    for (const int32_t place : below) digest.add(static_cast<uint64_t>(place));
}

// Two columns of categories, of which one may be missing; and the same without its zeros.
void try_cells() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> encoded{1, 0, nan, 1}, tables{1, 2, 3, 0, 5, 0, 0, 7};
    const std::vector<Cells> columns{{0, 2, 2, 1}, {1, 3, 0, 2}};
    std::vector<double> outputs(6, -1.0);
    bool occurs[5] = {};
    fill_in(columns, tables.data(), encoded.data(), 2, 2, outputs.data(), 3, occurs);
    require(outputs == std::vector<double>{3, 0, 2, 5, 0, 2}, "outputs of categories");
    require(!occurs[0] && occurs[1] && occurs[2] && occurs[3] && !occurs[4], "categories that occur");
    const Sparse sparse = without_zeros(outputs.data(), 2, 3);
    require(sparse.values == std::vector<double>{3, 2, 5, 2} && sparse.starts == std::vector<int32_t>{0, 2, 4}, "no zeros");
    require(sparse.columns == std::vector<int32_t>{0, 2, 0, 2}, "columns of what is not zero");
}

// A tree of five nodes, whose second feature may be missing, in blocks of all sizes; its rows are of few kinds, or differ.
void try_forest() {
    const std::vector<int64_t> left{1, -1, 3, -1, -1}, right{2, -1, 4, -1, -1}, feature{0, -2, 1, -2, -2};
    const std::vector<double> threshold{0.1, 0, 1e39, 0, 0}, values{0, 1, 2, 3, 4};
    const std::vector<uint8_t> missing_left{0, 0, 1, 0, 0};
    const auto field = []<class T>(const std::vector<T>& own) { return Field<T>{own.data(), sizeof(T)}; };
    Forest forest(2, 1);
    for (int tree = 0; tree < 2; ++tree)
        forest.plant({5, field(left), field(right), field(feature), field(threshold), field(missing_left)}, values.data());
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    const std::vector<std::vector<float>> kinds{{0.0f, 0.0f}, {0.1f, 0.0f}, {1.0f, nan}, {1.0f, infinity}, {nan, 3.0f}};
    const int expected[] = {1, 3, 3, 4, 3};  // 0.1 in single precision is more than 0.1
    for (const size_t count : {0, 1, 5, 63, 64, 65, 1234, 4096})
        for (const bool differ : {false, true}) {
            std::vector<float> rows;
            for (size_t r = 0; r < count; ++r) rows.insert(rows.end(), kinds[r % 5].begin(), kinds[r % 5].end());
            for (size_t r = 0; differ && r < count; ++r) rows[2 * r] += static_cast<float>(r % 5 > 1) * static_cast<float>(r);
            const Block block(rows.data(), count, 2);
            std::vector<double> sums(count, 10.0);
            std::vector<int32_t> leaves(count);
            forest.add(block, sums.data());
            forest.find_leaves(block, leaves.data());
            for (size_t r = 0; r < count; ++r) {
                require(leaves[r] == expected[r % 5], "leaves of a tree");
                require(sums[r] == 10.0 + 2 * expected[r % 5], "sums of a forest");
            }
        }
}

}  // namespace

int main() {
    Digest digest;
    try_counters(digest);
    try_searches(digest);
    try_fisher();
    try_tables(digest);
    try_cells();
    try_forest();
    std::printf("%016llx\n", static_cast<unsigned long long>(digest.value));
    return 0;
}
