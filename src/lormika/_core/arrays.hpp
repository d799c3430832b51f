// Arrays of numpy in and out, and what they must fulfil.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nb = nanobind;

template <class T, class Shape>
using In = nb::ndarray<const T, Shape, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = In<T, nb::ndim<1>>;
template <class T>
using Matrix = In<T, nb::ndim<2>>;
template <class T, class... Shape>
using Out = nb::ndarray<nb::numpy, T, Shape...>;

// New numpy arrays that own their memory.
template <class T>
std::pair<T*, Out<T, nb::ndim<1>>> make_vector(size_t size) {
    T* data = new T[size];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return {data, Out<T, nb::ndim<1>>(data, {size}, owner)};
}

template <class T>
std::pair<T*, Out<T, nb::ndim<2>>> make_matrix(size_t rows, size_t columns) {
    T* data = new T[rows * columns];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return {data, Out<T, nb::ndim<2>>(data, {rows, columns}, owner)};
}

template <class T>
Out<T, nb::ndim<1>> as_array(const std::vector<T>& values) {
    auto [data, array] = make_vector<T>(values.size());
    std::copy(values.begin(), values.end(), data);
    return array;
}

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

template <class T>
void require_below(const T* values, size_t size, T least, T bound, const char* what) {
    T outside = 0;  // no early exit, and no narrower type: the loop is then done many values at a time
    for (size_t i = 0; i < size; ++i) outside |= T(values[i] < least) | T(values[i] >= bound);
    require(outside == 0, what);
}
