"""The charts of the benchmarks."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

FILE = Path(__file__).parents[1] / "benchmarks" / "chart.py"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def chart() -> ModuleType:
    spec = importlib.util.spec_from_file_location("chart_of_benchmarks", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def places(element: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([\d.]+),([\d.]+)", element.get("points", ""))]


def test_lines_are_straight_where_time_is_linear(chart: ModuleType) -> None:
    line = [(10.0**i, 3 * 10.0**i) for i in range(4)]
    root = ElementTree.fromstring(chart.draw([chart.Panel("ms", "rows", {"now": line})], "a < b"))
    (polyline,) = root.iter(f"{SVG}polyline")
    (x0, y0), *others, (x1, y1) = places(polyline)
    assert x0 < x1
    assert y0 > y1  # SVG counts downwards
    for x, y in others:
        assert y == pytest.approx(y0 + (x - x0) / (x1 - x0) * (y1 - y0), abs=0.11)
    assert root.findtext(f"{SVG}title") == "a < b"


def test_what_hardly_changes_looks_flat(chart: ModuleType) -> None:
    root = ElementTree.fromstring(chart.draw([chart.Panel("MB", "rows", {"now": [(1, 235.0), (1000, 241.0)]})], "flat"))
    (polyline,) = root.iter(f"{SVG}polyline")
    (_, start), (_, end) = places(polyline)
    assert abs(start - end) < 3


def test_texts_at_the_ends_of_lines_do_not_touch(chart: ModuleType) -> None:
    lines = {"now": [(1, 5.0), (10, 50.0)], "before": [(1, 5.1), (10, 51.0)]}
    root = ElementTree.fromstring(chart.draw([chart.Panel("ms", "k", lines)], "two"))
    now, before = (next(e for e in root.iter(f"{SVG}text") if e.text == name) for name in lines)
    assert float(now.get("y", "")) - float(before.get("y", "")) >= 12.9
    assert chart.draw([chart.Panel("ms", "k", lines)], "two") == chart.draw([chart.Panel("ms", "k", lines)], "two")
