#pragma once

#include <nanobind/nanobind.h>

void bind_tree(nanobind::module_& m);
