"""A slow, obviously right twin of constraints: what is wrong with one changed row, in plain Python values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import SimpleNamespace

Row = Mapping[str, object]


def violations(constraints: Mapping[str, object], before: Row, after: Row) -> Iterator[str]:
    """What a change breaks; nothing, if it is permitted."""
    changed = {name for name in before if not same(before[name], after[name])}
    orders = constraints.get("orders", {})
    for name in changed:
        old, new = before[name], after[name]
        if name in constraints.get("fixed", ()):
            yield f"{name} is fixed"
        for direction in ("up", "down"):
            if name in constraints.get(direction, ()):
                if old is None or new is None:
                    yield f"{name} cannot be compared"
                    continue
                order = orders.get(name)
                if order is not None and (old not in order or new not in order):
                    yield f"{name} has no place in the order"
                    continue
                step = order.index(new) - order.index(old) if order is not None else new - old
                if step < 0 if direction == "up" else step > 0:
                    yield f"{name} goes the wrong way"
        if name in constraints.get("ranges", {}):
            ends = limits(constraints["ranges"][name], old)
            if ends is None or not ends[0] <= new <= ends[1]:
                yield f"{name} leaves its range"
        if name in constraints.get("changes", {}) and new not in constraints["changes"][name].get(old, ()):
            yield f"{name} may not change so"
        if name in constraints.get("forbidden", {}) and new in constraints["forbidden"][name].get(old, ()):
            yield f"{name} is forbidden to change so"
    for group in constraints.get("linked", ()):
        if 0 < len(changed & set(group)) < len(group):
            yield f"{group} change together"
    for group in constraints.get("one_of", ()):
        if changed & set(group) and sorted(after[name] for name in group) != [0] * (len(group) - 1) + [1]:
            yield f"not exactly one of {group}"
    for condition in constraints.get("where", ()):
        if not holds(condition, before, after):
            yield f"not {condition}"
    permits = constraints.get("permits")
    if permits is not None and not permits(after):
        yield "not permitted"


def same(one: object, other: object) -> bool:
    return one == other or (one is None and other is None)


def limits(limits: object, value: float | None) -> tuple[float, float] | None:
    if not isinstance(limits, str):
        low, high = limits
        return (float("-inf") if low is None else low), (float("inf") if high is None else high)
    if value is None:
        return None
    sign, size, percent = re.fullmatch(r"(±|\+|-)(.*?)(%?)", limits).groups()
    exact = Fraction(repr(value))
    step = Fraction(size) / 100 * abs(exact) if percent else Fraction(size)
    return float(exact - (step if sign != "+" else 0)), float(exact + (step if sign != "-" else 0))


def holds(condition: str, before: Row, after: Row) -> bool:
    """By Python itself; where a value is missing, a comparison is false."""
    names = dict(after) | {"now": SimpleNamespace(**before)}
    try:
        return bool(eval(condition, {}, names))
    except TypeError:
        return False
