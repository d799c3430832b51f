"""Sentences about changes: the smallest that turn the prediction, what does not turn it, and how much was tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lormika.frames.values import Scalar, format_value
from lormika.rule import Edit, Rerun
from lormika.views.answers import reached
from lormika.views.reading import Reading
from lormika.views.spans import Span, listed
from lormika.views.values import write_values
from lormika.views.words import percents

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.summaries import AskedSummary

_LIMITS = frozenset({"constraints", "target", "at_least"})  # options that leave out changes
_MOST_CHANGES = 2
_MOST_EDITS = 5  # that a sentence lists
_MOST_NAMES = 3  # of other features that turn the prediction alone


def changes(reading: Reading) -> list[Span]:
    """Changes that turned the prediction when the model was asked, the smallest first, and what does not turn it."""
    explanation = reading.explanation
    asked = explanation.asked
    reruns = [rule.rerun for rule in explanation.counterfactual if rule.rerun is not None]
    turning = smallest([rerun for rerun in reruns if rerun.turned])
    if explanation.options.keys() & _LIMITS:
        return _within_limits(explanation, turning[:_MOST_CHANGES])
    if asked is None:
        return _turns(turning[:_MOST_CHANGES], explanation) + _end(turning, len({rerun.edits for rerun in reruns}))
    alone = [rerun for rerun in turning if len(rerun.edits) == 1]
    solo = {effect.feature for effect in reading.effects if effect.turns} | {rerun.edits[0].feature for rerun in alone}
    if alone:
        spans = [*_turns(turning[:_MOST_CHANGES], explanation), Span(".")]
        return spans + _others(turning[:_MOST_CHANGES], solo, complete=asked.singles == asked.all_singles)
    nothing = "" if solo else _nothing(asked, with_pairs=not any(len(rerun.edits) == 2 for rerun in turning))
    spans = [Span(f"{nothing}{'; ' if turning else '.'}")] if nothing else []
    if turning:
        spans += [*_turns(turning[:1], explanation, "changing" if nothing else "Changing"), Span(".")]
    return spans


def _within_limits(explanation: Explanation, turning: Sequence[Rerun]) -> list[Span]:
    """What turned it among the changes that were permitted and led where they should; nothing is said of others."""
    if turning:
        return [*_turns(turning, explanation), Span(".")]
    options = explanation.options
    target, at_least = options.get("target"), options.get("at_least")
    if target is not None and str(target) == str(explanation.prediction):
        return []
    permitted = "permitted " if "constraints" in options else ""
    aim = "" if target is None else f" to {format_value(target)}"
    aim += "" if at_least is None else f" with a probability of at least {at_least:.4g}"
    return [Span(f"No {permitted}change that was tried turned it{aim}.")]


def _others(mentioned: Sequence[Rerun], solo: set[str], complete: bool) -> list[Span]:
    """Whether features beside those mentioned turn it alone, too; that none does is exact if all were tried."""
    others = sorted(solo - {edit.feature for rerun in mentioned if len(rerun.edits) == 1 for edit in rerun.edits})
    if others:
        is_short = len(others) <= _MOST_NAMES + 1  # the name of one is no longer than "1 other"
        names = listed(others if is_short else others[:_MOST_NAMES], "or" if is_short else ",")
        further = "" if is_short else f" or {len(others) - _MOST_NAMES} others"
        return [Span(" A change of "), *names, Span(f"{further} alone can turn it, too.")]
    return [Span(" No other feature turned it alone.")] if complete else []


def _nothing(asked: AskedSummary, with_pairs: bool) -> str:
    """That no change of one feature turns it, nor of two; exact only if all were tried."""
    singles, all_singles, pairs, all_pairs = asked.singles, asked.all_singles, asked.pairs, asked.all_pairs
    with_pairs = with_pairs and all_pairs > 0
    if not all_singles:
        return ""
    if singles < all_singles:
        some = f"{singles:,} of {all_singles:,} values" + (f", {pairs:,} of {all_pairs:,} pairs" if with_pairs else "")
        what = "No change" if with_pairs else "No change of one feature"
        return f"{what} that was tried turned it ({some})"
    if not with_pairs:
        return f"No change of one feature turned it ({singles:,} values were tried)"
    if pairs == all_pairs:
        return f"No change of one or two features turned it ({singles:,} values and {pairs:,} pairs were tried)"
    return (
        f"No change of one feature turned it ({singles:,} values were tried), nor did any pair that was tried "
        f"({pairs:,} of {all_pairs:,})"
    )


def _turns(reruns: Sequence[Rerun], explanation: Explanation, start: str = "Changing") -> list[Span]:
    """What each change turns the prediction to, without the end of the sentence."""
    if explanation.value is not None:
        return _leads(reruns, explanation.bands, start)
    spans: list[Span] = []
    is_binary = len(explanation.classes) == 2
    before: tuple[bool, Scalar] | None = None
    for rerun in reruns:
        label = isinstance(rerun.label, bool), rerun.label  # True is no 1 here
        chance = _chance(rerun) if is_binary else reached(rerun)
        if label == before:
            spans += [Span(", and so does changing "), *_edits(rerun.edits), Span(chance)]
        else:
            spans += [Span("; changing " if spans else f"{start} "), *_edits(rerun.edits), Span(" turns it to ")]
            spans += [Span(format_value(rerun.label), "against"), Span(chance)]
        before = label
    return spans


def _leads(reruns: Sequence[Rerun], edges: Sequence[float], start: str) -> list[Span]:
    """The same for a regressor: the value that each change leads to, and its band."""
    spans: list[Span] = []
    for rerun in reruns:
        assert rerun.value is not None
        spans += [Span("; changing " if spans else f"{start} "), *_edits(rerun.edits), Span(" leads to ")]
        spans += [Span(write_values([rerun.value], edges)[0], "against"), Span(f" ({format_value(rerun.label)})")]
    return spans


def _chance(rerun: Rerun) -> str:
    """How probable the other one of two classes is."""
    if rerun.probability is None:
        return ""
    return f" ({percents(0.5, 1 - rerun.probability)[1]})"  # the digits that tell it from a tie


def _edits(edits: Sequence[Edit]) -> list[Span]:
    texts = [f"{edit.feature} to {edit.texts[1]}" for edit in edits]
    if len(texts) > _MOST_EDITS:
        return [*listed(texts[: _MOST_EDITS - 1], ","), Span(f" and {len(texts) - _MOST_EDITS + 1} other features")]
    return listed(texts, "together with" if len(texts) == 2 else "and")


def _end(turning: list[Rerun], tried: int) -> list[Span]:
    """The end of the sentence where nothing but the re-runs of the rules was asked."""
    if turning:
        number = "checked" if len(turning[:_MOST_CHANGES]) == 1 else "both checked"
        return [Span(f" – {number} by asking the model again.")]
    if tried == 0:
        return []
    some = {1: "The one change", 2: "Neither of the two changes"}.get(tried, f"None of the {tried} changes")
    turned = "did not turn" if tried == 1 else "turned"
    return [Span(f"{some} that the rules suggest {turned} the prediction when the model was asked again.")]


def smallest(reruns: list[Rerun]) -> list[Rerun]:
    """Those with the fewest edits first; of those that change the same features, or more, only the first."""
    kept: list[Rerun] = []
    for rerun in sorted(reruns, key=lambda rerun: len(rerun.edits)):
        features = {edit.feature for edit in rerun.edits}
        if not any({edit.feature for edit in small.edits} <= features for small in kept):
            kept.append(rerun)
    return kept


def checked(explanation: Explanation) -> list[Span]:
    """How much the model was asked, as small print."""
    asked, rules = explanation.asked, explanation.rules
    if asked is None:
        return []
    start = "The model was asked about changes of this case"
    if rules and all(rule.check is not None for rule in rules):
        start = "Every rule here was checked by asking the model about this case"
    whole = (asked.singles, asked.pairs) == (asked.all_singles, asked.all_pairs)
    noun = "change" if asked.all_singles == 1 else "changes"
    numbers = f"{_part(asked.singles, asked.all_singles, whole)} {noun} of one value"
    if asked.all_pairs:
        numbers += f" and {_part(asked.pairs, asked.all_pairs, whole)} of two"
    return [Span(f"{start}: {numbers}.")]


def _part(count: int, total: int, whole: bool) -> str:
    """How many of all; unless the whole is meant, all of them are said to be so."""
    if count < total:
        return f"{count:,} of {total:,}"
    return f"{count:,}" if whole else f"all {count:,}"
