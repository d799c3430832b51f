"""How wide the columns of a text are: as wide as they need, or less if there is no room."""

from __future__ import annotations

from collections.abc import Sequence

Shape = tuple[int, int, int]  # cells that the content needs, the least for it, and blanks to the next column


def fit_columns(shapes: Sequence[Shape], wraps: Sequence[bool], room: int) -> list[int]:
    """Widths of columns, gaps included: the widest that can be wrapped give way first, then all.

    >>> fit_columns([(10, 0, 2), (50, 0, 0)], [False, True], 40), fit_columns([(3, 5, 0)], [True], 40)
    ([12, 28], [5])
    """
    widths = [_measure(shape, room) or 1 for shape in shapes]
    if sum(widths) <= room:
        return widths
    widths = _shrink_widest(widths, wraps, room)
    if sum(widths) > room:
        widths = _take(sum(widths) - room, [1] * len(widths), widths, widths)
    return [_measure(shape, width) for shape, width in zip(shapes, widths, strict=True)]


def _measure(shape: Shape, room: int) -> int:
    if room < 1:
        return 0
    need, least, gap = shape
    return max(min(need + gap, room), least + gap if least else 0)


def _shrink_widest(widths: list[int], wraps: Sequence[bool], room: int) -> list[int]:
    """Make the widest columns that can be wrapped as narrow as the next, until all fit or all are alike."""
    excess = sum(widths) - room
    while excess > 0 and any(wraps):
        sizes = {width for width, may in zip(widths, wraps, strict=True) if may}
        widest, *others = sorted(sizes, reverse=True)
        step = widest - max(others, default=0)
        if not step:
            break
        chosen = [int(may and width == widest) for width, may in zip(widths, wraps, strict=True)]
        widths = _take(excess, chosen, [min(excess, step)] * len(widths), widths)
        excess = sum(widths) - room
    return widths


def _take(total: int, shares: Sequence[int], most: Sequence[int], widths: Sequence[int]) -> list[int]:
    """Take cells from columns, by their shares."""
    left, parts = total, sum(share for share, limit in zip(shares, most, strict=True) if limit)
    taken = []
    for share, limit, width in zip(shares, most, widths, strict=True):
        part = min(limit, round(share * left / parts)) if share and limit and parts > 0 else 0
        taken.append(width - part)
        left -= part
        parts -= share if limit else 0
    return taken
