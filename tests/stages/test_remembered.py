"""What the model said about rows is remembered among the instances of a table, and changes nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lormika import Explainer, many
from lormika.models import Answer
from lormika.stages import memory as module
from lormika.stages.memory import Memory, row_keys


def oracle(rows: np.ndarray) -> Answer:
    """An answer that tells every row from every other."""
    sums = rows @ np.arange(1.0, rows.shape[1] + 1)
    return Answer((sums.astype(int) % 3).astype(np.int32), np.column_stack([sums, -sums]))


def recording(asked: list[np.ndarray]):
    def ask(rows: np.ndarray) -> Answer:
        asked.append(rows)
        return oracle(rows)

    return ask


ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12, unique=True)


@settings(max_examples=200)
@given(st.lists(st.tuples(ROWS, st.booleans()), max_size=8), st.sampled_from([1, 200, 500, 10_000]))
def test_answers_are_those_of_the_model_and_rows_are_asked_about_once(calls, most_bytes):
    memory, known = Memory(most_bytes), set()
    for rows, again in calls:
        table = np.array(rows, dtype=float).reshape(-1, 2)
        more = table[: int(again)]
        asked: list[np.ndarray] = []
        answer = memory.ask(np.concatenate([table, more]), len(table), recording(asked))
        expected = oracle(np.concatenate([table, more]))
        assert answer.labels.tolist() == expected.labels.tolist()
        assert answer.labels.dtype == expected.labels.dtype
        assert answer.probabilities.tolist() == expected.probabilities.tolist()
        assert answer.scores is None
        told = [tuple(row) for some in asked for row in some.tolist()]
        assert len(told) >= len(more)  # these are always asked
        if most_bytes == 10_000:
            unknown = [row for row in rows if row not in known]
            assert sorted(told) == sorted(unknown + [tuple(row) for row in more.tolist()])
        known |= set(rows)


def test_what_does_not_fit_is_asked_again():
    memory, asked = Memory(most_bytes=1), []
    table = np.arange(6.0).reshape(3, 2)
    for _ in range(3):
        memory.ask(table, 3, recording(asked))
    assert [len(some) for some in asked] == [3, 2, 2]  # there is room for one


def test_it_gives_up_where_rows_do_not_come_again(monkeypatch):
    monkeypatch.setattr(module, "_TRIED", 50)
    memory, asked = Memory(), []
    for start in range(0, 100, 10):
        memory.ask(np.arange(start, start + 10.0)[:, None], 10, recording(asked))
    assert not memory.pays
    memory.ask(np.arange(10.0)[:, None], 10, recording(asked))
    assert [len(some) for some in asked] == [10] * 11


def test_keys_tell_rows_apart():
    """Rows that differ in one cell by little, or have the same cells in another order."""
    grid = np.array(np.meshgrid(*[np.arange(12.0)] * 5)).reshape(5, -1).T
    near = np.nextafter(grid[:1000], np.inf)
    rows = np.concatenate([grid, -grid[1:], near, [[np.nan] * 5]])
    rows = np.unique(rows.view(np.uint64), axis=0).view(float)
    for half in row_keys(rows):
        assert len(np.unique(half)) == len(rows)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.choice(list("abcd"), 600) for i in range(4)} | {"n": rng.integers(0, 6, 600).astype(float)}
    return pd.DataFrame(columns)


class Counting:
    """A model that counts the rows it is asked about."""

    classes_ = np.array([0, 1])

    def __init__(self) -> None:
        self.rows = 0

    def predict_proba(self, frame):
        self.rows += len(frame)
        p = 1 / (1 + np.exp(2 - (frame["c0"] == "a") - frame["n"].to_numpy() / 2 - (frame["c1"] == "b")))
        return np.column_stack([1 - p, p])

    def predict(self, frame):
        return self.classes_[self.predict_proba(frame).argmax(axis=1)]


def test_explanations_are_the_same_and_the_model_is_asked_less(table, monkeypatch):
    def told(forget: bool):
        model = Counting()
        explainer = Explainer(model, table, n_generated=300)
        if forget:
            monkeypatch.setattr(many, "Memory", lambda: None)
        model.rows = 0
        rows = pd.concat([table[:60], table[:3].assign(c0="new")])
        results = [each.to_json() for each in explainer.explain_many(rows, progress=False, chunk_size=10)]
        return results, model.rows

    (mine, few), (all_asked, many_rows) = told(forget=False), told(forget=True)
    assert mine == all_asked
    assert few < 0.8 * many_rows
