// The Python face of the core: arrays in; distances, or a list of rules, out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "distinct.hpp"
#include "scan.hpp"
#include "search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T, class Shape>
using In = nb::ndarray<const T, Shape, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = In<T, nb::ndim<1>>;
template <class T>
using Matrix = In<T, nb::ndim<2>>;
template <class T, class... Shape>
using Out = nb::ndarray<nb::numpy, T, Shape...>;

// A new numpy array that owns its memory.
template <class T>
std::pair<T*, Out<T, nb::ndim<1>>> make_vector(size_t size) {
    T* data = new T[size];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return {data, Out<T, nb::ndim<1>>(data, {size}, owner)};
}

Out<int64_t, nb::ndim<1>> as_array(const std::vector<int64_t>& values) {
    auto [data, array] = make_vector<int64_t>(values.size());
    std::copy(values.begin(), values.end(), data);
    return array;
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void require_below(const int32_t* values, size_t size, int32_t least, int32_t bound, const char* what) {
    bool inside = true;  // no early exit: the loop is then done many values at a time
    for (size_t i = 0; i < size; ++i) inside &= values[i] >= least && values[i] < bound;
    require(inside, what);
}

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

template <class Code>
Out<double, nb::ndim<2>> scan(Matrix<Code> codes, Vector<double> points, Vector<int64_t> offsets,
                              Vector<double> scales, Vector<bool> numeric, Matrix<double> x) {
    const size_t features = codes.shape(0), rows = codes.shape(1), instances = x.shape(0);
    require(offsets.size() == features + 1 && scales.size() == features && numeric.size() == features &&
                x.shape(1) == features,
            "offsets, scales, numeric and x must fit the features");
    require(size_t(offsets.data()[features]) == points.size(), "points must fit the offsets");
    double* squared = new double[instances * rows];
    nb::capsule owner(squared, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    {
        nb::gil_scoped_release release;
        lormika::scan<Code>({rows, features, codes.data(), points.data(), offsets.data(), scales.data(), numeric.data()},
                            x.data(), instances, squared);
    }
    return Out<double, nb::ndim<2>>(squared, {instances, rows}, owner);
}

Out<double, nb::ndim<1>> reach(Vector<double> squared, Vector<int32_t> labels, int classes, int count) {
    require(squared.size() == labels.size(), "one label per distance");
    require(count >= 1, "count out of range");
    require_below(labels.data(), labels.size(), 0, classes, "label out of range");
    auto [limits, result] = make_vector<double>(classes);
    nb::gil_scoped_release release;
    lormika::reach(squared.data(), labels.data(), squared.size(), classes, count, limits);
    return result;
}

Out<int64_t, nb::ndim<1>> within(Vector<double> squared, Vector<int32_t> labels, Vector<double> bounds) {
    require(squared.size() == labels.size(), "one label per distance");
    require_below(labels.data(), labels.size(), 0, int32_t(bounds.size()), "label out of range");
    std::vector<int64_t> rows;
    {
        nb::gil_scoped_release release;
        rows = lormika::within(squared.data(), labels.data(), squared.size(), bounds.data());
    }
    return as_array(rows);
}

nb::tuple distinct(Matrix<uint64_t> table) {
    const size_t rows = table.shape(0);
    auto [copies, numbers] = make_vector<int64_t>(rows);
    std::vector<int64_t> found;
    {
        nb::gil_scoped_release release;
        found = lormika::find_distinct(table.data(), rows, table.shape(1), copies);
    }
    return nb::make_tuple(as_array(found), numbers);
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
    m.def("scan", &scan<uint8_t>, "codes"_a, "points"_a, "offsets"_a, "scales"_a, "numeric"_a, "x"_a,
          "Squared distance of every row to each row of x.");
    m.def("scan", &scan<uint16_t>, "codes"_a, "points"_a, "offsets"_a, "scales"_a, "numeric"_a, "x"_a);
    m.def("scan", &scan<uint32_t>, "codes"_a, "points"_a, "offsets"_a, "scales"_a, "numeric"_a, "x"_a);
    m.def("reach", &reach, "squared"_a, "labels"_a, "classes"_a, "count"_a,
          "The count-th smallest squared distance of each class.");
    m.def("within", &within, "squared"_a, "labels"_a, "bounds"_a,
          "Rows whose squared distance is at most the bound of their class, ascending.");
    m.def("distinct", &distinct, "table"_a,
          "Positions of the rows that differ, in order; and which of them each row is a copy of.");
}
