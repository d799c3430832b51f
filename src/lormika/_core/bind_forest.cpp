// The Python face of decision trees.
#include "bind_forest.hpp"

#include "arrays.hpp"
#include "forest.hpp"

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

void make_block(lormika::Block* place, Matrix<float> rows) {
    require(rows.shape(0) <= lormika::Block::kMostRows, "there must be fewer rows");
    new (place) lormika::Block(rows.data(), rows.shape(0), rows.shape(1));
}

void plant(lormika::Forest& forest, FieldOf<int64_t> left, FieldOf<int64_t> right, FieldOf<int64_t> feature,
           FieldOf<double> threshold, FieldOf<uint8_t> missing_left, Matrix<double> values) {
    const size_t nodes = left.shape(0);
    require(values.shape(0) == nodes && values.shape(1) == forest.classes(), "one row of values per node");
    forest.plant({nodes, field(left, nodes), field(right, nodes), field(feature, nodes), field(threshold, nodes),
                  field(missing_left, nodes)},
                 values.data());
}

void require_fit(const lormika::Forest& forest, const lormika::Block& block) {
    require(block.features() == forest.features(), "rows must have the features of the forest");
}

void add(const lormika::Forest& forest, const lormika::Block& block,
         nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums) {
    require_fit(forest, block);
    require(sums.shape(0) == block.count() && sums.shape(1) == forest.classes(), "one sum per row and class");
    nb::gil_scoped_release release;
    forest.add(block, sums.data());
}

Out<int32_t, nb::ndim<1>> find_leaves(const lormika::Forest& forest, const lormika::Block& block) {
    require_fit(forest, block);
    require(forest.size() > 0, "there must be a tree");
    auto [leaves, array] = make_vector<int32_t>(block.count());
    {
        nb::gil_scoped_release release;
        forest.find_leaves(block, leaves);
    }
    return array;
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<lormika::Block>(m, "Block", "Rows of single precision that go down trees together; they are not copied.")
        .def("__init__", &make_block, "rows"_a.noconvert(), nb::keep_alive<1, 2>());
    nb::class_<lormika::Forest>(m, "Forest", "Decision trees of scikit-learn, whose answers are added up.")
        .def(nb::init<size_t, size_t>(), "features"_a, "classes"_a)
        .def_prop_ro("classes", &lormika::Forest::classes)
        .def("plant", &plant, "left"_a.noconvert(), "right"_a.noconvert(), "feature"_a.noconvert(), "threshold"_a.noconvert(),
             "missing_left"_a.noconvert(), "values"_a.noconvert(), nb::keep_alive<1, 7>(),
             "One more tree; its values (nodes x classes) are not copied.")
        .def("add", &add, "block"_a, "sums"_a.noconvert(),
             "To the sums of each row, in place, add the values of the leaves that it reaches, one tree after the other.")
        .def("find_leaves", &find_leaves, "block"_a, "The leaf of the first tree that each row reaches.");
}
