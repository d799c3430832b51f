"""Labels: names, units and texts for people, which every view uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeAlias, TypeVar

from lormika.constraints import Constraints
from lormika.errors import InputError, quote
from lormika.frames import did_you_mean
from lormika.frames.values import Quantity, Scalar, format_value
from lormika.label_entries import HOT, FeatureGroup, FeatureLabel, check_text, key_of, read_texts
from lormika.object_file import read_object
from lormika.types import JsonObject, JsonValue, UserValue

_SECTIONS = ("features", "classes", "groups")
_NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Names, units, decimals and texts for people: every view and every reason uses them, data files do not.

    Parameters
    ----------
    features
        By the name of a feature: its `label`, `unit`, `decimals`, and texts of its `values`; or only a text, its label.
    classes
        By the name of a class: a text.
    groups
        By the name of a group: features that are shown together, as a list; or `features` with `together=True`, if they
        only change together, or `one_hot=True`, if exactly one of them is 1.

    Examples
    --------
    >>> labels = Labels.of({"income": {"label": "Yearly income", "unit": "k€", "decimals": 0}, "job": "Occupation"})
    >>> print(labels.name("income"), labels.write("income", 35.25), sep=": ")
    Yearly income: 35 k€
    """

    features: Mapping[str, FeatureLabel] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, FeatureGroup] = field(default_factory=dict)

    def __post_init__(self) -> None:
        features = {name: _feature(name, entry) for name, entry in _items("features", self.features)}
        for name, entry in features.items():
            if entry.values == HOT:
                continue
            _refuse_twins(f"values of {name!r} are both", entry.values)
        groups = {name: _group(name, entry) for name, entry in _items("groups", self.groups)}
        members = [name for group in groups.values() for name in group.features]
        for name in members:
            if members.count(name) > 1:
                raise InputError(f"labels: groups: {name!r} is in two of them")
        for group in groups.values():
            for name in group.features if group.one_hot else ():
                own = features.get(name, FeatureLabel())
                if not own.values:
                    features[name] = FeatureLabel(label=own.label, values=HOT)
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "classes", read_texts("labels: classes", self.classes))

    @classmethod
    def of(cls, source: object) -> Labels:
        """Labels from a mapping, or from a TOML or JSON file; None: there are none.

        Beside `features`, `classes` and `groups`, a mapping may have features themselves.
        """
        if isinstance(source, Labels):
            return source
        if source is None:
            return NO_LABELS
        if isinstance(source, str | Path):
            return cls.of(read_object(Path(source), '{"income": {"unit": "k€"}}'))
        if not isinstance(source, Mapping):
            raise InputError(
                f"labels={quote(source)}: give Labels(…), a dict, or the name of a file; what the model predicts for "
                "the background, if that is known, goes to predictions"
            )
        sections = {name: source[name] for name in _SECTIONS if name in source}
        features = dict(_items("features", sections.pop("features", {})))
        features |= {name: entry for name, entry in _items("labels", source) if name not in _SECTIONS}
        return cls(features=features, **sections)

    @classmethod
    def of_data(cls, content: JsonValue) -> Labels:
        """Labels as `to_dict` gives them, from a folder or payload that anybody may have written: no file is opened."""
        if content is not None and not isinstance(content, dict):
            raise InputError(f"labels: must be an object, not {quote(content)}")
        return cls.of(content)

    def to_dict(self) -> JsonObject:
        """Everything that was given, as plain data."""
        return {
            name: {key: entry if isinstance(entry, str) else _given(entry) for key, entry in mapping.items()}
            for name, mapping in ((name, getattr(self, name)) for name in _SECTIONS)
            if mapping
        }

    def __bool__(self) -> bool:
        return bool(self.features or self.classes or self.groups)

    def check(
        self,
        kinds: Mapping[str, str],
        classes: Iterable[Scalar],
        categories: Mapping[str, Iterable[Scalar]] | None = None,
    ) -> None:
        """Refuse what names something that is not there, given the kinds of all features; and names that are alike."""
        for name in (*self.features, *(name for group in self.groups.values() for name in group.features)):
            if name not in kinds:
                raise InputError(f"labels: there is no feature {name!r}{did_you_mean(name, kinds)}")
        for name, values in (categories or {}).items():
            entry, listed = self.features.get(name, FeatureLabel()), [key_of(value) for value in values]
            for value in entry.values if entry.values != HOT else ():
                if value not in listed:
                    raise InputError(f"labels: {name!r} has no category {value!r}{did_you_mean(value, listed)}")
            _refuse_twins(f"values of {name!r} are both", {value: entry.values.get(value, value) for value in listed})
        for name, entry in self.features.items():
            if kinds[name] != "numeric" and (entry.unit or entry.decimals is not None):
                raise InputError(f"labels: {name!r} has categories; a unit and decimals are for numbers")
        known = list(map(key_of, classes))
        for name in self.classes:
            if name not in known:
                raise InputError(f"labels: classes: there is no class {name!r}{did_you_mean(name, known)}")
        _refuse_twins("features are both", {name: self.name(name) for name in kinds})
        _refuse_twins("classes are both", {name: self.classes.get(name, name) for name in known})

    def name(self, feature: str) -> str:
        """How a feature is called; those of a group begin with its name."""
        entry = self.features.get(feature)
        own = _plain_name(feature) if entry is None or entry.label is None else entry.label
        group = self.group_of(feature)
        return own if group is None else f"{group}: {own}"

    def group_of(self, feature: str) -> str | None:
        """The group of a feature, if it has one."""
        return next((name for name, group in self.groups.items() if feature in group.features), None)

    def is_hot(self, feature: str) -> bool:
        """Whether a feature is one of several of which one is 1."""
        group = self.group_of(feature)
        return group is not None and self.groups[group].one_hot

    def members(self) -> dict[str, str]:
        """By the name of each feature of a group, as it is shown: the group."""
        return {self.name(feature): name for name, group in self.groups.items() for feature in group.features}

    def value(self, feature: str, value: Scalar | None, *, exactly: bool = False) -> Scalar | None:
        """A value as it is shown; exactly: with more decimals than are wished for, if it has them."""
        entry = self.features.get(feature)
        if entry is None or value is None:
            return value
        if isinstance(value, str | bool):
            return entry.values.get(key_of(value), value)
        return Quantity(value, entry.write(value, exactly=exactly))

    def write(self, feature: str, value: Scalar | None, *, exactly: bool = False) -> str:
        """A value in words."""
        return format_value(self.value(feature, value, exactly=exactly))

    def outcome(self, label: Scalar) -> Scalar:
        """How a class is called."""
        return self.classes.get(key_of(label), label)

    def constraints(self) -> tuple[Constraints, ...]:
        """What the groups say about changes."""
        linked = [group.features for group in self.groups.values() if group.together]
        one_of = [group.features for group in self.groups.values() if group.one_hot]
        return (Constraints(linked=linked, one_of=one_of),) if linked or one_of else ()


