#pragma once

#include <nanobind/nanobind.h>

void bind_tables(nanobind::module_& m);
