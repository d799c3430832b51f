#pragma once

#include <nanobind/nanobind.h>

void bind_forest(nanobind::module_& m);
