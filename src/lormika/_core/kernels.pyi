"""Bitset search, distance scan, rows that are the same, and decision trees (C++)."""

import enum

import numpy as np

build: str

class Objective(enum.Enum):
    SUPPORT = 0
    COVERAGE = 1
    CONFIDENCE = 2
    LIFT = 3
    LEVERAGE = 4

class Filter(enum.Enum):
    NONE = 0
    NONREDUNDANT = 1
    PRODUCTIVE = 2
    SIGNIFICANT = 3

class Stopped(enum.Enum):
    NO = 0
    TIME = 1
    NODES = 2
    INTERRUPT = 3

def counters() -> list[str]: ...
def count(
    counter: str,
    bitsets: np.ndarray,
    begin: np.ndarray,
    least_rows: int,
    least_both: np.ndarray,
    most_other: np.ndarray,
) -> tuple[list[list[int]], list[int], list[bool]]: ...
def search(
    items: np.ndarray,
    sizes: np.ndarray,
    labels: np.ndarray,
    list_of_class: np.ndarray,
    instance: np.ndarray,
    objective: Objective,
    filter: Filter,
    k: int,
    max_conditions: int,
    min_count: int,
    m: float,
    critical: np.ndarray,
    weights: np.ndarray,
    allowed: np.ndarray,
    n_jobs: int = 1,
    time_limit: float = ...,
    node_limit: int = ...,
    keep_on_interrupt: bool = False,
) -> tuple[list[tuple[list[int], int, int, int, float, float]], int, Stopped, list[float]]: ...
def scan(
    codes: np.ndarray,
    points: np.ndarray,
    offsets: np.ndarray,
    scales: np.ndarray,
    numeric: np.ndarray,
    columns: np.ndarray,
    column: np.ndarray,
    x: np.ndarray,
) -> np.ndarray: ...
def reach(squared: np.ndarray, labels: np.ndarray, classes: int, counts: np.ndarray) -> np.ndarray: ...
def places(
    values: np.ndarray, begin: np.ndarray, end: np.ndarray, features: np.ndarray, wanted: np.ndarray
) -> np.ndarray: ...
def sum_groups(
    fields: np.ndarray, places: np.ndarray, groups: np.ndarray, weights: np.ndarray, size: int
) -> np.ndarray: ...
def mix(
    table: np.ndarray,
    numeric: np.ndarray,
    means: np.ndarray,
    parents: np.ndarray,
    closest: np.ndarray,
    step: np.ndarray,
) -> np.ndarray: ...
def snap(
    values: np.ndarray, begin: np.ndarray, end: np.ndarray, numeric: np.ndarray, numbers: np.ndarray
) -> np.ndarray: ...
def order(values: np.ndarray, begin: np.ndarray, end: np.ndarray, places: np.ndarray) -> np.ndarray: ...
def cut_evenly(ordered: np.ndarray, present: np.ndarray, bins: int) -> np.ndarray: ...
def assign(
    columns: np.ndarray,
    cuts: np.ndarray,
    offsets: np.ndarray,
    sizes: np.ndarray,
    numeric: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]: ...
def distinct(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...
def fill_in(rows: np.ndarray, cells: np.ndarray, tables: np.ndarray, outputs: np.ndarray) -> np.ndarray: ...
def without_zeros(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def within(squared: np.ndarray, labels: np.ndarray, bounds: np.ndarray) -> np.ndarray: ...

class Block:
    def __init__(self, rows: np.ndarray) -> None: ...

class Forest:
    def __init__(self, features: int, classes: int) -> None: ...
    @property
    def classes(self) -> int: ...
    def plant(
        self,
        left: np.ndarray,
        right: np.ndarray,
        feature: np.ndarray,
        threshold: np.ndarray,
        missing_left: np.ndarray,
        values: np.ndarray,
    ) -> None: ...
    def add(self, block: Block, sums: np.ndarray) -> None: ...
    def find_leaves(self, block: Block) -> np.ndarray: ...
