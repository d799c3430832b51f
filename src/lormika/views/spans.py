"""Pieces of sentences, and how to show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "strong", "for", "against"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence, and how to show it."""

    text: str
    tone: Tone = "plain"


def listed(texts: Sequence[str], last: str, tone: Tone = "strong") -> list[Span]:
    """Several things in one sentence.

    >>> "".join(span.text for span in listed(["a", "b", "c"], "and"))
    'a, b and c'
    """
    spans: list[Span] = []
    for number, text in enumerate(texts):
        if number:
            spans.append(Span(f" {last} ".replace(" ,", ",") if number == len(texts) - 1 else ", "))
        spans.append(Span(text, tone))
    return spans
