"""Memory: what the model said about rows, for as long as instances of one table are explained.

Similar instances have similar rows of the background, from which similar rows are generated: of a thousand instances of
a table with categories, two fifths of the rows were asked about before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np

from lormika.models import Answer, Bands

_MOST_BYTES = 64 << 20
_MOST_ROWS = 1 << 20
_TRIED = 20_000  # rows, beyond those of the first call, after which it is known whether this pays
_BLOCK = 1 << 15  # cells that are mixed at a time, in the processor's cache
_PAYS = 0.03  # share of rows that were asked about before

Keys = np.ndarray  # 2 x rows


class Memory:
    """Answers by row; once it is full, or if rows hardly ever come again, it takes in no more."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes, self._capacity, self._count = most_bytes, 0, 0
        self._looked, self._known = 0, 0
        self._keys: Keys = np.zeros((2, 0), dtype=np.uint64)
        self._slots: np.ndarray = np.zeros(0, dtype=np.intp)  # numbers of answers, from 1, at places that keys name
        self._answers: dict[str, np.ndarray] = {}
        self._bands: Bands | None = None

    @property
    def pays(self) -> bool:
        """Whether enough rows were known, or too few were seen to tell."""
        return self._looked < _TRIED or self._known >= _PAYS * self._looked

    def ask(self, rows: np.ndarray, different: int, model: Callable[[np.ndarray], Answer]) -> Answer:
        """The answer about rows: so many, the first ones, all differ; about the others the model is always asked."""
        if not self.pays:
            return model(rows)
        keys = row_keys(rows[:different])
        places = self._find(keys)
        new = np.flatnonzero(places < 0)
        if self._count:
            self._looked, self._known = self._looked + different, self._known + different - len(new)
        if len(new) == different:
            answer = model(rows)
            self._keep(keys, answer)
            return answer
        asked = np.concatenate([new, np.arange(different, len(rows))])
        fresh = model(rows.take(asked, axis=0)) if len(asked) else None
        answer = self._joined(places, new, fresh)
        if fresh is not None:
            self._keep(keys[:, new], fresh)
        return answer

    def _joined(self, places: np.ndarray, new: np.ndarray, fresh: Answer | None) -> Answer:
        """What was known and what is new, in the order of the rows; then what more was asked."""
        arrays = {name: array[places] for name, array in self._answers.items()}
        if fresh is not None:
            for name, array in arrays.items():
                own = getattr(fresh, name)
                array[new] = own[: len(new)]
                arrays[name] = np.concatenate([array, own[len(new) :]])
        return Answer(**{"probabilities": None, "bands": self._bands, **arrays})

    def _find(self, keys: Keys) -> np.ndarray:
        """Where the answers about rows are; -1: nowhere."""
        places = np.full(keys.shape[1], -1)
        if not self._count:
            return places
        waiting, slots = np.arange(keys.shape[1]), self._first_slots(keys)
        while len(waiting):
            there = self._slots[slots[waiting]]
            same = (there > 0) & (self._keys[:, there - 1] == keys[:, waiting]).all(axis=0)
            places[waiting[same]] = there[same] - 1
            waiting = waiting[(there > 0) & ~same]
            slots[waiting] = (slots[waiting] + 1) % len(self._slots)
        return places

    def _keep(self, keys: Keys, answer: Answer) -> None:
        """Take in answers about rows that are not known, as long as there is room."""
        if not self._capacity:
            self._make_room(answer)
        start = self._count
        keys = keys[:, : self._capacity - start]
        self._count += keys.shape[1]
        self._keys[:, start : self._count] = keys
        for name, array in self._answers.items():
            array[start : self._count] = getattr(answer, name)[: keys.shape[1]]
        waiting, slots = np.arange(keys.shape[1]), self._first_slots(keys)
        numbers = waiting + start + 1
        while len(waiting):  # of several that want the same slot, one gets it
            free = waiting[self._slots[slots[waiting]] == 0]
            self._slots[slots[free]] = numbers[free]
            waiting = waiting[self._slots[slots[waiting]] != numbers[waiting]]
            slots[waiting] = (slots[waiting] + 1) % len(self._slots)

    def _first_slots(self, keys: Keys) -> np.ndarray:
        slots: np.ndarray = (keys[0] % np.uint64(len(self._slots))).astype(np.intp)
        return slots

    def _make_room(self, answer: Answer) -> None:
        """Arrays as long as may be; the system gives the memory as they are filled."""
        arrays = {field.name: getattr(answer, field.name) for field in fields(Answer)}
        self._bands = arrays.pop("bands")
        arrays = {name: array for name, array in arrays.items() if array is not None}
        row_bytes = 2 * 8 + 2 * 8 + sum(array[:1].nbytes for array in arrays.values())
        self._capacity = max(1, min(_MOST_ROWS, self._most_bytes // row_bytes))
        self._keys = np.empty((2, self._capacity), dtype=np.uint64)
        self._slots = np.zeros(2 * self._capacity + 1, dtype=np.intp)
        self._answers = {
            name: np.empty((self._capacity, *array.shape[1:]), array.dtype) for name, array in arrays.items()
        }


def row_keys(rows: np.ndarray) -> Keys:
    """128 bits that tell rows apart: two sums over the cells, each cell mixed well with the number of its column.

    That two of a million rows had the same by chance is less likely than an error of the processor.
    """
    bits = np.ascontiguousarray(rows).view(np.uint64)
    salts = np.random.default_rng(0).integers(1 << 64, size=(3, bits.shape[1]), dtype=np.uint64)
    keys = np.empty((2, len(bits)), dtype=np.uint64)
    step = max(1, _BLOCK // max(1, bits.shape[1]))
    for start in range(0, len(bits), step):
        mixed = _mix(bits[start : start + step] ^ salts[0])
        for key, salt in zip(keys, salts[1:], strict=True):
            np.matmul(mixed, salt | np.uint64(1), out=key[start : start + step])
    return keys


def _mix(cells: np.ndarray) -> np.ndarray:
    """Let every bit depend on every other, in place, as the generator splitmix64 does."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        cells ^= cells >> np.uint64(shift)
        cells *= np.uint64(factor)
    cells ^= cells >> np.uint64(31)
    return cells
