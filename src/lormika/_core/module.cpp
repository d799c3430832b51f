// The Python face of the core: arrays in; distances, or a list of rules, out.
#include <nanobind/stl/vector.h>

#include <string>

#include "arrays.hpp"
#include "bind_tables.hpp"
#include "search.hpp"

using namespace nb::literals;

namespace {

nb::tuple search(Matrix<int32_t> items, Vector<int32_t> sizes, Vector<int32_t> labels, Matrix<int32_t> list_of_class,
                Vector<int32_t> instance, lormika::Objective objective, lormika::Filter filter, int k, int max_conditions, int min_count,
                double m, Vector<double> critical, Vector<double> weights) {
    using namespace lormika;
    const size_t features = sizes.size(), rows = labels.size(), classes = list_of_class.shape(1);
    require(items.shape(0) == features && items.shape(1) == rows, "items must be features x rows");
    require(instance.size() == features, "instance must have one item per feature");
    require(list_of_class.shape(0) == 2, "list_of_class must be 2 x classes");
    require(max_conditions >= 1 && max_conditions <= kMostConditions, "max_conditions out of range");
    require(k >= 1 && min_count >= 1 && m >= 0, "k, min_count or m out of range");
    require(weights.size() == features, "weights must have one value per feature");
    require(critical.size() == kMostConditions + 1, "critical must have one value per length");
    require_below(labels.data(), rows, 0, int32_t(classes), "label out of range");
    for (size_t f = 0; f < features; ++f)
        require_below(items.data() + f * rows, rows, 0, sizes.data()[f], "item out of range");

    const Table table{int(rows), int(features), int(classes), items.data(), sizes.data(), labels.data(),
                      weights.data()};
    int lists = 0;
    for (size_t i = 0; i < list_of_class.size(); ++i) lists = std::max(lists, list_of_class.data()[i] + 1);
    const Lists groups{lists, list_of_class.data(), instance.data()};
    Options options{objective, filter, k, max_conditions, min_count, m, {}};
    std::copy_n(critical.data(), critical.size(), options.critical.begin());

    Result result;
    {
        nb::gil_scoped_release release;
        result = lormika::search(table, groups, options, [] {
            nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        });
    }

    nb::list rules;
    for (const FoundRule& rule : result.rules) {
        const std::vector<int32_t> conditions(rule.items.begin(), rule.items.begin() + rule.length);
        rules.append(nb::make_tuple(conditions, rule.consequent, rule.antecedent_rows, rule.both_rows, rule.score,
                                    rule.p_value));
    }
    return nb::make_tuple(rules, result.nodes);
}

std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

// The widest instructions of this processor that the kernels have a version for; see bits.cpp.
std::string instructions() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return "AVX-512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return "AVX2";
    return "SSE2";
#else
    return "portable";
#endif
}

}  // namespace

NB_MODULE(kernels, m) {
    m.doc() = "Bitset search, distance scan, and rows that are the same.";
    m.attr("build") = nb::str(("C++20, " + compiler() + ", " + instructions()).c_str());
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
    m.def("search", &search, "items"_a, "sizes"_a, "labels"_a, "list_of_class"_a, "instance"_a, "objective"_a,
          "filter"_a, "k"_a, "max_conditions"_a, "min_count"_a, "m"_a, "critical"_a, "weights"_a,
          "The k best rules of each list, best first, as (items, class, rows, rows of the class, score, p-value); and the "
          "number of condition sets that were counted.");
    bind_tables(m);
}
