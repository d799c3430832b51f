"""What labels say of a feature, or of several together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from lormika.errors import InputError, quote
from lormika.frames.values import Scalar, format_exact, format_number, format_value, is_list

HOT = {"0": "no", "1": "yes", "False": "no", "True": "yes"}
"""Texts of a feature that is one of several of which one is 1."""

_MOST_DECIMALS = 15
_CLINGING = ("%", "°", "′", "″")  # units that stand close to their number


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureLabel:
    """How a feature is shown: `FeatureLabel(label="Yearly income", unit="k€", decimals=0)`.

    >>> FeatureLabel(label="Debts", unit="%", decimals=0).write(31.4)
    '31%'
    >>> FeatureLabel(values={"A142": "stores"}).values
    {'A142': 'stores'}
    """

    label: str | None = None  #: None: its own name
    unit: str = ""
    decimals: int | None = None  #: of its numbers; more are shown where fewer would say something untrue
    values: Mapping[str, str] = field(default_factory=dict)  #: by the text of a category or number

    def __post_init__(self) -> None:
        if self.label is not None:
            check_text("label", self.label)
        if not isinstance(self.unit, str):
            raise InputError(f"unit={quote(self.unit)}: give a text")
        decimals = self.decimals
        is_whole = isinstance(decimals, int) and not isinstance(decimals, bool)
        if decimals is not None and not (is_whole and 0 <= decimals <= _MOST_DECIMALS):
            raise InputError(f"decimals={quote(decimals)}: give a whole number from 0 to {_MOST_DECIMALS}")
        object.__setattr__(self, "values", read_texts("values", self.values))

    def write(self, value: float, *, exactly: bool = False) -> str:
        """A number with its unit; exactly: with more decimals than are wished for, if it has them."""
        exact, few = format_exact(value), format_number(value)
        is_long = self.decimals is None or (exactly and len(exact.partition(".")[2]) > self.decimals)
        return self._named(value) or self._dress(few if is_long else exact, exactly)

    def write_end(self, value: float) -> str:
        """The end of a range, with its unit."""
        return self._named(value) or self._dress(format_exact(value), exactly=True)

    def _named(self, value: float) -> str | None:
        return self.values.get(format_exact(value))

    def shown(self, value: float) -> float:
        """The number that is read where it is written with the decimals that are wished for."""
        number = format_exact(value)
        return float(value) if self.decimals is None or not _is_plain(number) else float(self._round(number))

    def _round(self, number: str) -> Decimal:
        return round(Decimal(number), self.decimals or 0) + 0  # no sign before a zero

    def _dress(self, number: str, exactly: bool) -> str:
        is_short = len(number.partition(".")[2]) <= (self.decimals or 0)
        if self.decimals is not None and (is_short or not exactly) and _is_plain(number):
            number = f"{self._round(number).quantize(Decimal(1).scaleb(-self.decimals)):f}"
        space = "" if not self.unit or self.unit.startswith(_CLINGING) else "\N{NO-BREAK SPACE}"
        return f"{number}{space}{self.unit}"


def _is_plain(number: str) -> bool:
    """Whether a number is written without an exponent, and has an end."""
    return not number.strip("-.0123456789")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureGroup:
    """Features that are shown together: `FeatureGroup(features=["bill_1", "bill_2"])`.

    >>> FeatureGroup(features=["purpose_car", "purpose_home"], one_hot=True).features
    ('purpose_car', 'purpose_home')
    """

    features: Sequence[str]
    together: bool = False  #: they only change together
    one_hot: bool = False  #: exactly one of them is 1, all others 0, and so it stays

    def __post_init__(self) -> None:
        names = self.features
        if isinstance(names, str) or not is_list(names) or not all(isinstance(name, str) for name in names):
            raise InputError(f"features={quote(names)}: give a list of features")
        object.__setattr__(self, "features", tuple(names))
        if len(set(self.features)) < max(len(self.features), 2):
            raise InputError("a group has at least two features, each once")
        for name in ("together", "one_hot"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name}={quote(getattr(self, name))}: give True or False")
        if self.together and self.one_hot:
            raise InputError("give together or one_hot: of a one-hot group, only two features change at a time")


def key_of(value: Scalar) -> str:
    """The text that stands for a value in a table of texts."""
    return value if isinstance(value, str) else format_value(value)


def read_texts(place: str, mapping: object) -> dict[str, str]:
    """Texts by the text of a value."""
    if not isinstance(mapping, Mapping):
        raise InputError(f"{place}={quote(mapping)}: give a dict, value to text")
    texts = {}
    for key, text in mapping.items():
        if not isinstance(key, str | int | float | bool):
            raise InputError(f"{place}: {quote(key)} is no value")
        check_text(f"{place}: {quote(key)}", text)
        texts[key_of(key)] = text
    return texts


def check_text(place: str, text: object) -> None:
    """Refuse what is no text, or blank."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{place}: give a text, not {quote(text)}")
