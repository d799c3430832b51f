"""Principal reasons of a prediction, for letters and records: an ordered list without repetition."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.errors import InputError, quote
from lormika.frames import did_you_mean
from lormika.frames.evaluator import Rows, Values
from lormika.frames.values import Scalar, format_value
from lormika.frames.where import RowTest
from lormika.types import UserValue
from lormika.views.certainty import Scale
from lormika.views.effects import turning_words
from lormika.views.otherwise import mean_otherwise
from lormika.views.reading import Reading

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.summaries import Effect

_LEAST = 0.25  # of the weightiest reason's weight
_COLUMNS = ("features", "condition", "code", "text")
_PLACES = ("feature", "value", "otherwise")  # in a text, in braces


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason of a prediction.

    >>> print(Reason("income", 12, "R07", "Income too low", certainty=0.2, otherwise="≥ 35"))
    R07: Income too low
    """

    feature: str
    value: Scalar | None  #: of the instance
    code: str | None  #: from the user's table
    text: str
    certainty: float | None  #: mean certainty of the prediction with other values; None: unknown
    otherwise: str | None  #: values that alone would have turned the prediction, in words
    weighs: bool = True  #: with other values, the model is less certain on average

    def __str__(self) -> str:
        return self.text if self.code is None else f"{self.code}: {self.text}"


@dataclass(frozen=True, slots=True)
class ReasonCode:
    """A row of the user's table: what to say of some features, perhaps only where a condition is true."""

    features: tuple[str, ...]
    code: str | None
    text: str  # {feature}, {value} and {otherwise} stand for those of the reason
    condition: RowTest | None = None


Codes = Mapping[str, UserValue] | Sequence[Mapping[str, UserValue]] | str | Path
"""By feature, a text or a code and a text; or rows with features, condition, code and text; or a CSV or TOML file."""


def find_reasons(explanation: Explanation, codes: Codes | None, top: int) -> tuple[Reason, ...]:
    """The first reasons; of those with the same code, or of one group of features, only the first.

    >>> from lormika import Explainer, datasets
    >>> X, y = datasets.make_loans(1000)
    >>> explainer = Explainer(datasets.make_model("rf", X).fit(X, y), X)
    >>> codes = {"missed_payments": ("R03", "{value} missed payments (accepted with {otherwise})")}
    >>> for reason in explainer.explain(X.iloc[[9]]).reasons(codes):
    ...     print(reason)
    R03: 3 missed payments (accepted with 1 or less)
    """
    table = [] if codes is None else _read_codes(codes, explanation)
    found: dict[object, Reason] = {}
    reading, labels = Reading.of(explanation), explanation.labels
    for feature in _ranked(explanation):
        reason = _reason(reading, explanation, feature, table)
        found.setdefault(reason.code or ("", labels.group_of(feature) or labels.name(feature)), reason)
        if len(found) == top:
            break
    return tuple(found.values())


def _ranked(explanation: Explanation) -> Iterator[str]:
    """Features whose values speak for the prediction, those first without which the model is least certain of it.

    Then, for what no value alone can change, the features of rules that say why, and of changes that turn it.
    """
    scale = Scale.of(explanation)
    drops = {effect.feature: _drop(scale, explanation, effect) for effect in explanation.effects}
    least = _LEAST * max(drops.values(), default=0.0)
    ranked = sorted((name for name, drop in drops.items() if drop > max(least, 0)), key=lambda name: -drops[name])
    if not ranked:
        ranked = [name for rule in explanation.current_supporting for name in rule.features]
    for rule in explanation.counterfactual if not ranked else ():
        ranked += [] if rule.rerun is None else [edit.feature for edit in rule.rerun.edits]
    yield from dict.fromkeys(ranked)


def _drop(scale: Scale, explanation: Explanation, effect: Effect) -> float:
    """How much less certain the model is with other values of a feature, on average."""
    otherwise = _otherwise(explanation, effect, scale.certainty)
    return 0.0 if otherwise is None else scale.certainty(scale.before or 0.0) - otherwise


def _otherwise(explanation: Explanation, effect: Effect, measure: Callable[[float], float] = float) -> float | None:
    feature = next(one for one in explanation.features if one.name == effect.feature)
    return mean_otherwise(effect, feature, explanation.instance[effect.feature], measure)


