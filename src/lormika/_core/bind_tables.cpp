// The Python face of the kernels that read, make and cut tables.
#include "bind_tables.hpp"

#include <cstdint>
#include <limits>

#include "arrays.hpp"
#include "cells.hpp"
#include "distinct.hpp"
#include "mix.hpp"
#include "ordered.hpp"
#include "ranges.hpp"
#include "scan.hpp"

using namespace nb::literals;

namespace {

template <class T>
lormika::Ordered<T> ordered(const Vector<T>& values, const Vector<int64_t>& begin, const Vector<int64_t>& end) {
    require(begin.size() == end.size(), "begin and end must have one value per feature");
    for (size_t f = 0; f < begin.size(); ++f)
        require(0 <= begin.data()[f] && begin.data()[f] <= end.data()[f] && size_t(end.data()[f]) <= values.size(),
                "begin and end must lie within values");
    return {values.data(), begin.data(), end.data()};
}

template <class T>
Out<int64_t, nb::ndim<1>> places(Vector<T> values, Vector<int64_t> begin, Vector<int64_t> end, Vector<int64_t> features,
                                 Vector<T> wanted) {
    const lormika::Ordered<T> sorted = ordered(values, begin, end);
    require(features.size() == wanted.size(), "one feature per value");
    require_below<int64_t>(features.data(), features.size(), 0, begin.size(), "feature out of range");
    auto [data, array] = make_vector<int64_t>(wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
        const auto f = static_cast<size_t>(features.data()[i]);
        data[i] = static_cast<int64_t>(lormika::count_less(sorted.of(f), sorted.size(f), wanted.data()[i]));
    }
    return array;
}

Out<double, nb::ndim<2>> sum_groups(Matrix<double> fields, Vector<int64_t> places, Vector<int64_t> groups,
                                    Vector<double> weights, size_t size) {
    const size_t count = fields.shape(0), rows = fields.shape(1);
    require(groups.size() == places.size() && weights.size() == places.size(), "one group and weight per place");
    require_below<int64_t>(places.data(), places.size(), 0, rows, "place out of range");
    require_below<int64_t>(groups.data(), groups.size(), 0, size, "group out of range");
    auto [sums, result] = make_matrix<double>(size, count);
    std::fill(sums, sums + size * count, 0.0);
    for (size_t i = 0; i < places.size(); ++i) {
        double* own = sums + groups.data()[i] * count;
        const double* row = fields.data() + places.data()[i];
        for (size_t f = 0; f < count; ++f) own[f] += row[f * rows] * weights.data()[i];
    }
    return result;
}

Out<double, nb::ndim<2>> mix(Matrix<double> table, Vector<bool> numeric, Vector<double> means, Matrix<int64_t> parents,
                             Vector<int64_t> closest, Vector<double> step) {
    const size_t features = table.shape(0), rows = table.shape(1), count = step.size();
    require(numeric.size() == features && means.size() == features, "numeric and means must fit the features");
    require((parents.shape(0) == 2 || parents.shape(0) == 3) && parents.shape(1) == count && closest.size() == count,
            "two or three parents, a closest one and a step for each row");
    require_below<int64_t>(parents.data(), parents.size(), 0, rows, "parent out of range");
    require_below<int64_t>(closest.data(), count, 0, rows, "closest out of range");
    auto [made, result] = make_matrix<double>(features, count);
    nb::gil_scoped_release release;
    lormika::mix(table.data(), features, rows, numeric.data(), means.data(),
                 {count, parents.shape(0), parents.data(), closest.data(), step.data()}, made);
    return result;
}

Out<int32_t, nb::ndim<2>> snap(Vector<double> values, Vector<int64_t> begin, Vector<int64_t> end, Vector<bool> numeric,
                               nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> numbers) {
    const lormika::Ordered<double> observed = ordered(values, begin, end);
    require(numbers.shape(0) == begin.size() && numeric.size() == begin.size(), "numbers must fit the features");
    auto [places, result] = make_matrix<int32_t>(numbers.shape(0), numbers.shape(1));
    nb::gil_scoped_release release;
    lormika::snap(observed, numeric.data(), begin.size(), numbers.shape(1), numbers.data(), places);
    return result;
}

Out<double, nb::ndim<2>> order(Vector<double> values, Vector<int64_t> begin, Vector<int64_t> end, Matrix<int32_t> places) {
    const lormika::Ordered<double> observed = ordered(values, begin, end);
    require(places.shape(0) == begin.size(), "places must fit the features");
    require_below(places.data(), places.size(), 0, std::numeric_limits<int32_t>::max(), "place out of range");
    auto [sorted, result] = make_matrix<double>(places.shape(0), places.shape(1));
    nb::gil_scoped_release release;
    lormika::order(observed, begin.size(), places.shape(1), places.data(), sorted);
    return result;
}

Out<int32_t, nb::ndim<2>> cut_evenly(Matrix<double> ordered, Vector<int32_t> present, int bins) {
    const size_t features = ordered.shape(0), rows = ordered.shape(1);
    require(bins >= 2, "bins out of range");
    require(present.size() == features, "one number of present values per feature");
    require_below(present.data(), features, 0, int32_t(rows) + 1, "present out of range");
    auto [below, result] = make_matrix<int32_t>(features, bins - 1);
    nb::gil_scoped_release release;
    for (size_t f = 0; f < features; ++f)
        lormika::cut_evenly(ordered.data() + f * rows, present.data()[f], bins, below + f * (bins - 1));
    return result;
}

nb::tuple assign(Matrix<double> columns, Vector<double> cuts, Vector<int64_t> offsets, Vector<int32_t> sizes,
                 Vector<bool> numeric) {
    const size_t features = columns.shape(0), rows = columns.shape(1);
    require(offsets.size() == features + 1 && sizes.size() == features && numeric.size() == features,
            "offsets, sizes and numeric must fit the features");
    size_t every = 0;
    for (size_t f = 0; f < features; ++f) {
        const int64_t begin = offsets.data()[f], end = offsets.data()[f + 1];
        require(0 <= begin && begin <= end && size_t(end) <= cuts.size(), "offsets must lie within cuts");
        require(sizes.data()[f] >= 1 && (!numeric.data()[f] || sizes.data()[f] == end - begin + 2), "sizes must fit the cuts");
        every += sizes.data()[f];
    }
    auto [items, result] = make_matrix<int32_t>(features, rows);
    auto [held, counts] = make_vector<int32_t>(every);
    bool inside = true;
    {
        nb::gil_scoped_release release;
        int32_t* next = held;
        for (size_t f = 0; f < features; ++f) {
            const double* values = columns.data() + f * rows;
            const int32_t size = sizes.data()[f];
            const int64_t begin = offsets.data()[f];
            if (!numeric.data()[f])
                for (size_t r = 0; r < rows; ++r) inside &= !(values[r] < 0 || values[r] >= size - 1);
            if (!inside) break;
            lormika::assign({cuts.data() + begin, int32_t(offsets.data()[f + 1] - begin), size, !numeric.data()[f]}, values,
                            rows, items + f * rows, next);
            next += size;
        }
    }
    require(inside, "category out of range");
    return nb::make_tuple(result, counts);
}

template <class Code>
Out<double, nb::ndim<2>> scan(Matrix<Code> codes, Vector<double> points, Vector<int64_t> offsets, Vector<double> scales,
                              Vector<bool> numeric, Matrix<double> columns, Vector<int64_t> column, Matrix<double> x) {
    const size_t features = codes.shape(0), rows = codes.shape(1), instances = x.shape(0);
    require(offsets.size() == features + 1 && scales.size() == features && numeric.size() == features && x.shape(1) == features,
            "offsets, scales, numeric and x must fit the features");
    require(size_t(offsets.data()[features]) == points.size(), "points must fit the offsets");
    require(column.size() == features && columns.shape(1) == rows, "columns must fit the table");
    require_below<int64_t>(column.data(), features, -1, columns.shape(0), "column out of range");
    auto [squared, result] = make_matrix<double>(instances, rows);
    nb::gil_scoped_release release;
    lormika::scan<Code>({rows, features, codes.data(), points.data(), offsets.data(), scales.data(), numeric.data(),
                         columns.data(), column.data()},
                        x.data(), instances, squared);
    return result;
}

Out<double, nb::ndim<2>> reach(Vector<double> squared, Vector<int32_t> labels, int classes, Vector<int32_t> counts) {
    require(squared.size() == labels.size(), "one label per distance");
    require(counts.size() >= 1 && counts.data()[0] >= 1, "counts out of range");
    require(std::is_sorted(counts.data(), counts.data() + counts.size()), "counts must ascend");
    require_below(labels.data(), labels.size(), 0, classes, "label out of range");
    auto [limits, result] = make_matrix<double>(counts.size(), classes);
    nb::gil_scoped_release release;
    lormika::reach(squared.data(), labels.data(), squared.size(), classes, counts.data(), int(counts.size()), limits);
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

// cells: columns x (feature, places, first output, number of outputs)
Out<bool, nb::ndim<1>> fill_in(Matrix<double> rows, Matrix<int64_t> cells, Vector<double> tables,
                               nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> outputs) {
    require(cells.shape(1) == 4, "four numbers for each column");
    require(rows.shape(0) == outputs.shape(0), "one row of outputs per row");
    const auto features = int64_t(rows.shape(1)), width = int64_t(outputs.shape(1));
    std::vector<lormika::Cells> columns;
    int64_t places = 0, size = 0;
    for (size_t c = 0; c < cells.shape(0); ++c) {
        const int64_t* own = cells.data() + 4 * c;
        columns.push_back({own[0], own[1], own[2], own[3]});
        require(0 <= own[0] && own[0] < features, "feature out of range");
        require(0 <= own[3] && own[3] <= width && 0 <= own[2] && own[2] <= width - own[3], "outputs out of range");
        require(1 <= own[1] && own[1] <= std::numeric_limits<int32_t>::max(), "places out of range");
        require(own[1] * own[3] <= int64_t(tables.size()) - size, "tables must fit the columns");
        for (size_t r = 0; r < rows.shape(0); ++r)
            require(!(rows.data()[r * rows.shape(1) + own[0]] < 0), "category out of range");
        places += own[1];
        size += own[1] * own[3];
    }
    require(size_t(size) == tables.size(), "tables must fit the columns");
    auto [occurs, result] = make_vector<bool>(places);
    std::fill(occurs, occurs + places, false);
    nb::gil_scoped_release release;
    lormika::fill_in(columns, tables.data(), rows.data(), rows.shape(0), rows.shape(1), outputs.data(), outputs.shape(1), occurs);
    return result;
}

nb::tuple without_zeros(Matrix<double> table) {
    require(table.size() <= size_t(std::numeric_limits<int32_t>::max()), "there must be fewer cells");
    lormika::Sparse sparse;
    {
        nb::gil_scoped_release release;
        sparse = lormika::without_zeros(table.data(), table.shape(0), table.shape(1));
    }
    return nb::make_tuple(as_array(sparse.values), as_array(sparse.columns), as_array(sparse.starts));
}

}  // namespace

void bind_tables(nb::module_& m) {
    m.def("scan", &scan<uint8_t>, "codes"_a, "points"_a, "offsets"_a, "scales"_a, "numeric"_a, "columns"_a, "column"_a, "x"_a,
          "Squared distance of every row to each row of x.");
    m.def("scan", &scan<uint16_t>, "codes"_a, "points"_a, "offsets"_a, "scales"_a, "numeric"_a, "columns"_a, "column"_a, "x"_a);
    m.def("scan", &scan<uint32_t>, "codes"_a, "points"_a, "offsets"_a, "scales"_a, "numeric"_a, "columns"_a, "column"_a, "x"_a);
    m.def("reach", &reach, "squared"_a, "labels"_a, "classes"_a, "counts"_a,
          "The count-th smallest squared distance of each class, for each of the counts, which ascend.");
    m.def("within", &within, "squared"_a, "labels"_a, "bounds"_a,
          "Rows whose squared distance is at most the bound of their class, ascending.");
    m.def("places", &places<double>, "values"_a, "begin"_a, "end"_a, "features"_a, "wanted"_a,
          "How many of a feature's sorted values are less than each wanted one.");
    m.def("places", &places<int64_t>, "values"_a, "begin"_a, "end"_a, "features"_a, "wanted"_a);
    m.def("sum_groups", &sum_groups, "fields"_a, "places"_a, "groups"_a, "weights"_a, "size"_a,
          "Weighted sums of every field (a row each) over the places of each group, in their order.");
    m.def("mix", &mix, "table"_a, "numeric"_a, "means"_a, "parents"_a, "closest"_a, "step"_a,
          "New rows from the parents' ones, feature by feature.");
    m.def("snap", &snap, "values"_a, "begin"_a, "end"_a, "numeric"_a, "numbers"_a,
          "Move numbers, in place, to the nearest observed value of their feature, and return which one that is.");
    m.def("order", &order, "values"_a, "begin"_a, "end"_a, "places"_a,
          "Sorted values of each feature, given by their places among the observed ones; beyond these: missing, last.");
    m.def("cut_evenly", &cut_evenly, "ordered"_a, "present"_a, "bins"_a,
          "How many of the first, present values of each feature lie below each cut; -1: no more cuts.");
    m.def("assign", &assign, "columns"_a, "cuts"_a, "offsets"_a, "sizes"_a, "numeric"_a,
          "The item of each value, and how many rows have each item.");
    m.def("distinct", &distinct, "table"_a,
          "Positions of the rows that differ, in order; and which of them each row is a copy of.");
    m.def("fill_in", &fill_in, "rows"_a, "cells"_a, "tables"_a, "outputs"_a.noconvert(),
          "Fill in, in place, what each category stands for, from a table of each column; and return which places occur.");
    m.def("without_zeros", &without_zeros, "table"_a,
          "The values that are not zero, row by row, their columns, and where each row begins.");
}
