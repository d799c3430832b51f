"""Draw OPUS at work, `opus.svg`, from a real search of a small table: python docs/opus_picture.py.

The search here is a short twin of the one in `_core`, for one class and leverage, that keeps a record of what it does;
it must find the rules that `mine_rules` finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

from lormika import datasets, mine_rules

PICTURE = Path(__file__).with_name("opus.svg")
CLASS, K, LONGEST, FEWEST = "rejected", 4, 3, 10


def make_table() -> tuple[pd.DataFrame, np.ndarray]:
    """Loan applications with four features of two values each, and whether they were rejected."""
    loans, y = datasets.make_loans(400)
    table = pd.DataFrame(
        {
            "missed payments": np.where(loans["missed_payments"] >= 2, "2 or more", "0 or 1"),
            "debts": np.where(loans["debt_ratio"] >= 0.4, "high", "low"),
            "income": np.where(loans["income"] < 45, "low", "high"),
            "phone": np.where(loans["phone"], "yes", "no"),
        }
    )
    return table, (y == CLASS).to_numpy()


@dataclass
class Node:
    """A set of conditions that was counted: the conditions above it, and one more."""

    item: tuple[str, str]
    depth: int
    rows: np.ndarray
    score: float
    bound: float
    fate: str = "dropped"  # or "kept" (a candidate for its siblings), "expanded"
    best: bool = False  # it is among the k best in the end
    children: list[Node] = field(default_factory=list)


class Search:
    """OPUS: branch and bound over sets of conditions, best bound first."""

    def __init__(self, table: pd.DataFrame, is_class: np.ndarray) -> None:
        self.is_class, self.n, self.n_class = is_class, len(table), int(is_class.sum())
        self.items = [(name, value) for name in table for value in sorted(table[name].unique())]
        self.holds = {(name, value): (table[name] == value).to_numpy() for name, value in self.items}
        self.best: list[Node] = []
        self.counted = 0
        self.root = Node(("", ""), 0, np.ones(self.n, dtype=bool), 0.0, np.inf)
        self._expand(self.root, self.items)
        for node in self.best:
            node.best = True

    @property
    def threshold(self) -> float:
        """What a rule must reach to be among the k best so far."""
        return self.best[K - 1].score if len(self.best) >= K else -np.inf

    def _expand(self, parent: Node, candidates: Sequence[tuple[str, str]]) -> None:
        """Count each candidate with the set; drop what leads nowhere; go deeper with the rest, best bound first."""
        parent.children = [self._count(parent, item) for item in candidates]
        # At least as good: a rule that ties with the k-th may still come before it.
        kept = [node for node in parent.children if node.bound >= self.threshold]
        kept.sort(key=lambda node: -node.bound)
        for node in kept:
            node.fate = "kept"
        parent.children = kept + [node for node in parent.children if node.fate == "dropped"]
        for place, node in enumerate(kept):
            partners = [one.item for one in kept[:place] if one.item[0] != node.item[0]]
            if node.bound < self.threshold:  # which has risen since
                node.fate = "dropped"
            elif partners and node.depth < LONGEST:
                node.fate = "expanded"
                self._expand(node, partners)

    def _count(self, parent: Node, item: tuple[str, str]) -> Node:
        self.counted += 1
        rows = parent.rows & self.holds[item]
        n_p, both = int(rows.sum()), int((rows & self.is_class).sum())
        fewest = max(both, FEWEST)
        score = (self.n * both - n_p * self.n_class) / self.n**2
        bound = (self.n * both - fewest * self.n_class) / self.n**2
        node = Node(item, parent.depth + 1, rows, score, bound)
        if n_p >= FEWEST and both:
            self.best = sorted([*self.best, node], key=lambda one: (-one.score, -one.rows.sum()))[:K]
        return node


def check(search: Search, table: pd.DataFrame, is_class: np.ndarray) -> None:
    """Refuse a drawing of something else than what the library finds."""
    options = {"k": K, "max_conditions": LONGEST, "min_count": FEWEST, "objective": "leverage"}
    rules = mine_rules(table, np.where(is_class, CLASS, "accepted"), classes=[CLASS], **options)
    if [rule.score for rule in rules] != [node.score for node in search.best]:
        raise ValueError("the search in this picture does not find what mine_rules finds")


WIDTH, ROW, BOX = 880, 44, 236
LEFT, TOP, STEP = 20, 108, 288
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2937 }
.small { font-size: 11px; fill: #4b5563 } .title { font-size: 15px; font-weight: 600 } .number { text-anchor: end }
rect { fill: #f8fafc; stroke: #94a3b8 } .expanded { fill: #e0effa; stroke: #0072b2 }
.best { fill: #0072b2; stroke: #0072b2 } .best ~ text { fill: #fff }
.dropped { fill: #fff; stroke: #cbd5e1; stroke-dasharray: 4 3 } .dropped ~ text { fill: #6b7280 }
path { fill: none; stroke: #94a3b8 } .page { fill: #fff; stroke: none }
"""


