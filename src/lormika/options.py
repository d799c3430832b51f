"""Options: defaults, limits and help texts, each in one place.

Python's signatures and the command line derive from the fields of `Settings` and `SearchOptions`. To add an option, add
a field, and a line to the keywords below it, which editors read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias, TypedDict

from lormika.checks import MOST, check_integer
from lormika.errors import InputError
from lormika.option import Options, choice, integer, number, switch

if TYPE_CHECKING:
    from lormika.constraints import Constraints
    from lormika.frames.values import Scalar

MOST_CONDITIONS = 6
MOST_BINS = 1000
MOST_GENERATED = 10_000_000
MOST_M = 1e9
MOST_THREADS = 1024
MOST_NEIGHBOURS = 2**31 - 1  # as the scan of the background counts


class Objective(StrEnum):
    """The measure that ranks rules."""

    SUPPORT = "support"
    COVERAGE = "coverage"
    CONFIDENCE = "confidence"
    LIFT = "lift"
    LEVERAGE = "leverage"


class Filter(StrEnum):
    """Which rules may enter the result; each filter implies the previous one."""

    NONE = "none"
    NONREDUNDANT = "nonredundant"
    PRODUCTIVE = "productive"
    SIGNIFICANT = "significant"


class Correction(StrEnum):
    """How the critical value of the filter `significant` allows for the number of rules tried."""

    NONE = "none"
    BONFERRONI = "bonferroni"
    LAYERED = "layered"


Thin = Literal["nearest", "random"]
Design = Literal["even", "random"]
Per = Literal["category", "overall"]
Weight = Literal["effect", "none"]
Preset = Literal["default", "paper"]
ConstraintsLike: TypeAlias = "Constraints | Mapping[str, object] | Sequence[Constraints | Mapping[str, object]] | None"


@dataclass(frozen=True, slots=True)
class Settings(Options):
    """How an explainer looks around an instance: which rows are similar, how many are generated, what is tried.

    `cuts` are cut points by feature, such as `{"age": [25, 45]}`; other numeric features are cut into `bins` ranges.
    Rules that say why may end elsewhere: where the model turns.

    Examples
    --------
    >>> Settings(n_generated=5000, cuts={"age": [25, 45]}).bins
    3
    """

    place: ClassVar = "Explainer(…), which holds for all that it explains"

    min_neighbours: int = integer(40, "Similar rows of each class, at least.", 3, MOST_NEIGHBOURS)
    max_neighbours: int = integer(200, "Similar rows of a class, at most.", 1)
    thin: Thin = choice("nearest", "What a class with too many similar rows keeps.", ["nearest", "random"])
    n_generated: int = integer(2000, "Rows to generate from the similar ones.", 0, MOST_GENERATED)
    design: Design = choice("even", "How generated rows are spread: evenly, or drawn at random.", ["even", "random"])
    snap: bool = switch(True, "Move generated numbers to the nearest value of the background.")
    random_state: int = integer(0, "Seed; used only by random options.", 0)
    n_asked: int = integer(2000, "Most changes of the row to ask the model about at a time.", 0, MOST_GENERATED)
    kernel_width: float | None = number(
        None, "Width of the similarity that is reported.", 1e-9, 1e9, unset="0.75 √features"
    )
    bins: int = integer(3, "Ranges of each numeric feature.", 2, MOST_BINS)
    cuts: Mapping[str, Sequence[float]] | None = None  # checked beside the background's columns

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        check_integer("max_neighbours", self.max_neighbours, self.min_neighbours, MOST)


class SettingKeywords(TypedDict, total=False):
    """What `Explainer` takes; see `Settings`."""

    min_neighbours: int
    max_neighbours: int
    thin: Thin
    n_generated: int
    design: Design
    snap: bool
    random_state: int
    n_asked: int
    kernel_width: float | None
    bins: int
    cuts: Mapping[str, Sequence[float]] | None


@dataclass(frozen=True, slots=True)
class SearchOptions(Options):
    """Which rules to look for, how to rank them, and which of them to show.

    Ranked by support or coverage alone, the best rules ignore the class: use at least `filter="productive"` with these
    objectives. `m` tames the confidence and lift of rules with few rows. With `weight="effect"`, the default if rules
    are confirmed, the objective is multiplied by the square of the least effect of a rule's features.

    `constraints` say what may change (`Constraints`, or a dict). With a `target`, such as `"accepted"`, what speaks
    against the prediction, and what would turn it, is about that class alone.

    Examples
    --------
    >>> SearchOptions(k=3, objective="lift").but({"filter": "productive"}).filter
    'productive'
    """

    place: ClassVar = "explain(…)"

    k: int = integer(5, "How many rules.", 1)
    objective: str = choice("leverage", "Measure that ranks rules.", list(Objective))
    max_conditions: int = integer(3, f"Most conditions of a rule, up to {MOST_CONDITIONS}.", 1, MOST_CONDITIONS)
    min_count: int = integer(10, "Fewest rows a rule must match.", 1)
    m: float = number(2.0, "m-estimate of confidence and lift, for rules with few rows.", 0.0, MOST_M)
    filter: str = choice("significant", "Which rules may enter; each implies the one before.", list(Filter))
    alpha: float = number(0.05, "Level of the filter significant.", 0.0, 1.0)
    correction: str = choice("layered", "Correction of that level for the number of rules tried.", list(Correction))
    per: Per = choice("category", "k rules of each of the four kinds, or overall.", ["category", "overall"])
    confirm: bool = switch(True, "Show only rules that are true of the row: the model is asked about changes of it.")
    weight: Weight | None = choice(
        None,
        "Rank by the measure times the least effect of a rule's features, or by the measure alone.",
        ["effect", "none"],
        unset="effect, if confirmed",
    )
    constraints: ConstraintsLike = None  # checked beside the background's columns
    target: Scalar | None = None  # a class; checked beside the model's
    at_least: float | None = number(
        None, "Least probability that a change must give the class it leads to.", 0.0, 1.0, unset="that of the label"
    )
    spread: bool = switch(False, "Prefer counterfactuals that change different features.")
    time_limit: float | None = number(
        None, "Seconds for the search; then the rules so far, marked as not complete.", 0.0, unset="none"
    )
    n_jobs: int = integer(
        1, "Threads for the search (-1: one per processor); the rules are the same.", -1, MOST_THREADS
    )

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.n_jobs == 0:
            raise InputError("n_jobs=0: give a number of threads, or -1 for all processors")
        if self.weight is None:
            object.__setattr__(self, "weight", "effect" if self.confirm else "none")

    def but(self, keywords: Mapping[str, object]) -> Self:
        """A copy with the given options changed; the default weight follows `confirm`."""
        follows = {"weight": None} if "confirm" in keywords else {}
        return Options.but(self, follows | dict(keywords))


class ManyKeywords(TypedDict, total=False):
    """What `explain_many` takes, whose threads explain a row each; see `SearchOptions`."""

    k: int
    objective: str
    max_conditions: int
    min_count: int
    m: float
    filter: str
    alpha: float
    correction: str
    per: Per
    confirm: bool
    weight: Weight | None
    constraints: ConstraintsLike
    target: Scalar | None
    at_least: float | None
    spread: bool
    time_limit: float | None


class SearchKeywords(ManyKeywords, total=False):
    """What `explain` takes; see `SearchOptions`."""

    n_jobs: int


class MiningKeywords(TypedDict, total=False):
    """What `mine_rules` takes; see `SearchOptions`."""

    k: int
    objective: str
    max_conditions: int
    min_count: int
    m: float
    filter: str
    alpha: float
    correction: str
    time_limit: float | None
    n_jobs: int


NEED_INSTANCE = ("per", "confirm", "weight", "constraints", "target", "at_least", "spread")
"""Search options that mean nothing to `mine_rules`."""

PAPER_SETTINGS = Settings(thin="random", design="random", snap=False, n_asked=0)
"""The paper's neighbourhood; its numbers of neighbours are the defaults here, too."""

PAPER_SEARCH = SearchOptions(max_conditions=4, filter="productive", per="overall", confirm=False)
"""The paper's search, as far as described: it uses an m-estimate and a filter, but does not say which m and filter."""

MINING = SearchOptions(
    k=10, max_conditions=4, min_count=1, m=0.0, filter="none", correction="none", per="overall", confirm=False
)
"""What `mine_rules` looks for by default: everything."""
