"""Record: the result of one explanation, as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from lormika.evaluation import measures
from lormika.evaluation.common import Ground
from lormika.rule import Rule
from lormika.types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class Record:
    """One explanation; if it has an error, it failed and holds nothing else."""

    instance: int
    error: str | None = None
    seconds: float = math.nan
    calls: int = 0  # of the model
    rows: int = 0  # that the model was asked about
    rules: tuple[str, ...] = ()  # as text, the best first
    features: tuple[str, ...] = ()  # of the best rule
    kinds: dict[str, int] = field(default_factory=dict)  # how many rules of each of the four
    own: dict[str, float] = field(default_factory=dict)  # measures on the explainer's own neighbourhood
    common: dict[str, float] = field(default_factory=dict)  # measures of the best rule on common ground
    turned: tuple[bool, ...] = ()  # whether each counterfactual rule turns the instance
    truth: JsonObject = field(default_factory=dict)  # of the rules, of this instance: see measure_truth
    recourse: JsonObject = field(default_factory=dict)  # of the counterfactual rows: see measure_recourse
    more: JsonObject = field(default_factory=dict)  # what only some explainers have

    def to_dict(self) -> JsonObject:
        """Plain data for JSON, in which NaN is null."""
        plain: JsonObject = _plain(asdict(self))
        return plain

    @classmethod
    def from_dict(cls, content: JsonObject) -> Record:
        """The inverse."""
        seconds = math.nan if content["seconds"] is None else content["seconds"]
        tuples = {name: tuple(content[name]) for name in ("rules", "features", "turned")}
        numbers = {name: {k: math.nan if v is None else v for k, v in content[name].items()} for name in _NUMBERS}
        return cls(**content | tuples | numbers | {"seconds": seconds})


_NUMBERS = ("own", "common")


def kinds_of(rules: Sequence[Rule]) -> dict[str, int]:
    """How many rules of each kind there are."""
    kinds = [rule.category.value for rule in rules if rule.category is not None]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def on_common_ground(rule: Rule | None, ground: Ground) -> dict[str, float]:
    """Measures of the best rule on the common ground; empty if there is no rule."""
    return {} if rule is None else measures.of_counts(ground.count(rule))


def _plain(value: object) -> JsonValue:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
