"""Names of features as a page shows them: without what programmers put between words, unless labels say otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lormika.label_entries import FeatureLabel

if TYPE_CHECKING:
    from lormika.labels import Labels


def people_labels(labels: Labels, names: Sequence[str]) -> Labels:
    """Labels in which every feature has one; one that would be mistaken for another keeps its own name.

    >>> from lormika.labels import NO_LABELS
    >>> labels = people_labels(NO_LABELS, ["debt_ratio", "a_b", "a b"])
    >>> [labels.name(name) for name in ("debt_ratio", "a_b", "a b")]
    ['debt ratio', 'a_b', 'a b']
    """
    given = {name: labels.features.get(name, FeatureLabel()) for name in names}
    wanted = {name: entry.label or name.replace("_", " ").strip() or name for name, entry in given.items()}
    often = Counter(wanted.values())
    better = {
        name: replace(entry, label=wanted[name])
        for name, entry in given.items()
        if entry.label is None and wanted[name] != name and often[wanted[name]] == 1
    }
    return replace(labels, features={**labels.features, **better}) if better else labels
