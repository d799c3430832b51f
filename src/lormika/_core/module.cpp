// The Python face of the core: arrays in; distances, or a list of rules, out.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <numeric>
#include <string>

#include "arrays.hpp"
#include "bind_tables.hpp"
#include "bind_forest.hpp"
#include "bits.hpp"
#include "search.hpp"

using namespace nb::literals;

namespace {

// Whether Ctrl-C was pressed, and what was found is to be kept; else it is thrown on, like what any other signal raises.
bool is_interrupted(bool keep) {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0) return false;
    if (!keep || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();
    return true;
}

nb::tuple search(Matrix<int32_t> items, Vector<int32_t> sizes, Vector<int32_t> labels, Matrix<int32_t> list_of_class,
                 Vector<int32_t> instance, lormika::Objective objective, lormika::Filter filter, int k, int max_conditions,
                 int min_count, double m, Vector<double> critical, Vector<double> weights, Vector<uint8_t> allowed, int n_jobs,
                 double time_limit, int64_t node_limit, bool keep_on_interrupt) {
    using namespace lormika;
    const size_t features = sizes.size(), rows = labels.size(), classes = list_of_class.shape(1);
    require(items.shape(0) == features && items.shape(1) == rows, "items must be features x rows");
    require(instance.size() == features, "instance must have one item per feature");
    require(list_of_class.shape(0) == 2, "list_of_class must be 2 x classes");
    require(max_conditions >= 1 && max_conditions <= kMostConditions, "max_conditions out of range");
    require(n_jobs >= 1 && time_limit >= 0 && node_limit >= 0, "n_jobs, time_limit or node_limit out of range");
    require(k >= 1 && min_count >= 1 && m >= 0, "k, min_count or m out of range");
    require(weights.size() == features, "weights must have one value per feature");
    require(std::accumulate(sizes.data(), sizes.data() + features, size_t{0}) == allowed.size(),
            "allowed must have one value per item");
    require(critical.size() == kMostConditions + 1, "critical must have one value per length");
    require_below(labels.data(), rows, 0, int32_t(classes), "label out of range");
    for (size_t f = 0; f < features; ++f) require_below(items.data() + f * rows, rows, 0, sizes.data()[f], "item out of range");

    const Table table{int(rows), int(features), int(classes), items.data(), sizes.data(), labels.data(), weights.data()};
    int lists = 0;
    for (size_t i = 0; i < list_of_class.size(); ++i) lists = std::max(lists, list_of_class.data()[i] + 1);
    require(lists <= kMostLists, "too many lists");
    const Lists groups{lists, list_of_class.data(), instance.data(), allowed.data()};
    Options options{objective, filter, k, max_conditions, min_count, m, {}};
    std::copy_n(critical.data(), critical.size(), options.critical.begin());

    const Stops stops{time_limit, node_limit, [=] { return is_interrupted(keep_on_interrupt); }};
    Result result;
    {
        nb::gil_scoped_release release;
        result = lormika::search(table, groups, options, stops, n_jobs);
    }

    nb::list rules;
    for (const FoundRule& rule : result.rules) {
        const std::vector<int32_t> conditions(rule.items.begin(), rule.items.begin() + rule.length);
        rules.append(
            nb::make_tuple(conditions, rule.consequent, rule.antecedent_rows, rule.both_rows, rule.score, rule.p_value));
    }
    return nb::make_tuple(rules, result.nodes, result.stopped, result.open);
}

std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(_MSC_VER)
    return "MSVC " + std::to_string(_MSC_VER);
#else
    return "gcc " __VERSION__;
#endif
}

