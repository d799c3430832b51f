"""A prediction explained to the person whom it is about: one page in plain words, and a record of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from lormika.checks import check_choice, check_integer
from lormika.errors import InputError
from lormika.views.letter_fields import NEEDED, Time, read_fields, read_time, written_date
from lormika.views.letter_templates import Template
from lormika.views.letter_words import changed_words, letter_reasons, letter_words
from lormika.views.payload import dump_rule
from lormika.views.reasons import Codes, Reason, parse_codes, read_codes

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.fingerprint import Fingerprint
    from lormika.frames.values import Scalar
    from lormika.types import JsonObject, JsonValue

FORMAT, VERSION = "lormika.letter", 1
_MOST_REASONS = 4  # more than these tell a reader less, and one page has no room for them
_MOST_CHARACTERS = 1200  # from data and fields: with more, the print is smaller, and it is still one page
_UNKNOWN = "no fingerprint was given"

Paper = Literal["A4", "letter"]


@dataclass(frozen=True, slots=True, eq=False)
class Letter:
    """A letter: its page, and its record.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(300)
    >>> numbers = X[["income", "debt_ratio", "missed_payments"]]
    >>> explainer = Explainer(DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, y), numbers)
    >>> letter = explainer.explain(numbers.iloc[[0]]).letter(fields={"recipient": "Ms Doe"})
    >>> letter.placeholders, letter.record["prediction"]
    (('sender', 'contact'), 'rejected')
    """

    html: str  #: self-contained: no script, nothing from the network; one page of paper
    record: JsonObject
    placeholders: tuple[str, ...]  #: fields that are still to be filled in

    def save(self, path: str | Path) -> Path:
        """Write to a file: `.html`, `.pdf` (printed by Chromium), or `.json` for the record."""
        from lormika.views import saving

        return saving.save_letter(self, Path(path))

    def __repr__(self) -> str:
        return f"<Letter, {self.record['template']['name']}: {len(self.record['reasons'])} reasons>"


class LetterKeywords(TypedDict, total=False):
    """Options of a letter."""

    codes: Codes | None
    top: int
    fields: Mapping[str, str] | None
    time: Time
    fingerprint: Fingerprint | None
    paper: Paper
    instead_of: Mapping[str, Scalar | None] | None


def write_letter(
    explanation: Explanation,
    template: str | Path,
    *,
    codes: Codes | None = None,
    top: int = _MOST_REASONS,
    fields: Mapping[str, str] | None = None,
    time: Time = None,
    fingerprint: Fingerprint | None = None,
    paper: Paper = "A4",
    instead_of: Mapping[str, Scalar | None] | None = None,
) -> Letter:
    """Write a letter about an explanation, and the record of all that it rests on.

    Parameters
    ----------
    explanation, template
        What to write about; `adverse-action`, `explanation`, or a Jinja file, which gets plain data only and is
        rendered in a sandbox.
    codes, top
        What to say of which features, and how many reasons to give at most: see `Explanation.reasons`.
    fields
        What only the sender knows, such as `{"recipient": "Ms Doe", "contact": "…"}`.
    time
        When the letter is written, as a date, a time or ISO 8601. Nothing reads the clock: without it, the letter has
        no date.
    fingerprint
        Hashes of the model and the background for the record, from `Explainer.fingerprint`.
    paper
        `A4` or `letter`.
    instead_of
        Where the explanation is about values that were changed to see what follows: those that the case really has, by
        feature. The letter then says that it is hypothetical.
    """
    if explanation.value is not None:
        raise InputError(
            "letters are about the decision of a classifier, and this explains the value of a regressor: its summary() "
            "and reasons() say the same in other words"
        )
    check_integer("top", top, 1, _MOST_REASONS)
    check_choice("paper", paper, ["A4", "letter"])
    chosen, moment = Template.of(template), read_time(time)
    words = read_fields(fields, chosen.is_own)
    content = read_codes(Path(codes)) if isinstance(codes, str | Path) else None
    table = codes if content is None else parse_codes(Path(str(codes)), content)
    reasons = letter_reasons(explanation, table, top)
    context = letter_words(explanation, reasons) | {"fields": words, "paper": paper}
    context["hypothetical"] = changed_words(explanation, instead_of or {})
    context["dense"] = _characters(context) > _MOST_CHARACTERS
    html = chosen.render(context | {"time": moment, "date": written_date(moment)})
    record = {
        "format": FORMAT,
        "version": VERSION,
        "time": moment,
        "letter": {"sha256": _sha256(encode_page(html)), "paper": paper},
        "template": {"name": Path(chosen.name).name, "sha256": chosen.sha256},
        "codes": _identify(codes, content),
        "fields": {name: text for name, text in words.items() if text is not None},
        "instead_of": dict(instead_of or {}),
        **_facts(explanation, reasons),
        **_hashes(fingerprint),
    }
    return Letter(html, record, () if chosen.is_own else tuple(name for name in NEEDED if words[name] is None))


def _facts(explanation: Explanation, reasons: tuple[Reason, ...]) -> JsonObject:
    """What the letter rests on."""
    return {
        "input": dict(explanation.instance),
        "prediction": explanation.prediction,
        "probabilities": [{"label": c.label, "probability": c.probability} for c in explanation.classes],
        "reasons": [
            {
                "feature": reason.feature,
                "value": reason.value,
                "code": reason.code,
                "text": reason.text,
                "certainty": reason.certainty,
                "otherwise": reason.otherwise,
            }
            for reason in reasons
        ],
        "rules": [dump_rule(rule) for rule in explanation.rules],
        "options": dict(explanation.options),
        "versions": dict(explanation.versions),
        "labels": explanation.labels.to_dict(),
    }


def _hashes(fingerprint: Fingerprint | None) -> JsonObject:
    if fingerprint is None:
        nothing = {"sha256": None, "note": _UNKNOWN}
        return {"model": nothing, "background": dict(nothing)}
    return {
        "model": {"sha256": fingerprint.model, "note": fingerprint.model_note, "labels_sha256": fingerprint.labels},
        "background": {"sha256": fingerprint.background, "rows": fingerprint.rows},
    }


def _characters(value: JsonValue) -> int:
    """Of all texts inside plain data.

    >>> _characters({"a": ["one", {"b": "two"}], "c": None})
    6
    """
    if isinstance(value, dict):
        return sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, list) else len(value) if isinstance(value, str) else 0


def _identify(codes: Codes | None, content: bytes | None) -> JsonObject | None:
    """What identifies a table of codes: the bytes of its file, or else its content as JSON without blanks."""
    if content is not None:
        return {"name": Path(str(codes)).name, "sha256": _sha256(content)}
    if codes is None:
        return None
    text = json.dumps(codes, separators=(",", ":"), default=str)
    return {"name": None, "sha256": _sha256(text.encode())}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def encode_page(html: str) -> bytes:
    """A page as its file holds it; half a character, which no file can hold, becomes a reference."""
    return html.encode("utf-8", "xmlcharrefreplace")


def encode_record(record: JsonObject) -> bytes:
    """A record as its file holds it; half a character becomes JSON's own escape."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    return text.encode("utf-8", "backslashreplace")