def draw(search: Search) -> str:
    """One line for each set that was counted; a set stands to the right of the one that it was made from."""
    lines: list[str] = []
    place = _draw_children(search.root, TOP, lines, start=None)
    height = place + 16
    every = _count_sets(search)
    title = f"The {K} best of {every} rules that lead to “{CLASS}”, by leverage: {search.counted} were counted"
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"',
        f'aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}"/>',
        f'<text class="title" x="{LEFT}" y="26">{escape(title)}</text>',
        *_legend(),
        *(
            f'<text class="small" x="{LEFT + (n - 1) * STEP}" y="{TOP - 12}">{_number(n)}</text>'
            for n in range(1, LONGEST + 1)
        ),
    ]
    return "\n".join([*head, *lines, "</svg>\n"])


def _number(depth: int) -> str:
    return "one condition" if depth == 1 else f"{('', '', 'two', 'three')[depth]} conditions"


def _legend() -> list[str]:
    parts, x = [], LEFT
    for kind, text in (
        ("best", "among the best"), ("expanded", "led to longer rules"), ("kept", "only joined with others"),
        ("dropped", "dropped: no longer rule can be among the best"),
    ):  # fmt: skip
        parts.append(f'<g><rect class="{kind}" x="{x}" y="46" width="22" height="14" rx="3"/></g>')
        parts.append(f'<text class="small" x="{x + 29}" y="57">{text}</text>')
        x += 50 + 6 * len(text)
    return parts


def _draw_children(parent: Node, place: int, lines: list[str], start: tuple[int, int] | None) -> int:
    for node in parent.children:
        x = LEFT + (node.depth - 1) * STEP
        if start is not None:
            lines.append(
                f'<path d="M{start[0]} {start[1]} C{start[0] + 30} {start[1]} {x - 34} {place + 17} {x} {place + 17}"/>'
            )
        lines.append(_draw_node(node, x, place))
        below = _draw_children(node, place, lines, (x + BOX, place + 17))
        place = max(below, place + ROW)
    return place


def _draw_node(node: Node, x: int, y: int) -> str:
    kind = "best" if node.best else node.fate
    name = f"{'and ' if node.depth > 1 else ''}{node.item[0]}: {node.item[1]}"
    limit = f", longer: {node.bound:.3f} at most" if node.depth < LONGEST else ""
    return (
        f'<g><rect class="{kind}" x="{x}" y="{y}" width="{BOX}" height="34" rx="6"/>'
        f'<text x="{x + 9}" y="{y + 15}">{escape(name)}</text>'
        f'<text class="small" x="{x + 9}" y="{y + 28}">leverage {node.score:.3f}{limit}</text></g>'
    )


def _count_sets(search: Search) -> int:
    """All sets of up to three conditions on different features."""
    sizes = pd.Series([name for name, _ in search.items]).value_counts().tolist()
    ways = [1] + [0] * LONGEST
    for size in sizes:
        for length in range(LONGEST, 0, -1):
            ways[length] += ways[length - 1] * size
    return sum(ways[1:])


def make_picture() -> str:
    """Search, check, and draw."""
    table, is_class = make_table()
    search = Search(table, is_class)
    check(search, table, is_class)
    return draw(search)


if __name__ == "__main__":
    PICTURE.write_text(make_picture(), encoding="utf-8")