// What a counter of the given name makes of bitsets, of which the first is the base: counts of each class, bits shared at all,
// and whether they pass the screen. For tests: the search takes the fastest one.
nb::tuple count(const std::string& name, Matrix<uint64_t> bitsets, Vector<int32_t> begin, int least_rows,
                Vector<int32_t> least_both, Vector<int32_t> most_other) {
    using namespace lormika;
    const size_t size = bitsets.shape(0), words = bitsets.shape(1), classes = least_both.size();
    require(size > 0 && begin.size() == classes + 1 && most_other.size() == classes, "one value for each class");
    require(begin.data()[0] == 0 && size_t(begin.data()[classes]) == words, "classes must fit the words");
    const Counter* const* own = kCounters;
    while (*own != nullptr && !((*own)->name == name && (*own)->runs())) ++own;
    require(*own != nullptr, "no such counter on this processor");
    Blocks blocks;
    blocks.resize(size, int(words));
    std::vector<int64_t> shared(size);
    for (size_t s = 0; s < size; ++s) {
        const uint64_t* bits = bitsets.data() + s * words;
        shared[s] = (*own)->count_pair(bitsets.data(), bits, words);
        for (size_t w = 0; w < words; ++w) blocks[s][int(w)] = bits[w];
    }
    std::vector<int> chosen((size + kLanes - 1) / kLanes);
    std::iota(chosen.begin(), chosen.end(), 0);
    std::vector<int32_t> counts(chosen.size() * classes * kLanes);
    std::vector<uint8_t> lanes(chosen.size());
    (*own)->count({int(classes), begin.data(), begin.data() + 1, bitsets.data(), blocks.data(), words, chosen.data(),
                   int(chosen.size()), counts.data()},
                  {least_rows, least_both.data(), most_other.data()}, lanes.data());
    std::vector<std::vector<int32_t>> by_class(size);
    std::vector<bool> passes(size);
    for (size_t s = 0; s < size; ++s) {
        for (size_t c = 0; c < classes; ++c) by_class[s].push_back(counts[(s / kLanes * classes + c) * kLanes + s % kLanes]);
        passes[s] = lanes[s / kLanes] >> s % kLanes & 1;
    }
    return nb::make_tuple(by_class, shared, passes);
}

std::vector<std::string> counters() {
    std::vector<std::string> names;
    for (const lormika::Counter* const* each = lormika::kCounters; *each != nullptr; ++each)
        if ((*each)->runs()) names.push_back((*each)->name);
    return names;
}

}  // namespace

NB_MODULE(kernels, m) {
    // A thread that is at work when Python ends keeps what it uses, which is no fault: users need not read of it.
    nb::set_leak_warnings(false);
    m.doc() = "Bitset search, distance scan, rows that are the same, and decision trees.";
    m.attr("build") = nb::str(("C++20, " + compiler() + ", " + lormika::counter().name).c_str());
    using lormika::Filter, lormika::Objective;
    nb::enum_<Objective>(m, "Objective")
        .value("SUPPORT", Objective::support)
        .value("COVERAGE", Objective::coverage)
        .value("CONFIDENCE", Objective::confidence)
        .value("LIFT", Objective::lift)
        .value("LEVERAGE", Objective::leverage);
    nb::enum_<Filter>(m, "Filter")
        .value("NONE", Filter::none)
        .value("NONREDUNDANT", Filter::nonredundant)
        .value("PRODUCTIVE", Filter::productive)
        .value("SIGNIFICANT", Filter::significant);
    using lormika::Stopped;
    nb::enum_<Stopped>(m, "Stopped")
        .value("NO", Stopped::no)
        .value("TIME", Stopped::time)
        .value("NODES", Stopped::nodes)
        .value("INTERRUPT", Stopped::interrupt);
    m.def("counters", &counters, "Ways of counting bits that this processor has, the fastest first; that is the one used.");
    m.def("count", &count, "counter"_a, "bitsets"_a, "begin"_a, "least_rows"_a, "least_both"_a, "most_other"_a,
          "Counts, bits shared with the first bitset, and whether they pass, by one of the counters.");
    m.def("search", &search, "items"_a, "sizes"_a, "labels"_a, "list_of_class"_a, "instance"_a, "objective"_a, "filter"_a,
          "k"_a, "max_conditions"_a, "min_count"_a, "m"_a, "critical"_a, "weights"_a, "allowed"_a, "n_jobs"_a = 1,
          "time_limit"_a = std::numeric_limits<double>::infinity(), "node_limit"_a = std::numeric_limits<int64_t>::max(),
          "keep_on_interrupt"_a = false,
          "The k best rules of each list, best first, as (items, class, rows, rows of the class, score, p-value); the number "
          "of condition sets that were looked at; whether it was stopped early; and, if so, the most that a rule which is "
          "missing from each list can be worth (NaN: none is missing).");
    bind_tables(m);
    bind_forest(m);
}
