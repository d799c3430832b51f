"""Slow, obviously right twins of edits, effects, turning edits, confirmation and the choice of rules.

Written from “A rule must be true of this instance” in docs/design.md. Nothing here imports lormika; the model is asked
about one row at a time, means are exact fractions, and no list is longer than it takes to write it down.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import ceil, floor, inf, log

import naive

KINDS = ["current_supporting", "current_contradicting", "hypothetical_supporting", "hypothetical_contradicting"]
CLOSE = Fraction(1, 10**9)
PAIRED_CATEGORIES = 3  # targets of one category that go into pairs

Value = float | None
Row = list[Value]
Item = tuple  # ("range", low, high) or ("is", category) or ("missing",); ("from", low, high) includes both ends;
# ("part", item, least, greatest) is a range within these, if they are not None; ("before", item, value) and
# ("after", item, value) are what is left of it
Edit = tuple[tuple[int, float], ...]  # changed features with their new values, by feature
Number = Fraction | float


def holds(item: Item, value: Value) -> bool:
    """Whether a value satisfies a condition."""
    if item[0] == "missing":
        return value is None
    if value is None:
        return False
    if item[0] == "is":
        return value == item[1]
    if item[0] == "from":
        return item[1] <= value <= item[2]
    if item[0] == "part":
        return holds(item[1], value) and (item[2] is None or value >= item[2]) and (item[3] is None or value <= item[3])
    if item[0] == "before":
        return holds(item[1], value) and value < item[2]
    if item[0] == "after":
        return holds(item[1], value) and value > item[2]
    return item[1] <= value < item[2]


def place_of(item: Item) -> float:
    """Where conditions of a feature stand in their order."""
    if item[0] == "part":
        return place_of(item[1]) if item[2] is None else item[2]
    return inf if item[0] == "missing" else item[1]


def mean(numbers: Sequence[Number]) -> Fraction:
    return sum((Fraction(number) for number in numbers), Fraction(0)) / len(numbers)


@dataclass(frozen=True)
class Answer:
    label: int
    p: float
    o: float


@dataclass(frozen=True)
class Target:
    """Where a feature can be taken: an item that the instance does not satisfy, or a side of its value."""

    feature: int
    nearest: float
    typical: float
    far: float
    rows: int

    def at(self, level: str) -> float:
        return {"nearest": self.nearest, "typical": self.typical, "far": self.far}[level]


FINE = frozenset({"fine"})


@dataclass(frozen=True)
class Single:
    feature: int
    value: float
    roles: frozenset[str]

    @property
    def edit(self) -> Edit:
        return ((self.feature, self.value),)

    @property
    def is_fine(self) -> bool:
        """Whether it only shows where the prediction turns."""
        return self.roles == {"fine"}

    @property
    def counts(self) -> bool:
        """Whether rules are judged by it."""
        return not self.roles <= {"other", "fine"}


@dataclass(frozen=True)
class Check:
    asked: int
    agreed: int
    before: float
    after: Fraction


@dataclass(frozen=True)
class Rule:
    kind: str
    conditions: tuple[tuple[int, Item], ...]  # by feature
    consequent: int
    antecedent: int
    both: int
    check: Check
    rerun: Edit | None = None
    rerun_label: int | None = None
    weak: bool = False


class Twin:
    """Everything that the model can be asked about one instance, and the rules that are true of it."""

    def __init__(
        self,
        background: Sequence[Row],
        categorical: Sequence[bool],
        sample: Sequence[Row],
        labels: Sequence[int],
        n_real: int,  # the first so many rows of the sample are of the background
        items: Sequence[Sequence[Item]],  # of each feature; none, if it is constant in the sample
        instance: Row,
        ask: Callable[[Row], tuple[int, Sequence[float] | None]],  # label; probabilities or scores of the classes
        unit: str,
        n_asked: int,
    ) -> None:
        self.background, self.categorical, self.sample, self.labels = background, categorical, sample, labels
        self.items, self.instance, self.ask, self.unit, self.n_asked = items, list(instance), ask, unit, n_asked
        self.n_real = n_real
        self.doubtful = False  # whether rounding could decide something
        self.features = range(len(self.instance))
        self.answers: dict[tuple, Answer] = {}
        self.prediction = ask(self.instance)[0]
        self.own = self.answer(())
        self.means, self.variances = [], []
        for f in self.features:
            present = self.observed(f)
            centre = mean(present) if present else Fraction(0)
            self.means.append(centre)
            self.variances.append(mean([(Fraction(v) - centre) ** 2 for v in present]) if present else Fraction(0))
        self.targets = {f: self.find_targets(f) for f in self.features}
        self.every_single = {f: self.find_singles(f) for f in self.features}
        self.singles = self.choose_singles()
        self.asked_targets = self.find_asked_targets()
        self.every_pair = self.find_pairs(self.paired_targets())
        fine = self.choose_fine()
        self.all_singles = len([s for f in self.features for s in self.every_single[f] if not s.is_fine]) + len(fine)
        self.pairs_at_once = len(self.singles) + len(self.every_pair) <= self.n_asked
        self.singles = self.singles + fine
        borders = self.find_borders()
        self.singles = self.singles + borders
        self.all_singles += len(borders)
        self.all_pairs = len(self.find_pairs(self.asked_targets))
        self.pairs = self.choose_pairs()
        self.effects = [self.effect(f) for f in self.features]
        self.cut_by_sample = items
        self.reached = [self.reach(f) for f in self.features]

    # Asking

    def row(self, edit: Edit) -> Row:
        changed = list(self.instance)
        for f, value in edit:
            changed[f] = value
        return changed

    def answer(self, edit: Edit) -> Answer:
        return self.answer_row(self.row(edit))

    def answer_row(self, row: Row) -> Answer:
        if tuple(row) not in self.answers:
            self.answers[tuple(row)] = self.read(*self.ask(row))
        return self.answers[tuple(row)]

    def read(self, label: int, numbers: Sequence[float] | None) -> Answer:
        c = self.prediction
        if numbers is None:
            p = 1.0 if label == c else 0.0
        elif self.unit == "probability":
            p = numbers[c]
        else:
            margin = numbers[c] - max(number for other, number in enumerate(numbers) if other != c)
            return Answer(label, margin, margin)
        kept = min(max(p, 0.0001), 0.9999)
        return Answer(label, p, log(kept / (1 - kept)))

    def change(self, edit: Edit) -> float:
        """δ: how the log-odds of the prediction change."""
        return self.answer(edit).o - self.own.o

    def turns(self, edit: Edit) -> bool:
        return self.answer(edit).label != self.prediction

    def mean_certainty(self, edits: Sequence[Edit]) -> Fraction:
        return mean([self.answer(edit).p for edit in edits])

    # Comparisons that rounding could decide

    def less(self, left: Number, right: Number) -> bool:
        """Of exact numbers, which may well be equal."""
        if left != right and abs(left - right) < CLOSE:
            self.doubtful = True
        return left < right

    def at_most(self, left: Number, limit: Number, slack: Number = 0) -> bool:
        """With some slack, numbers that only rounding makes differ count as equal."""
        if abs(left - limit - slack) < (slack / 2 or CLOSE):
            self.doubtful = True
        return left <= limit + slack

    # Values of interest

    def observed(self, f: int) -> list[float]:
        """Values of the background that are not missing, in ascending order, as often as they occur."""
        return sorted(row[f] for row in self.background if row[f] is not None)

    def place(self, f: int) -> Fraction:
        """Where a number's distances are measured from."""
        return self.means[f] if self.instance[f] is None else Fraction(self.instance[f])

    def is_upwards(self, f: int, value: float) -> bool:
        """Whether a value lies above the instance's, so that away from there is up."""
        return value >= self.place(f)

    def own_item(self, f: int) -> Item | None:
        return next((item for item in self.items[f] if holds(item, self.instance[f])), None)

    def background_values(self, f: int) -> list[float]:
        """Octiles of a number; the frequent categories (among which the instance's own counts), most frequent first."""
        present = self.observed(f)
        if self.categorical[f]:
            frequent = sorted(set(present), key=lambda value: (-present.count(value), value))
            least = Fraction(len(self.background), 200)
            enough = [v for rank, v in enumerate(frequent[:24]) if rank < 8 or present.count(v) >= least]
            return [value for value in enough if value != self.instance[f]]
        others = [value for value in present if value != self.instance[f]]
        if not others:
            return []
        return sorted({others[ceil(Fraction(i * len(others), 8)) - 1] for i in range(1, 8)})

    def other_values(self, f: int) -> list[float]:
        """Of a number with few values, all of them; else so many rows after the least."""
        present = self.observed(f)
        if self.categorical[f]:
            return []
        if len(set(present)) > 24:
            shares = [Fraction(i, 64) for i in (0, 1, 2, 62, 63, 64)] + [Fraction(i, 16) for i in range(1, 16, 2)]
            present = [present[max(ceil(share * len(present)), 1) - 1] for share in shares]
        return sorted({value for value in present if value != self.instance[f]})

    def fine_values(self, f: int) -> list[float]:
        """Of a number with at most 100 values, all; else 64, evenly along rows and numbers; those far apart first."""
        if self.categorical[f]:
            return []
        present, fine = self.observed(f), sorted(set(self.observed(f)))
        if len(fine) > 100:
            least, greatest = Fraction(fine[0]), Fraction(fine[-1])
            along = {
                v: Fraction(bisect_right(present, v), len(present)) + (Fraction(v) - least) / (greatest - least)
                for v in fine
            }
            parts = [Fraction(2 * i, 64) for i in range(1, 65)]
            reached = {next(v for v in fine if self.at_most(part, along[v], 2 * CLOSE)) for part in parts}
            fine = sorted(reached)
        numbered = dict(enumerate(fine, start=1))
        halves = sorted(numbered, key=lambda number: (-max(2**i for i in range(8) if number % 2**i == 0), number))
        return [numbered[number] for number in halves if numbered[number] != self.instance[f]]

    def inside_values(self, f: int) -> list[float]:
        """Of each item of a number, values that stand for the background there."""
        values = []
        for item in self.items[f]:
            seen = [value for value in self.observed(f) if holds(item, value)]
            if item[0] == "range" and seen:
                values += [seen[ceil(Fraction(i * len(seen), 8)) - 1] for i in (1, 3, 5, 7)]
        return [value for value in values if value != self.instance[f]]

    def find_targets(self, f: int) -> list[Target]:
        if not self.items[f]:
            return self.targets_of_constant(f)
        found = []
        for item in self.items[f]:
            if item[0] == "missing" or holds(item, self.instance[f]):
                continue
            inside = sorted(row[f] for row in self.sample if holds(item, row[f]))
            if item[0] == "is":
                found.append(Target(f, item[1], item[1], item[1], len(inside)))
                continue
            seen = [value for value in self.observed(f) if holds(item, value)]
            nearest = min(seen, key=lambda value: (abs(Fraction(value) - self.place(f)), value))
            if any(
                abs(Fraction(nearest) + Fraction(other) - 2 * self.place(f)) < CLOSE for other in {*seen} - {nearest}
            ):
                self.doubtful = True  # equally near on both sides of the mean, which is rounded elsewhere
            typical = inside[(len(inside) - 1) // 2]
            outwards = floor(Fraction(9, 10) * (len(inside) - 1))
            if item[1] > self.place(f):
                far = inside[outwards]
            elif item[2] <= self.place(f):
                far = inside[::-1][outwards]
            else:  # the instance has no number, and the mean lies inside: there is no direction
                far = typical
            found.append(Target(f, nearest, typical, far, len(inside)))
        return found

    def targets_of_constant(self, f: int) -> list[Target]:
        values, own = self.background_values(f), self.instance[f]
        if self.categorical[f]:
            return [Target(f, value, value, value, self.observed(f).count(value)) for value in values]
        if own is None:  # it has no sides: all values, upwards
            sides = [values]
        else:
            sides = [[value for value in reversed(values) if value < own], [value for value in values if value > own]]
        return [Target(f, side[0], side[len(side) // 2], side[-1], 0) for side in sides if side]

    # Edits

    def find_singles(self, f: int) -> list[Single]:
        """In the order in which they are asked about, if not all can be: by their first role, then by value."""
        targets = self.targets[f] if self.items[f] else []  # those of a constant feature are values of the background
        roles = {
            "typical": [target.typical for target in targets],
            "background": self.background_values(f),
            "far": [target.far for target in targets],
            "nearest": [target.nearest for target in targets],
            "inside": self.inside_values(f),
            "other": self.other_values(f),
            "fine": self.fine_values(f),
        }
        found: dict[float, list[str]] = {}
        for role, values in roles.items():
            for value in values if role == "fine" else sorted(values):
                found.setdefault(value, []).append(role)
        return [Single(f, value, frozenset(its)) for value, its in found.items()]

    def in_turn(self) -> list[Single]:
        """Of each feature in turn."""
        turns = range(max(map(len, self.every_single.values())))
        return [self.every_single[f][i] for i in turns for f in self.features if i < len(self.every_single[f])]

    def choose_singles(self) -> list[Single]:
        """All but the fine ones, until so many are reached, but two of every feature at least."""
        return [single for single in self.in_turn() if not single.is_fine][: max(self.n_asked, 2 * len(self.features))]

    def choose_fine(self) -> list[Single]:
        """As many as there is room for beside the others, and beside the pairs, if these go into the same call."""
        room = max(self.n_asked, 2 * len(self.features)) - len(self.singles)
        if len(self.singles) + len(self.every_pair) <= self.n_asked:
            room = self.n_asked - len(self.singles) - len(self.every_pair)
        return [single for single in self.in_turn() if single.is_fine][:room]

    def find_borders(self) -> list[Single]:
        """Between the first value that leads to another label and the one before it, on both sides, for each label."""
        gaps = []
        for f in self.features:
            x = self.instance[f]
            if self.categorical[f] or x is None:
                continue
            asked = sorted(single.value for single in self.singles_of(f))
            for outwards in ([v for v in asked[::-1] if v < x], [v for v in asked if v > x]):
                labels = [self.answer(((f, v),)).label for v in outwards]
                for label in set(labels) - {self.prediction}:
                    first = labels.index(label)
                    low, high = sorted([x, *outwards][first : first + 2])
                    gaps.append((f, [v for v in sorted({*self.observed(f)}) if low < v < high]))
        gaps = [(f, between) for f, between in gaps if between]
        found = []
        for f, between in gaps:
            size = min(16, self.n_asked // (4 * len(gaps)), len(between))
            found += [Single(f, between[(2 * i + 1) * len(between) // (2 * size)], FINE) for i in range(size)]
        return found

    def singles_of(self, f: int) -> list[Single]:
        return [single for single in self.singles if single.feature == f]

    def coarse_of(self, f: int) -> list[Single]:
        return [single for single in self.singles_of(f) if not single.is_fine]

    def shown_of(self, f: int) -> list[Single]:
        """In ascending order; of fine ones, those with another label than a value beside them."""
        singles = sorted(self.singles_of(f), key=lambda single: single.value)
        labels = {single.value: self.answer(single.edit).label for single in singles}
        if not self.categorical[f] and self.instance[f] is not None:
            labels[self.instance[f]] = self.prediction
        borders = {v for pair in pairwise(sorted(labels)) if labels[pair[0]] != labels[pair[1]] for v in pair}
        return [single for single in singles if not single.is_fine or single.value in borders]

    def find_asked_targets(self) -> list[Target]:
        """Targets at the values that were asked about: for one that was not stands the next."""
        found = []
        for f in self.features:
            values = [single.value for single in self.singles_of(f)]
            for target in self.targets[f]:
                levels = [target.nearest, target.typical, target.far]
                asked = [value for value in levels if value in values]
                if asked:
                    found.append(Target(f, asked[0], asked[min(1, len(asked) - 1)], asked[-1], target.rows))
        return found

    def paired_targets(self) -> list[Target]:
        """Of a category, only the targets with the most rows."""
        chosen = []
        for f in self.features:
            targets = [target for target in self.asked_targets if target.feature == f]
            if self.categorical[f]:
                best = sorted(targets, key=lambda target: -target.rows)[:PAIRED_CATEGORIES]
                targets = [target for target in targets if target in best]
            chosen.extend(targets)
        return chosen

    def find_pairs(self, targets: Sequence[Target]) -> list[Edit]:
        pairs: list[Edit] = []
        for one, other in combinations(sorted(targets, key=lambda target: target.feature), 2):
            for level in ("nearest", "typical"):
                pair = ((one.feature, one.at(level)), (other.feature, other.at(level)))
                if one.feature != other.feature and pair not in pairs:
                    pairs.append(pair)
        return pairs

    def choose_pairs(self) -> list[Edit]:
        if self.pairs_at_once:
            return self.every_pair
        targets = sorted(self.paired_targets(), key=lambda target: -self.strength(target))
        chosen: list[Edit] = []
        for count in range(2, len(targets) + 1):
            pairs = self.find_pairs(targets[:count])
            if len(pairs) > self.n_asked:
                break
            chosen = pairs
        return chosen

    def strength(self, target: Target) -> float:
        """The larger |δ| of the values that go into pairs."""
        return max(abs(self.change(((target.feature, target.at(level)),))) for level in ("nearest", "typical"))

    def effect(self, f: int) -> Fraction:
        asked = self.singles_of(f)
        counted = [single for single in asked if "background" in single.roles] or asked
        usual = mean([abs(self.change(single.edit)) for single in counted]) if counted else Fraction(0)
        largest = max((Fraction(abs(self.change(single.edit))) for single in self.coarse_of(f)), default=Fraction(0))
        return max(usual, largest / 64)

    # The instance's own ranges

    def look(self, kind: str) -> None:
        """Look at the ranges of a kind of rules: of those that say why, as far as they reach."""
        self.items = self.reached if kind == KINDS[0] else self.cut_by_sample

    def reach(self, f: int) -> Sequence[Item]:
        """The items of a feature, with the instance's own range as far as nothing is different."""
        items, own, x = self.items[f], self.own_item(f), self.instance[f]
        if own is None or own[0] != "range":
            return items
        ranges = [item for item in items if item[0] == "range"]
        asked = sorted(single.value for single in self.singles_of(f))
        (first, least), (last, greatest) = (
            self.end(f, ranges, values) for values in ([v for v in asked[::-1] if v < x], [v for v in asked if v > x])
        )
        first, last = first or ranges[0], last or ranges[-1]
        wide = ("range", first[1], last[2])
        if least is not None or greatest is not None:
            wide = ("part", wide, least, greatest)
        cut = [*ranges[: ranges.index(first)], *([] if least is None else [("before", first, least)]), wide]
        cut += [] if greatest is None else [("after", last, greatest)]
        cut += [*ranges[ranges.index(last) + 1 :], *(item for item in items if item[0] == "missing")]
        occurring = [item for item in cut if any(holds(item, row[f]) for row in self.sample)]
        return occurring if wide in occurring and len(occurring) > 1 else items

    def end(self, f: int, ranges: Sequence[Item], outwards: Sequence[float]) -> tuple[Item | None, float | None]:
        """The last range that is reached (None: the outermost), and the last value, if the range is not all reached."""
        last = self.instance[f]
        for value in outwards:
            reached = next(item for item in ranges if holds(item, last))
            if self.differs(f, value) or not any(holds(item, value) for item in ranges):
                return reached, last if holds(reached, value) else None
            last = value
        return None, None

    def differs(self, f: int, value: float) -> bool:
        """Whether a value turns the prediction, or is outside and takes over a quarter of the most that one takes."""
        if self.turns(((f, value),)) or holds(self.own_item(f), value):
            return self.turns(((f, value),))
        lost = {s.value: Fraction(self.own.p) - Fraction(self.answer(s.edit).p) for s in self.singles_of(f)}
        return not self.at_most(lost[value], max(lost.values()) / 4, CLOSE)

    # Confirmation

    def leaving(self, f: int) -> list[Single]:
        """Asked single edits that lead out of the instance's item; all of them, if it has none."""
        item = self.own_item(f)
        return [single for single in self.singles_of(f) if item is None or not holds(item, single.value)]

    def staying(self, f: int) -> list[Single]:
        """Asked single edits that stay in the instance's item."""
        return [single for single in self.singles_of(f) if single not in self.leaving(f)]

    def pairs_of(self, f: int, g: int) -> list[Edit]:
        """Those that lead out of the instance's items of both."""
        return [
            pair
            for pair in self.pairs
            if [changed for changed, _ in pair] == [f, g]
            if not any(self.own_item(h) and holds(self.own_item(h), value) for h, value in pair)
        ]

    def matters(self, f: int) -> bool:
        return any(not self.less(abs(self.change(single.edit)), 0.05) for single in self.coarse_of(f))

    def breaking(self, f: int) -> list[Single]:
        """Asked single edits that lead out of the instance's item and count; if these are few, typical ones."""
        if self.has_few(f):
            return self.typical_of_outside(f)
        return [single for single in self.leaving(f) if single.counts] or self.leaving(f)

    def has_few(self, f: int) -> bool:
        """Whether few edits that count lead out of the instance's item of a number."""
        counted = [single for single in self.leaving(f) if single.counts]
        return not self.categorical[f] and self.own_item(f) is not None and len(counted) < 4

    def typical_of_outside(self, f: int) -> list[Single]:
        """Of all edits that lead out, those nearest in rank to 1/8, 3/8, 5/8 and 7/8 of the rows outside."""
        outside = [value for value in self.observed(f) if not holds(self.own_item(f), value)]
        leaving = sorted(self.leaving(f), key=lambda single: single.value)
        up_to = [len([value for value in outside if value <= single.value]) for single in leaving]
        chosen = set()
        for part in (1, 3, 5, 7):
            gaps = [abs(8 * rows - part * len(outside)) for rows in up_to]
            chosen |= {gaps.index(min(gaps))} if gaps else set()
        return [leaving[i] for i in sorted(chosen)]

    def values_left(self, f: int) -> list[float]:
        """The background's values outside the instance's item; all that count, if none of these was asked about."""
        breaking = self.breaking(f)
        of_background = [single for single in breaking if "background" in single.roles and not self.has_few(f)]
        return [single.value for single in of_background or breaking]

    def mean_left(self, f: int) -> Fraction:
        """Mean of p over these; categories by their share."""
        values = self.values_left(f)
        if not values:
            return Fraction(self.own.p)  # nothing was seen to change
        weights = [self.weight(f, value) for value in values]
        total = sum(w * Fraction(self.answer(((f, v),)).p) for v, w in zip(values, weights, strict=True))
        return total / sum(weights)

    def move_alone(self, f: int) -> Fraction:
        """Mean change of p over the background's values outside the instance's item; 0, if there are none."""
        return self.mean_left(f) - Fraction(self.own.p)

    def move_staying(self, f: int) -> Fraction:
        """Mean change of p over the background's values inside the instance's item; 0, if there are none."""
        inside = [s.edit for s in self.staying(f) if s.roles & {"background", "inside"}]
        return self.mean_certainty(inside) - Fraction(self.own.p) if inside else Fraction(0)

    def move_together(self, f: int, g: int, sign: int) -> Fraction:
        """Over the pairs of two features, or the sum of what each does alone: whichever speaks less for the rule."""
        alone = self.move_alone(f) + self.move_alone(g)
        if not self.pairs_of(f, g):
            return alone
        pairs = self.mean_certainty(self.pairs_of(f, g)) - Fraction(self.own.p)
        return max(alone, pairs) if sign > 0 else min(alone, pairs)

    def share_leaving(self, f: int) -> Fraction:
        item = self.own_item(f)
        return mean([0 if holds(item, row[f]) else 1 for row in self.background])

    def move_as_broken_by_rows(self, features: Sequence[int], sign: int) -> Fraction:
        """Mean change of p, if each feature leaves the instance's item as often as in the background, and some do."""
        total, weight = Fraction(0), Fraction(0)
        for size in range(1, len(features) + 1):
            for left in combinations(features, size):
                chance = Fraction(1)
                for f in features:
                    chance *= self.share_leaving(f) if f in left else 1 - self.share_leaving(f)
                moves = [self.move_together(f, g, sign) for f, g in combinations(left, 2)]
                move = self.move_alone(left[0]) if size == 1 else mean(moves)
                move += sum((self.move_staying(f) for f in features if f not in left), Fraction(0))
                total, weight = total + chance * move, weight + chance
        return total / weight if weight else mean([self.move_alone(f) for f in features])

    def confirm_current(self, features: Sequence[int], sign: int) -> Check | None:
        """Sign 1: a supporting rule; -1: a contradicting one, with all signs the opposite."""
        singles = [single for f in features for single in self.breaking(f)]
        pairs = [pair for f, g in combinations(features, 2) for pair in self.pairs_of(f, g)]
        leaving = [single for f in features for single in self.leaving(f)]
        similar = [single.edit for single in leaving if single.roles & {"nearest", "typical", "far"}] + pairs
        every = [single.edit for single in singles] + pairs
        if not every:
            return None
        if sign > 0 and any(self.turns(single.edit) for f in features for single in self.staying(f)):
            return None
        if self.unit == "label":
            if sign < 0 or not any(self.turns(edit) for edit in every):
                return None
        else:
            before = sign * Fraction(self.own.p)
            for edits in [similar, every] if similar else [every]:
                changes = [sign * self.change(edit) for edit in edits]
                if not self.at_most(mean(changes), Fraction(-1, 10)):
                    return None
                if 2 * sum(change < 0 for change in changes) <= len(edits):
                    return None
                if not self.less(sign * self.mean_certainty(edits), before):
                    return None
            for f in features:
                alone = [single.edit for single in self.breaking(f)]
                if not alone or not self.less(sign * mean([self.change(edit) for edit in alone]), Fraction(0)):
                    return None
            if not self.less(sign * self.move_as_broken_by_rows(features, sign), Fraction(0)):
                return None
        agreed = sum(sign * self.change(edit) < 0 for edit in every)
        return Check(len(every), agreed, self.own.p, self.mean_certainty(every))

    def confirm_hypothetical(self, conditions: Sequence[tuple[int, Item]]) -> tuple[Check, Edit] | None:
        """Whether what makes a supporting rule true makes the prediction more certain; and the nearest such edit."""
        changed = [(f, item) for f, item in conditions if not holds(item, self.instance[f])]
        if self.unit == "label" or len(changed) > 2:
            return None
        nearest = []
        for f, item in changed:
            values = [t.nearest for t in self.asked_targets if t.feature == f and holds(item, t.nearest)]
            if not values:  # missing is no target
                return None
            nearest.append((f, values[0]))
        if len(changed) == 1:
            f, item = changed[0]
            singles = [s for s in self.singles_of(f) if holds(item, s.value) and s.counts]
            edits = [single.edit for single in singles]
            if any(self.turns(single.edit) for single in self.singles_of(f) if holds(item, single.value)):
                return None
        else:
            (f, item), (g, other) = changed
            edits = [pair for pair in self.pairs_of(f, g) if holds(item, pair[0][1]) and holds(other, pair[1][1])]
            if not edits:
                return None
        if any(self.turns(edit) for edit in edits) or self.change(tuple(nearest)) <= 0:
            return None
        if len(changed) == 2 and not (self.adds_on_average(edits, 0) and self.adds_on_average(edits, 1)):
            return None
        changes = [self.change(edit) for edit in edits]
        if not self.at_most(Fraction(1, 10), mean(changes)):
            return None
        if not self.less(Fraction(self.own.p), self.mean_certainty(edits)):
            return None
        moves = [self.move_inside(f, item) for f, item in changed]
        moves = [move for move in moves if move is not None]
        if moves and not self.less(Fraction(0), sum(moves)):
            return None
        agreed = sum(change > 0 for change in changes)
        if 2 * agreed <= len(edits):
            return None
        return Check(len(edits), agreed, self.own.p, self.mean_certainty(edits)), tuple(nearest)

    def adds_on_average(self, pairs: Sequence[Edit], which: int) -> bool:
        """Whether a change of pairs, the first or the second, makes more certain than the other one alone."""
        return self.at_most(0.05, mean([self.change(pair) - self.change((pair[1 - which],)) for pair in pairs]))

    def move_inside(self, f: int, item: Item) -> Fraction | None:
        """Mean change of p over an item's values that are the background's or stand for it inside, if there are any."""
        singles = [s for s in self.singles_of(f) if holds(item, s.value) and s.roles & {"background", "inside"}]
        return self.mean_certainty([single.edit for single in singles]) - Fraction(self.own.p) if singles else None

    # Rules of the sample

    def codes(self, row: Row) -> list[int]:
        """Number of each feature's item; 0 throughout for a constant feature."""
        return [
            next(i for i, item in enumerate(self.items[f]) if holds(item, row[f])) if self.items[f] else 0
            for f in self.features
        ]

    def matching(self, conditions: Sequence[tuple[int, Item]]) -> set[int]:
        return {i for i, row in enumerate(self.sample) if all(holds(item, row[f]) for f, item in conditions)}

    def changed(self, rule: Rule) -> set[int]:
        return {f for f, item in rule.conditions if not holds(item, self.instance[f])}

    def is_repetition(self, rule: Rule, earlier: Rule) -> bool:
        one, other = self.matching(rule.conditions), self.matching(earlier.conditions)
        if 10 * len(one & other) >= 9 * len(one | other):
            return True
        return bool(self.changed(rule)) and self.changed(rule) == self.changed(earlier)

    def confirmed_rules(self, kind: str, k: int, options: dict, weights: Sequence[float]) -> list[Rule]:
        """The first k rules of a kind, in the order of rules, that are confirmed and distinct."""
        rows = [self.codes(row) for row in self.sample]
        chosen: list[Rule] = []
        for found in naive.k_optimal_rules(rows, self.labels, k=10**9, weights=weights, **options):
            conditions = tuple((f, self.items[f][number]) for f, number in found.conditions)
            current = all(holds(item, self.instance[f]) for f, item in conditions)
            supporting = found.consequent == self.prediction
            if kind != f"{'current' if current else 'hypothetical'}_{'supporting' if supporting else 'contradicting'}":
                continue
            if len(chosen) == k or not all(self.matters(f) for f, _ in conditions):
                continue
            check, rerun = None, None
            if current:
                check = self.confirm_current([f for f, _ in conditions], 1 if supporting else -1)
            elif supporting:
                check, rerun = self.confirm_hypothetical(conditions) or (None, None)
            if check is None:
                continue
            label = None if rerun is None else self.answer(rerun).label
            rule = Rule(kind, conditions, found.consequent, found.antecedent, found.both, check, rerun, label)
            if not any(self.is_repetition(rule, earlier) for earlier in chosen):
                chosen.append(rule)
        return chosen

    def why(self) -> list[Rule]:
        """A weak rule that supports the prediction, where no other is found."""
        alone = {(f,): self.mean_left(f) for f in self.features if self.falls_without(f)}
        varying = [f for f in self.features if self.items[f]]
        pairs = {
            (f, g): self.mean_certainty(self.pairs_of(f, g))
            for f, g in combinations(varying, 2)
            if self.pairs_of(f, g) and self.mean_falls([(self.change(pair), 1) for pair in self.pairs_of(f, g)])
            if self.adds(f, g, 0) and self.adds(f, g, 1)
            if not self.rises_without(f) and not self.rises_without(g)
        }
        for means in (alone, pairs):
            means = {features: p for features, p in means.items() if self.less(p, Fraction(self.own.p))}
            lowest = min(means, key=lambda features: (self.seldom(features), means[features], features), default=())
            if lowest:
                for other in means:
                    if other != lowest:
                        self.less(means[lowest], means[other])  # doubtful, if rounding could decide
                return [self.last_resort(lowest)]
        return []

    def weight(self, f: int, value: float) -> int:
        """How much a value of the background counts: categories by their share."""
        return self.observed(f).count(value) if self.categorical[f] else 1

    def edits_without(self, features: Sequence[int]) -> list[Edit]:
        if len(features) == 1:
            return [((features[0], value),) for value in self.values_left(features[0])]
        return self.pairs_of(*features)

    def seldom(self, features: Sequence[int]) -> bool:
        """Whether at most half of the edits, as frequent as in the background, make the model less certain."""
        edits = self.edits_without(features)
        weights = [self.weight(*edit[0]) if len(edit) == 1 else 1 for edit in edits]
        return 2 * sum(w for edit, w in zip(edits, weights, strict=True) if self.change(edit) < 0) <= sum(weights)

    def falls_without(self, f: int) -> bool:
        values = self.values_left(f)
        return bool(values) and self.mean_falls([(self.change(((f, v),)), self.weight(f, v)) for v in values])

    def rises_without(self, f: int) -> bool:
        """Whether the model is more certain, on average, with other values of a feature alone."""
        return bool(self.values_left(f)) and self.less(Fraction(self.own.p), self.mean_left(f))

    def mean_falls(self, changes: Sequence[tuple[float, int]]) -> bool:
        """Whether δ, weighted, is at most -0.1 on average."""
        total = sum(Fraction(change) * weight for change, weight in changes)
        return self.at_most(total / sum(weight for _, weight in changes), Fraction(-1, 10))

    def adds(self, f: int, g: int, which: int) -> bool:
        """Whether one of two features, the first or the second, adds to what the other one does alone."""
        return any(
            not self.less(abs(self.change(pair) - self.change((pair[1 - which],))), 0.05)
            for pair in self.pairs_of(f, g)
        )

    def last_resort(self, features: Sequence[int]) -> Rule:
        conditions = tuple((f, self.own_range(f) or self.own_value(f)) for f in features)
        edits = self.edits_without(features)
        agreed = sum(self.change(edit) < 0 for edit in edits)
        after = self.mean_left(features[0]) if len(features) == 1 else self.mean_certainty(edits)
        check = Check(len(edits), agreed, self.own.p, after)
        return self.made_rule(KINDS[0], conditions, self.prediction, check, weak=True)

    def own_range(self, f: int) -> Item | None:
        """The instance's item, unless a value inside it turns the prediction."""
        return None if any(self.turns(single.edit) for single in self.staying(f)) else self.own_item(f)

    def own_value(self, f: int) -> Item:
        return ("missing",) if self.instance[f] is None else self.exactly(f, self.instance[f])

    def exactly(self, f: int, value: float) -> Item:
        return ("is", value) if self.categorical[f] else ("from", value, value)

    def made_rule(self, kind: str, conditions, consequent: int, check: Check, **others) -> Rule:
        """A rule with its counts on the sample."""
        matching = self.matching(conditions)
        both = sum(self.labels[i] == consequent for i in matching)
        return Rule(kind, tuple(conditions), consequent, len(matching), both, check, **others)

    # Edits that turn the prediction

    def distance(self, edit: Edit) -> Fraction:
        """Squared, as distances between rows are measured."""
        return self.row_distance(self.row(edit))

    def compare_distances(self, one: Edit, other: Edit) -> None:
        """Doubtful, if rounding could decide; a missing number moves from the mean, which is rounded itself."""
        self.less(self.distance(one), self.distance(other))
        from_mean = any(self.instance[f] is None for f, _ in (*one, *other))
        self.doubtful |= one != other and from_mean and self.distance(one) == self.distance(other)

    def row_distance(self, row: Row) -> Fraction:
        total = Fraction(0)
        for f, value in enumerate(row):
            if self.categorical[f]:
                total += 0 if value == self.instance[f] else 2
            elif self.variances[f]:
                number = self.means[f] if value is None else Fraction(value)
                total += (number - self.place(f)) ** 2 / self.variances[f]
        return total

    def turning(self) -> list[Edit]:
        """All irreducible edits that turn the prediction; what is larger is tried only if nothing smaller does."""

        def parts(edit: Edit) -> list[Edit]:
            return [part for size in range(1, len(edit)) for part in combinations(edit, size)]

        asked = [single.edit for single in self.singles] + self.pairs
        turning = {edit for edit in asked if self.turns(edit)}
        is_asked_at_first = bool(turning)
        # Asked about in one call, but what changes less comes first.
        for more in (self.far_pairs, self.wide_pairs, self.triples):
            turning = turning or {edit for edit in more() if self.turns(edit)}
        self.may_be_nearer = bool(turning) and not is_asked_at_first and all(len(edit) == 2 for edit in turning)
        self.only_unlike = not turning
        if self.only_unlike:
            return self.unlike()
        return [edit for edit in sorted(turning) if not any(part in turning for part in parts(edit))]

    def target_pairs(self) -> list[tuple[Target, Target]]:
        """Targets of which pairs were asked about."""
        both = combinations(self.paired_targets(), 2)
        nearest = [(((one.feature, one.nearest), (other.feature, other.nearest)), one, other) for one, other in both]
        return [(one, other) for pair, one, other in nearest if pair in self.pairs]

    def far_pairs(self) -> list[Edit]:
        return [((one.feature, one.far), (other.feature, other.far)) for one, other in self.target_pairs()]

    def wide_pairs(self) -> list[Edit]:
        """Pairs of the ends of what was asked about a number, or of where the model is least certain."""
        chosen: dict[int, list[float]] = {}
        for f in sorted(self.features, key=lambda f: (-self.effect(f), f)):
            values = sorted(single.value for single in self.coarse_of(f))
            lowest = sorted(values, key=lambda value: self.change(((f, value),)))
            own = lowest[:3] if self.categorical[f] else [*values[:1], *values[-1:], *lowest[:1]]
            more = {**chosen, f: sorted(set(own))}
            if sum(len(more[f]) * len(more[g]) for f, g in combinations(more, 2)) > 1000:
                break
            chosen = more
        return [((f, v), (g, w)) for f, g in combinations(sorted(chosen), 2) for v in chosen[f] for w in chosen[g]]

    def drawn_in(self, edit: Edit) -> Edit:
        """Of two numbers, both as near together as lets it be."""
        axes = [[*self.nearer(f, end), end] for f, end in edit]
        (f, _), (g, _) = edit
        others = [((f, v), (g, w)) for v in axes[0] for w in axes[1] if ((f, v), (g, w)) != edit]
        turning = [other for other in others if self.turns(other)]
        nearest = min(turning, key=self.distance, default=edit)
        for other in turning:
            self.compare_distances(nearest, other)
        return nearest

    def nearer(self, f: int, end: float) -> list[float]:
        """Values asked about between the instance's and this one, the nearest first, which do not turn it alone."""
        if self.categorical[f]:
            return []
        start, values = self.place(f), sorted(single.value for single in self.singles_of(f))
        inside = [v for v in values if start <= v < end] or [v for v in reversed(values) if end < v < start]
        inside = [v for v in inside if not self.turns(((f, v),))]
        if len(inside) > 15:
            inside = [inside[i * (len(inside) - 1) // 14] for i in range(15)]
        return inside

    def triples(self) -> list[Edit]:
        """The forty pairs with the least δ at either level, with a third target each; a triple at both levels."""
        levels = ("nearest", "typical")

        def least(*targets: Target) -> float:
            return min(self.change(tuple((t.feature, t.at(level)) for t in targets)) for level in levels)

        targets = self.paired_targets()
        sums: dict[tuple[int, ...], float] = {}  # by the places of the targets
        for pair in sorted(self.target_pairs(), key=lambda pair: least(*pair))[:40]:
            for third in targets:
                if third.feature not in [target.feature for target in pair]:
                    triple = tuple(sorted(targets.index(target) for target in (*pair, third)))
                    sums[triple] = min(least(*pair) + least(third), sums.get(triple, inf))
        chosen = sorted(sums, key=lambda triple: (sums[triple], triple))[:250]
        return [tuple((targets[i].feature, targets[i].at(v)) for i in triple) for triple in chosen for v in levels]

    def unlike(self) -> list[Edit]:
        """From the nearest real row that the model labels otherwise, or by one change after the other."""
        real = zip(self.sample[: self.n_real], self.labels[: self.n_real], strict=True)
        rows = [row for row, label in real if label != self.prediction]
        rows.sort(key=self.row_distance)
        for one, other in pairwise(rows):
            self.less(self.row_distance(one), self.row_distance(other))  # doubtful, if rounding could decide
        edits = [tuple((f, v) for f, v in enumerate(row) if v is not None and v != self.instance[f]) for row in rows]
        turned = [edit for edit in edits[:10] if self.turns(edit)]  # where it has no values, it has those of x
        way = self.reduced(turned[0]) if turned else None
        if way is None or len(way) > 3:
            climbed = self.climbed()
            climbed = climbed and self.retreated(self.reduced(climbed))
            if climbed and (way is None or len(climbed) < len(way)):
                way = climbed
        return [way] if way else []

    def reduced(self, edit: Edit) -> Edit:
        """With as few changes as keep it turned."""
        while True:
            without = {f: tuple(change for change in edit if change[0] != f) for f, _ in edit}
            spare = sorted((f for f in without if self.turns(without[f])), key=lambda f: self.change(without[f]))
            if not spare:
                return edit
            shorter = [tuple(c for c in edit if c[0] not in spare[: n + 1]) for n in range(len(spare))]
            edit = [some for some in shorter if self.turns(some)][-1]

    def climbed(self) -> Edit | None:
        """One change after the other, each the one that leaves the model least certain; or the best of all at once."""

        def certainty(edit: Edit) -> float:
            return self.answer(edit).p

        singles = [(f, single.value) for f in self.features for single in self.coarse_of(f)]
        singles.sort(key=lambda change: self.distance((change,)))  # of equal ones, the nearest is taken
        farthest_first = singles[::-1]
        ranked = sorted(farthest_first, key=lambda change: -certainty((change,)))  # the best comes last
        best = {f: value for f, value in ranked if certainty(((f, value),)) < self.own.p}
        together = tuple(sorted(best.items()))
        edit: Edit = ()
        for _ in range(8):
            steps = [tuple(sorted({**dict(edit), f: value}.items())) for f, value in singles]
            turned = [step for step in steps if self.turns(step)]
            if turned:
                return min(turned, key=certainty)
            if not steps or min(map(certainty, steps)) >= certainty(edit):
                break
            edit = min(steps, key=certainty)
        return together if together and self.turns(together) else None

    def retreated(self, edit: Edit) -> Edit:
        """Each number as near to the instance's as keeps it turned, the farthest first; some of those between."""

        def far(change: tuple[int, float]) -> Fraction:
            return (Fraction(change[1]) - self.place(change[0])) ** 2 / self.variances[change[0]]

        numbers = [(f, v) for f, v in edit if not self.categorical[f] and self.instance[f] is not None]
        ranked = sorted(numbers, key=far, reverse=True)
        for one, other in pairwise(ranked):
            self.less(far(other), far(one))  # doubtful, if rounding could decide
        for f, end in ranked:
            start = self.instance[f]
            inside = sorted({v for v in self.observed(f) if min(start, end) < v < max(start, end)})
            places = sorted({i * (len(inside) - 1) // 23 for i in range(24)}) if inside else []
            nearer = [inside[place] for place in places]
            others = [
                tuple((g, v if g == f else w) for g, w in edit) for v in (nearer if start < end else nearer[::-1])
            ]
            edit = next((other for other in others if self.turns(other)), edit)
        return edit

    def nearest_of_each_set(self, effects: Sequence[float]) -> list[Edit]:
        """One turning edit for each set of changed features; of several features, of twelve sets."""
        sets: dict[tuple[int, ...], list[Edit]] = {}
        for edit in self.turning():
            sets.setdefault(tuple(f for f, _ in edit), []).append(edit)
        nearest = {}
        for features, edits in sets.items():
            edits.sort(key=lambda edit: (self.distance(edit), self.change(edit), self.last_of_equals(edit)))
            nearest[features] = edits[0]
            for other in edits[1:]:
                self.compare_distances(edits[0], other)
        several = [features for features in nearest if len(features) > 1]
        several.sort(key=lambda features: (-min(effects[f] for f in features), features))
        chosen = [nearest[features] for features in several[:12]]
        if self.may_be_nearer:
            chosen = [self.drawn_in(edit) for edit in chosen]
        if len(self.pairs) < len(self.every_pair) and not self.only_unlike:
            chosen = [self.without_needless(edit) for edit in chosen]
            first = {tuple(f for f, _ in edit): edit for edit in reversed(chosen)}
            chosen = [edit for edit in chosen if first[tuple(f for f, _ in edit)] == edit]
            chosen = list(dict.fromkeys(chosen))
        return [edit for f, edit in nearest.items() if len(f) == 1] + chosen

    def without_needless(self, edit: Edit) -> Edit:
        """A triple, or one of its pairs that turns the prediction, which was not asked about before."""
        if len(edit) < 3:
            return edit
        pairs = [tuple(change for change in edit if change != left) for left in edit]
        turning = [pair for pair in pairs if self.turns(pair)]
        return min(turning, key=self.change) if turning else edit

    def last_of_equals(self, edit: Edit) -> Edit:
        """Of a number below the instance's and one above it that are equal in all else, the one above counts."""
        ((f, value), *others) = edit
        return edit if others or self.categorical[f] else ((f, -value),)

    def counterfactuals(self, effects: Sequence[float]) -> list[Rule]:
        edits = self.nearest_of_each_set(effects)
        several = [edit for edit in edits if len(edit) > 1]
        settled = [] if self.only_unlike or len(edits) - len(several) >= 3 else several[:5]
        drawn = {edit: self.drawn_in(edit) if len(edit) == 2 else edit for edit in settled}
        edits, settled = [drawn.get(edit, edit) for edit in edits], list(drawn.values())
        rules = []
        for edit in edits:
            label = self.answer(edit).label
            if len(edit) == 1 and not self.only_unlike:
                conditions, within = self.range_of_single(*edit[0])
            elif edit in settled:
                conditions, within = self.settle(edit)
            else:
                conditions, within = [(f, self.exactly(f, v)) for f, v in edit], [edit]
            agreed = sum(self.answer(one).label == label for one in within)
            check = Check(len(within), agreed, self.own.p, self.mean_certainty(within))
            rules.append(self.made_rule(KINDS[3], conditions, label, check, rerun=edit, rerun_label=label))
        return rules

    def range_of_single(self, f: int, start: float) -> tuple[list[tuple[int, Item]], list[Edit]]:
        """From the first value that turns the prediction, away from the instance, as long as the class is the same."""
        if self.categorical[f]:
            return [(f, ("is", start))], [((f, start),)]
        asked = sorted(single.value for single in self.singles_of(f))
        up = start >= self.place(f)
        outwards = [v for v in asked if v >= start] if up else [v for v in reversed(asked) if v <= start]
        inside: list[float] = []
        for value in outwards:
            if self.answer(((f, value),)).label != self.answer(((f, start),)).label:
                break
            inside.append(value)
        last = inside[-1]
        if self.is_upwards(f, start) and last == self.observed(f)[-1]:
            last = inf
        elif not self.is_upwards(f, start) and last == self.observed(f)[0]:
            last = -inf
        return [(f, ("from", *sorted((start, last))))], [((f, value),) for value in inside]

    def settle(self, edit: Edit) -> tuple[list[tuple[int, Item]], list[Edit]]:
        """The largest box of a grid that starts at the turning values and of which nine tenths turn, to their class."""
        label = self.answer(edit).label
        axes = [self.axis(f, value) for f, value in edit]
        best: list[Edit] = []
        ends: tuple[int, ...] = ()
        for sizes in product(*(range(1, len(axis) + 1) for axis in axes)):
            corner = [axis[:size] for axis, size in zip(axes, sizes, strict=True)]
            cells = [tuple((f, v) for (f, _), v in zip(edit, values, strict=True)) for values in product(*corner)]
            hits = sum(self.answer(cell).label == label for cell in cells)
            if 10 * hits >= 9 * len(cells) and len(cells) > len(best):
                best, ends = cells, sizes
        conditions = []
        for (f, start), axis, size in zip(edit, axes, ends, strict=True):
            last = axis[size - 1]
            if size == len(axis):
                last = inf if self.is_upwards(f, start) else -inf
            conditions.append((f, ("is", start) if self.categorical[f] else ("from", *sorted((start, last)))))
        return conditions, best

    def axis(self, f: int, start: float) -> list[float]:
        """The turning value, and those of the rows from there on, away from the instance, after so many of them."""
        if self.categorical[f]:
            return [start]
        up = self.is_upwards(f, start)
        onwards = (
            [v for v in self.observed(f) if v >= start] if up else [v for v in self.observed(f) if v <= start][::-1]
        )
        shares = Fraction(1, 16), Fraction(1, 8), Fraction(1, 3), Fraction(2, 3), Fraction(97, 100)
        steps = [onwards[floor(share * len(onwards))] for share in shares]
        return sorted({start, *steps}, reverse=not up)

    # Everything

    def order(self, rule: Rule, weights: Sequence[float], objective: str, m: float) -> tuple:
        """The order of rules; a measure that would divide by nothing counts 0."""
        n_q = sum(label == rule.consequent for label in self.labels)
        try:
            score = naive.score(objective, len(self.sample), rule.antecedent, n_q, rule.both, m)
        except ZeroDivisionError:
            score = 0.0
        weight = min(weights[f] for f, _ in rule.conditions)
        places = [(f, place_of(item)) for f, item in rule.conditions]
        return -score * weight, -rule.antecedent, -rule.both, len(rule.conditions), places, rule.consequent

    def explain(
        self, effects: Sequence[float], *, k: int, per: str, weight: str, **options: object
    ) -> dict[str, list[Rule]]:
        """Rules of each kind; `effects` are those of the library, which may differ in the last digits."""
        sizes = [size * size if weight == "effect" else 1.0 for size in effects]
        objective, m = options["objective"], options["m"]

        def order(rule: Rule) -> tuple:
            return self.order(rule, sizes, objective, m)

        rules = {}
        for kind in KINDS[:3]:
            self.look(kind)
            rules[kind] = self.confirmed_rules(kind, k, options, sizes)
            if kind == KINDS[0]:
                rules[kind] = rules[kind] or self.why()
        turning = sorted(self.counterfactuals(effects), key=lambda rule: (len(rule.conditions), order(rule)))
        rules[KINDS[3]] = turning[:k]
        if per == "overall":
            every = sorted((rule for kind in KINDS for rule in rules[kind]), key=order)
            rules = {kind: [rule for rule in every[:k] if rule.kind == kind] for kind in KINDS}
        return rules
