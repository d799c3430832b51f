// The Python face of decision trees.
#include "bind_tree.hpp"

#include <limits>

#include "arrays.hpp"
#include "tree.hpp"

using namespace nb::literals;

namespace {

// One field of each node, with those of other fields in between.
template <class T>
using FieldOf = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

template <class T>
lormika::Field<T> field(const FieldOf<T>& values, size_t nodes) {
    require(values.shape(0) == nodes, "one value of every field per node");
    require(reinterpret_cast<uintptr_t>(values.data()) % alignof(T) == 0, "fields must be aligned");
    return {values.data(), values.stride(0) * ptrdiff_t(sizeof(T))};
}

void make(lormika::Tree* place, FieldOf<int64_t> left, FieldOf<int64_t> right, FieldOf<int64_t> feature,
          FieldOf<double> threshold, FieldOf<uint8_t> missing_left, size_t features) {
    const size_t nodes = left.shape(0);
    new (place) lormika::Tree({nodes, field(left, nodes), field(right, nodes), field(feature, nodes), field(threshold, nodes),
                               field(missing_left, nodes)},
                              features);
}

void add(const lormika::Tree& tree, Matrix<float> rows, Matrix<float> columns, Matrix<double> values,
         nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums) {
    require(rows.shape(1) == tree.features(), "rows must have the features of the tree");
    require(rows.shape(0) <= std::numeric_limits<uint32_t>::max(), "there must be fewer rows");
    require(columns.shape(0) == rows.shape(1) && columns.shape(1) == rows.shape(0), "columns must be those of the rows");
    require(values.shape(0) == tree.size(), "one row of values per node");
    require(sums.shape(0) == rows.shape(0) && sums.shape(1) == values.shape(1), "one sum per row and class");
    nb::gil_scoped_release release;
    tree.add({rows.data(), columns.data(), rows.shape(0)}, values.data(), values.shape(1), sums.data());
}

}  // namespace

void bind_tree(nb::module_& m) {
    nb::class_<lormika::Tree>(m, "Tree", "A decision tree of scikit-learn, down which many rows go together.")
        .def("__init__", &make, "left"_a.noconvert(), "right"_a.noconvert(), "feature"_a.noconvert(),
             "threshold"_a.noconvert(), "missing_left"_a.noconvert(), "features"_a)
        .def("add", &add, "rows"_a, "columns"_a, "values"_a, "sums"_a.noconvert(),
             "To the sums of each row, in place, add the values of the leaf that it reaches; columns are the transposed rows.");
}