def _reason(reading: Reading, explanation: Explanation, feature: str, table: Sequence[ReasonCode]) -> Reason:
    """A reason in the words of the labels; its feature and value are as they are."""
    value, shown = explanation.instance[feature], explanation.labels.name(feature)
    written = format_value(reading.explanation.instance[shown])
    effect = next((one for one in reading.effects if one.feature == shown), None)
    otherwise = None if effect is None else turning_words(effect)
    own = next((one for one in explanation.effects if one.feature == feature), None)
    certainty = None if own is None else _otherwise(explanation, own)
    weighs = own is not None and _drop(reading.scale, explanation, own) > 0
    code = next((one for one in table if feature in one.features and _applies(one, explanation)), None)
    rules = reading.explanation.current_supporting
    condition = next((str(c) for rule in rules for c in rule.conditions if c.feature == shown), None)
    text = condition or f"{shown} = {written}" if code is None else code.text
    if code is not None:
        words = {"feature": shown, "value": written, "otherwise": otherwise or "none alone"}
        text = re.sub(r"\{(\w+)\}", lambda place: words[place[1]], text)
    return Reason(feature, value, None if code is None else code.code, text, certainty, otherwise, weighs)


def _applies(code: ReasonCode, explanation: Explanation) -> bool:
    if code.condition is None:
        return True
    columns = {name: (lambda value=value: _single(value)) for name, value in explanation.instance.items()}
    return bool(code.condition.matching(Rows(1, columns)).all())


def _single(value: Scalar | None) -> Values:
    if value is None:
        return Values("empty", None, True)
    kind = "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
    return Values(kind, value, False)


def _read_codes(codes: Codes, explanation: Explanation) -> list[ReasonCode]:
    groups = {name: tuple(group.features) for name, group in explanation.labels.groups.items()}
    known = groups | {name: (name,) for name in explanation.instance}
    if isinstance(codes, str | Path):
        rows = _read_file(Path(codes))
    elif isinstance(codes, Mapping):
        rows = [{"features": name, **_pair(name, entry)} for name, entry in codes.items()]
    else:
        rows = [dict(_check_row(number, row)) for number, row in enumerate(codes, 1)]
    return [_read_row(number, row, known) for number, row in enumerate(rows, 1)]


def _check_row(number: int, row: UserValue) -> Mapping[str, UserValue]:
    if isinstance(row, Mapping):
        return row
    raise InputError(f"codes, row {number}: give an object with features, code and text, not {quote(row)}")


def _pair(name: str, entry: UserValue) -> dict[str, UserValue]:
    """A text, or a code and a text."""
    if isinstance(entry, str):
        return {"text": entry}
    if isinstance(entry, Mapping):
        return dict(entry)
    if isinstance(entry, list | tuple) and len(entry) == 2:
        return {"code": entry[0], "text": entry[1]}
    raise InputError(f"codes of {name!r}: give a text, or a code and a text, not {quote(entry)}")


def _read_file(path: Path) -> list[dict[str, UserValue]]:
    return parse_codes(path, read_codes(path))


def read_codes(path: Path) -> bytes:
    """What a file of codes holds."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def parse_codes(path: Path, raw: bytes) -> list[dict[str, UserValue]]:
    """Rows of a file of codes, by its suffix."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    if path.suffix.lower() == ".csv":
        return [dict(row) for row in csv.DictReader(io.StringIO(text))]
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not valid TOML: {error or 'it is nested too deeply'}") from error
    rows = content.get("reason")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: give one [[reason]] for each, with features, code and text")
    return rows


def _read_row(number: int, row: Mapping[str, UserValue], known: Mapping[str, tuple[str, ...]]) -> ReasonCode:
    place = f"codes, row {number}"
    for name in row:
        if name not in _COLUMNS:
            raise InputError(f"{place}: there is no column {quote(name)}; there are {', '.join(_COLUMNS)}")
    names, text = row.get("features"), row.get("text")
    own = [name.strip() for name in names.split("+")] if isinstance(names, str) else names
    if not isinstance(own, list | tuple) or not own:
        raise InputError(f"{place}: features: give names of features, several with + between them")
    for name in own:
        if name not in known:
            raise InputError(f"{place}: there is no feature {quote(name)}{did_you_mean(str(name), known)}")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{place}: the text is missing")
    for name in re.findall(r"\{(\w+)\}", text):
        if name not in _PLACES:
            raise InputError(f"{place}: {{{name}}} stands for nothing: write {{{'}, {'.join(_PLACES)}}}")
    condition, code = row.get("condition") or None, row.get("code")
    test = None if condition is None else RowTest.of(str(condition))
    features = tuple(feature for name in own for feature in known[name])
    return ReasonCode(features, None if code in (None, "") else str(code), text.strip(), test)