def _plain_name(feature: str) -> str:
    """The name of a feature without a label, in quotes if it could be read as a number: “4” ≤ -24."""
    return f"“{feature}”" if is_like_number(feature) else feature


def is_like_number(name: str) -> bool:
    """Whether a name could be read as a number.

    >>> [name for name in ("4", "-1", "1.5", "2020", "x1", "1st", "a") if is_like_number(name)]
    ['4', '-1', '1.5', '2020']
    """
    return _NUMBER.fullmatch(name) is not None


LabelsLike: TypeAlias = "Labels | Mapping[str, object] | str | Path | None"


def _given(entry: FeatureLabel | FeatureGroup) -> JsonObject:
    plain = {one.name: getattr(entry, one.name) for one in fields(entry)}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}
    return {name: value for name, value in plain.items() if value or (value == 0 and value is not False)}


def _feature(name: str, entry: UserValue) -> FeatureLabel:
    if isinstance(entry, FeatureLabel):
        return entry
    return _make(FeatureLabel, f"labels: {name!r}", {"label": entry} if isinstance(entry, str) else entry)


def _group(name: str, entry: UserValue) -> FeatureGroup:
    if isinstance(entry, FeatureGroup):
        return entry
    check_text("labels: the name of a group", name)
    return _make(
        FeatureGroup, f"labels: groups: {name!r}", {"features": entry} if isinstance(entry, list | tuple) else entry
    )


_Entry = TypeVar("_Entry", FeatureLabel, FeatureGroup)


def _make(kind: type[_Entry], place: str, entry: UserValue) -> _Entry:
    """An entry from a mapping; its errors name the place."""
    names = [one.name for one in fields(kind)]
    if not isinstance(entry, Mapping):
        raise InputError(f"{place}: give {', '.join(names)}, not {quote(entry)}")
    for name in entry:
        if name not in names:
            raise InputError(f"{place}: there is no {quote(name)}; there are {', '.join(names)}")
    if kind is FeatureGroup and "features" not in entry:
        raise InputError(f"{place}: features is missing")
    try:
        return kind(**entry)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _items(place: str, mapping: object) -> list[tuple[str, UserValue]]:
    if not isinstance(mapping, Mapping) or not all(isinstance(key, str) for key in mapping):
        raise InputError(f"labels: {place}={quote(mapping)}: give a dict by name")
    return list(mapping.items())


def _refuse_twins(what: str, names: Mapping[str, str]) -> None:
    seen: dict[str, str] = {}
    for name, shown in names.items():
        if shown in seen:
            raise InputError(f"labels: two {what} shown as {shown!r}: {seen[shown]!r} and {name!r}")
        seen[shown] = name


NO_LABELS = Labels()
