"""What a schema cannot say about a payload: that its parts fit together. Errors name the place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise

from lormika.types import JsonObject
from lormika.views.payload_shape import Fault, Path, brief, same

_COUNTS = ("rows", "antecedent", "consequent", "both")
_MOST = 1e300  # of a margin or value: no model has more


def find_clash(payload: JsonObject) -> Fault | None:
    """The first thing in a payload that contradicts another; it must follow the schema."""
    return next(_Clashes(payload).all(), None)


class _Clashes:
    """What each part of a payload must agree with."""

    def __init__(self, payload: JsonObject) -> None:
        self.payload = payload
        self.instance: JsonObject = payload["instance"]
        self.kinds = {feature["name"]: feature["kind"] for feature in payload["features"]}
        self.classes: list[JsonObject] = payload["classes"]
        self.prediction = payload["prediction"]
        self.are_shares = payload["unit"] not in ("margin", "value")
        self.edges: list[float] = payload.get("bands", [])

    def all(self) -> Iterator[Fault]:
        """All clashes; the later parts are measured by the earlier ones."""
        yield from self._features()
        yield from self._classes()
        yield from self._label(self.prediction, ("prediction",))
        yield from self._bands()
        yield from self._neighbourhood()
        yield from self._effects()
        yield from self._asked()
        for place, rule in enumerate(self.payload["rules"]):
            yield from self._rule(rule, ("rules", place))
        yield from self._notes()

    def _features(self) -> Iterator[Fault]:
        yield from _repeated([f["name"] for f in self.payload["features"]], ("features",), "name")
        for name in self.instance:
            yield from self._feature(name, ("instance", name))
        for name in self.kinds:
            if name not in self.instance:
                yield Fault(("instance", name), "is missing, but it is one of the features")
        for place, feature in enumerate(self.payload["features"]):
            yield from self._value(feature["name"], self.instance[feature["name"]], ("instance", feature["name"]))
            path = ("features", place, "quantiles")
            if feature["kind"] == "categorical" and feature["quantiles"]:
                yield Fault(path, "must be empty, for this feature is categorical")
            if any(low > high for low, high in pairwise(feature["quantiles"])):
                yield Fault(path, "must go from the least to the greatest")

    def _classes(self) -> Iterator[Fault]:
        yield from _repeated([c["label"] for c in self.classes], ("classes",), "label")
        unknown = [c["probability"] is None for c in self.classes]
        for place, c in enumerate(self.classes):
            if c["real"] > c["rows"]:
                yield Fault(("classes", place, "real"), f"must be at most {c['rows']}, the rows of this class")
            if unknown[place] != unknown[0]:
                yield Fault(("classes", place, "probability"), "must be null for all classes, or for none")

    def _bands(self) -> Iterator[Fault]:
        """Values and edges belong to regressors alone, and all of them to these."""
        by_value = self.payload["unit"] == "value"
        for name in ("value", "bands"):
            if (name in self.payload) != by_value:
                yield Fault((name,), f"must {'' if by_value else 'not '}be there, as the unit says")
        if not by_value:
            return
        if any(low >= high for low, high in pairwise(self.edges)):
            yield Fault(("bands",), "must go from the least to the greatest")
        if len(self.classes) != len(self.edges) + 1:
            yield Fault(("bands",), f"must have {len(self.classes) - 1} entries, one between each two classes")
        yield from self._in_band(self.payload["value"], self.prediction, ("value",))

    def _in_band(self, value: float, label: object, path: Path) -> Iterator[Fault]:
        own = self.classes[bisect_right(self.edges, value)]["label"]
        if not same(own, label):
            yield Fault(path, f"must be in the band {brief(label)}, not in {brief(own)}")

    def _neighbourhood(self) -> Iterator[Fault]:
        near = self.payload["neighbourhood"]
        rows, real = (sum(c[name] for c in self.classes) for name in ("rows", "real"))
        if near["selected"] != real:
            yield Fault(("neighbourhood", "selected"), f"must be {real}, the real rows of all classes")
        if near["selected"] + near["generated"] != rows:
            yield Fault(("neighbourhood", "generated"), f"must be {rows - real}, the other rows of all classes")
        if near["neighbours"] < near["selected"]:
            yield Fault(("neighbourhood", "neighbours"), f"must be at least {real}, the rows that were selected")

    def _effects(self) -> Iterator[Fault]:
        yield from _repeated([e["feature"] for e in self.payload["effects"]], ("effects",), "feature")
        for place, effect in enumerate(self.payload["effects"]):
            path: Path = ("effects", place)
            yield from self._feature(effect["feature"], (*path, "feature"))
            for name in ("certainties", "labels", "shares"):
                if name in effect and len(effect[name]) != len(effect["values"]):
                    yield Fault((*path, name), f"must have {len(effect['values'])} entries, one for each of the values")
            for i, value in enumerate(effect["values"]):
                yield from self._value(effect["feature"], value, (*path, "values", i))
            for i, label in enumerate(effect["labels"]):
                yield from self._label(label, (*path, "labels", i))
            for i, certainty in enumerate(effect["certainties"]):
                yield from self._certainty(certainty, (*path, "certainties", i))
                if self.edges:
                    yield from self._in_band(certainty, effect["labels"][i], (*path, "certainties", i))

    def _asked(self) -> Iterator[Fault]:
        asked = self.payload["asked"]
        for part, whole in (("singles", "all_singles"), ("pairs", "all_pairs")):
            if asked is not None and asked[part] > asked[whole]:
                yield Fault(("asked", part), f"must be at most {asked[whole]}, as {whole} says")

    def _notes(self) -> Iterator[Fault]:
        """A note of a kind says why there are no such rules, and one is enough."""
        reasons = {rule["category"]: "there are rules of this kind" for rule in self.payload["rules"]}
        for place, note in enumerate(self.payload["notes"]):
            if note["category"] in reasons:
                yield Fault(("notes", place, "category"), f"must be null, for {reasons[note['category']]}")
            if note["category"] is not None:
                reasons[note["category"]] = "another note is about this kind"

    def _rule(self, rule: JsonObject, path: Path) -> Iterator[Fault]:
        yield from _repeated([c["feature"] for c in rule["conditions"]], (*path, "conditions"), "feature")
        for place, condition in enumerate(rule["conditions"]):
            yield from self._condition(condition, (*path, "conditions", place))
        yield from self._label(rule["consequent"], (*path, "consequent"))
        yield from self._counts(rule, path)
        yield from self._category(rule, path)
        if rule["rerun"] is not None:
            yield from self._rerun(rule["rerun"], (*path, "rerun"))
        if rule["check"] is not None:
            yield from self._check(rule["check"], (*path, "check"))

    def _condition(self, condition: JsonObject, path: Path) -> Iterator[Fault]:
        name = condition["feature"]
        yield from self._feature(name, (*path, "feature"))
        match condition["type"]:
            case "interval":
                low, high = condition["low"], condition["high"]
                if self.kinds[name] != "numeric":
                    yield Fault((*path, "type"), f"must not be 'interval', for {brief(name)} is categorical")
                is_open = condition["integer"] and (low is None) != (high is None)
                if condition.get("single", False) and not is_open:
                    yield Fault((*path, "single"), "must be true of whole numbers with one open end only")
                if low is not None and high is not None and not low < high:
                    yield Fault((*path, "high"), f"must be above {low}, the lower end")
            case "equals":
                yield from self._value(name, condition["value"], (*path, "value"))

    def _counts(self, rule: JsonObject, path: Path) -> Iterator[Fault]:
        counts, real = rule["counts"], rule["real"]
        own = next(c for c in self.classes if same(c["label"], rule["consequent"]))
        yield from self._one_count(counts, "rows", own, (*path, "counts"))
        if real is not None:
            yield from self._one_count(real, "real", own, (*path, "real"))
            for name in _COUNTS:
                if real[name] > counts[name]:
                    yield Fault((*path, "real", name), f"must be at most {counts[name]}, as of all rows")

    def _one_count(self, counts: Mapping[str, int], kind: str, own: JsonObject, path: Path) -> Iterator[Fault]:
        total = sum(c[kind] for c in self.classes)
        rows, antecedent, consequent, both = (counts[name] for name in _COUNTS)
        if rows != total:
            yield Fault((*path, "rows"), f"must be {total}, as of all classes")
        if consequent != own[kind]:
            yield Fault((*path, "consequent"), f"must be {own[kind]}, as of the class {brief(own['label'])}")
        if antecedent > rows:
            yield Fault((*path, "antecedent"), f"must be at most {rows}, the rows")
        least, most = max(0, antecedent + consequent - rows), min(antecedent, consequent)
        if not least <= both <= most:
            yield Fault((*path, "both"), f"must be from {least} to {most}, as the other counts say")

    def _category(self, rule: JsonObject, path: Path) -> Iterator[Fault]:
        when = "current" if all(map(self._is_true, rule["conditions"])) else "hypothetical"
        what = "supporting" if same(rule["consequent"], self.prediction) else "contradicting"
        if rule["category"] != f"{when}_{what}":
            yield Fault((*path, "category"), f"must be '{when}_{what}', as the conditions and the consequent say")

    def _is_true(self, condition: JsonObject) -> bool:
        value = self.instance[condition["feature"]]
        if value is None or condition["type"] == "missing":
            return value is None and condition["type"] == "missing"
        if condition["type"] == "equals":
            return bool(value == condition["value"])
        low, high = condition["low"], condition["high"]
        return (low is None or low <= value) and (high is None or value < high)

    def _rerun(self, rerun: JsonObject, path: Path) -> Iterator[Fault]:
        yield from _repeated([e["feature"] for e in rerun["edits"]], (*path, "edits"), "feature")
        for place, edit in enumerate(rerun["edits"]):
            own: Path = (*path, "edits", place)
            yield from self._feature(edit["feature"], (*own, "feature"))
            if not same(edit["before"], self.instance[edit["feature"]]):
                yield Fault((*own, "before"), f"must be {brief(self.instance[edit['feature']])}, as of the instance")
            yield from self._value(edit["feature"], edit["after"], (*own, "after"))
        yield from self._label(rerun["label"], (*path, "label"))
        if rerun["turned"] == same(rerun["label"], self.prediction):
            yield Fault((*path, "turned"), "must say whether the label is another than the prediction")
        if "margin" in rerun and self.payload["unit"] != "margin":
            yield Fault((*path, "margin"), "must be absent: the explanation is not about margins")
        if ("value" in rerun) != bool(self.edges):
            yield Fault((*path, "value"), f"must {'' if self.edges else 'not '}be there, as the unit says")
        elif self.edges:
            yield from self._in_band(rerun["value"], rerun["label"], (*path, "value"))

    def _check(self, check: JsonObject, path: Path) -> Iterator[Fault]:
        if check["agreed"] > check["asked"]:
            yield Fault((*path, "agreed"), f"must be at most {check['asked']}, as asked says")
        for name in ("before", "after"):
            yield from self._certainty(check[name], (*path, name))

    def _feature(self, name: str, path: Path) -> Iterator[Fault]:
        if name not in self.kinds:
            yield Fault(path, f"{brief(name)} is none of the features")

    def _label(self, label: object, path: Path) -> Iterator[Fault]:
        if not any(same(label, c["label"]) for c in self.classes):
            yield Fault(path, f"{brief(label)} is the label of none of the classes")

    def _value(self, name: str, value: object, path: Path) -> Iterator[Fault]:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and self.kinds[name] == "numeric" and not is_number:
            yield Fault(path, f"must be a number, as {brief(name)} is, not {brief(value)}")

    def _certainty(self, certainty: float, path: Path) -> Iterator[Fault]:
        if self.are_shares and not 0 <= certainty <= 1:
            yield Fault(path, f"must be from 0 to 1, as the unit says, not {brief(certainty)}")
        if abs(certainty) > _MOST:  # sums of such would overflow
            yield Fault(path, f"must be below {_MOST:g}, not {brief(certainty)}")


def _repeated(values: list[str], path: Path, name: str) -> Iterator[Fault]:
    """A value that comes a second time, in a list of objects that it should tell apart."""
    seen = set()
    for place, value in enumerate(values):
        if value in seen:
            yield Fault((*path, place, name), f"{brief(value)} is there twice")
        seen.add(value)
