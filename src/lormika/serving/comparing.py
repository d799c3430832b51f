"""Two cases side by side: which of them is closer to the border, and which of their values account for that."""

from __future__ import annotations

from collections.abc import Sequence

from lormika.frames.values import Scalar
from lormika.labels import Labels
from lormika.live.bordering import points
from lormika.types import JsonObject

_MOST_NAMES = 6
_MOST_VALUES = 2  # that a sentence tells
_SLIGHT = 0.01  # change of a probability that is not told; of a margin, as a share of it


def differing(cases: Sequence[JsonObject]) -> list[str]:
    """Features whose values are not the same."""
    first, second = (case["values"] for case in cases)
    return [name for name in first if first[name] != second[name]]


def compare(
    labels: Labels, cases: Sequence[JsonObject], names: Sequence[str], swapped: Sequence[Sequence[JsonObject]]
) -> JsonObject:
    """Two answers of `explain`, and what differs between them; names are how a sentence calls the cases.

    `swapped` has, for each feature that differs, the model's answers about either case with the other's value.
    """
    differences = [
        {
            "feature": name,
            "label": labels.name(name),
            "values": [case["values"][name] for case in cases],
            "texts": [labels.write(name, case["values"][name], exactly=True) for case in cases],
            "swapped": list(answers),
        }
        for name, answers in zip(differing(cases), swapped, strict=True)
    ]
    differences.sort(key=lambda one: (-max(map(_move, one["swapped"])), not any(a["turned"] for a in one["swapped"])))
    closer = _closer(cases)
    known = {one["feature"] for one in differences}
    sentences = [_which(cases, names, closer), _why(cases, names, closer, differences)]
    return {
        "cases": list(cases),
        "differences": differences,
        "same": [name for name in cases[0]["values"] if name not in known],
        "closer": closer,
        "names": list(names),
        "summary": " ".join(filter(None, sentences)),
    }


def name_cases(rows: Sequence[int | None], ids: Sequence[Scalar | None], changes: Sequence[int]) -> tuple[str, str]:
    """How a sentence calls two cases: by their rows, or by what was done to one and the same.

    >>> name_cases([5, 7], ["A-5", None], [0, 2]), name_cases([5, 5], [None, None], [0, 1])
    (('case A-5', 'case 7, changed'), ('case 5', 'case 5, changed'))
    >>> name_cases([5, None], [None, None], [1, 0])
    ('the first case', 'the second case')
    """
    names = [
        None if row is None else f"case {row if own is None else own}{', changed' if count else ''}"
        for row, own, count in zip(rows, ids, changes, strict=True)
    ]
    if None in names or names[0] == names[1]:
        return "the first case", "the second case"
    return str(names[0]), str(names[1])


def _move(answer: JsonObject) -> float:
    """How far the certainty of the prediction moved."""
    before, after = answer["certainties"]
    return 0.0 if before is None or after is None else abs(after - before)


def _distance(case: JsonObject) -> float | None:
    """From the border; if that is not known, how certain the model is."""
    distance = case["certainty"] if case["border"] is None else case["border"]["distance"]
    return None if distance is None else abs(distance)


def _closer(cases: Sequence[JsonObject]) -> int | None:
    """The case that is closer to the border."""
    first, second = map(_distance, cases)
    if first is None or second is None or first == second:
        return None
    return int(second < first)


def _which(cases: Sequence[JsonObject], names: Sequence[str], closer: int | None) -> str:
    """Which is closer to the border, and by how much."""
    said = [_said(case) for case in cases]
    if closer is None:
        equal = " Both are as far from the border." if _distance(cases[0]) is not None else ""
        return f"{_capital(names[0])}: {said[0]}; {names[1]}: {said[1]}.{equal}"
    other, far = 1 - closer, [_far(case) for case in cases]
    return (
        f"{_capital(names[closer])} is closer to the border: {said[closer]}{far[closer]}; "
        f"{names[other]}: {said[other]}{far[other]}."
    )


def _far(case: JsonObject) -> str:
    border = case["border"]
    if border is None or case["unit"] != "probability":
        return ""
    rival = f" ahead of {border['rival']['text']}" if border["rival"] else " from it"
    return f", {points(border['distance'])}{rival}"


def _why(
    cases: Sequence[JsonObject], names: Sequence[str], closer: int | None, differences: Sequence[JsonObject]
) -> str | None:
    """Which values of the closer case bring the other closer, too; each alone, as the model answered."""
    if not differences:
        return "They have the same values."
    if closer is None:
        labels = [one["label"] for one in differences]
        more = f" and {len(labels) - _MOST_NAMES} more" if len(labels) > _MOST_NAMES else ""
        return f"They differ in {', '.join(labels[:_MOST_NAMES])}{more}."
    far = 1 - closer
    slight = _SLIGHT * (1.0 if cases[far]["unit"] == "probability" else abs(cases[far]["certainty"]))
    drops = sorted((one for one in differences if _drop(one, far) > slight), key=lambda one: -_drop(one, far))
    if not drops:
        return (
            f"No single value of {names[closer]} brings {names[far]} closer to the border: they differ in "
            f"{len(differences)} values, which do that together."
        )
    told = [_tell(one, closer, far, names) for one in drops[:_MOST_VALUES]]
    return f"Most of this comes from values of {names[closer]}: {'; '.join(told)}."


def _drop(difference: JsonObject, far: int) -> float:
    before, after = difference["swapped"][far]["certainties"]
    return 0.0 if before is None or after is None else float(before - after)


def _tell(difference: JsonObject, closer: int, far: int, names: Sequence[str]) -> str:
    """What one value does, put into the other case."""
    answer, texts = difference["swapped"][far], difference["texts"]
    before, after = answer["certainty_texts"]
    turned = f" and turns to {answer['text']}" if answer["turned"] else ""
    change = f"with {difference['label']} {texts[closer]} instead of {texts[far]}"
    return f"{change}, {names[far]} goes from {before} to {after}{turned}"


def _said(case: JsonObject) -> str:
    return str(case["text"]) if case["certainty"] is None else f"{case['text']} ({case['certainty_text']})"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
