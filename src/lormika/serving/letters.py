"""Letters that a request asks for: no path in it reaches the file system."""

from __future__ import annotations

from typing import NamedTuple

from lormika.checks import check_choice
from lormika.errors import InputError, quote
from lormika.types import JsonObject
from lormika.views.letter import LetterKeywords

_TEMPLATES = ("adverse-action", "explanation")


class LetterWish(NamedTuple):
    """What kind of letter is wanted."""

    template: str
    options: LetterKeywords
    as_record: bool


def read_letter(body: JsonObject) -> LetterWish:
    """The part of a request that is about the letter."""
    template = body.get("template", _TEMPLATES[0])
    check_choice("template", template, list(_TEMPLATES))
    form = body.get("format", "html")
    check_choice("format", form, ["html", "json"])
    options: LetterKeywords = {}
    if body.get("codes") is not None:
        if not isinstance(body["codes"], dict | list):
            raise InputError(f"codes={quote(body['codes'])}: give a table as JSON, not the name of a file")
        options["codes"] = body["codes"]
    if body.get("fields") is not None:
        options["fields"] = body["fields"]
    for name in ("time", "paper", "top"):
        if body.get(name) is not None:
            options[name] = body[name]
    return LetterWish(template, options, form == "json")
