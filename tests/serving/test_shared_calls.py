"""Questions that arrive together become one call of the model, and each gets its own answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from served_loans import HANGS

from lormika.serving.faults import Fault
from lormika.serving.joining import alike, join


def test_waiting_questions_share_a_call(gated, gate, loans) -> None:
    client = gated()
    service = client.server.service
    gate.open.clear()
    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(client.ask, "predict", case={"row": 0})
        assert gate.entered.acquire(timeout=HANGS)
        others = {row: pool.submit(client.ask, "predict", case={"row": row}) for row in range(1, 9)}
        while len(service.shared._waiting) < 8:
            pass
        gate.open.set()
        assert first.result(HANGS)["prediction"]
        answers = {row: one.result(HANGS) for row, one in others.items()}
    assert gate.calls == [1, 8]
    for row, answer in answers.items():
        assert answer["certainty"] == pytest.approx(loans.ask(loans.background.iloc[[row]]).max(), abs=1e-9)


def test_explanations_together_are_those_alone(gated, gate, loans) -> None:
    client = gated()
    rows = range(6)
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda row: client.ask("explain", case={"row": row})["explanation"], rows))
    for row, explanation in zip(rows, together, strict=True):
        assert explanation == client.server.service.explainer.explain(loans.background.iloc[[row]]).to_dict()


def test_one_bad_row_does_not_harm_the_others(gated, gate, loans) -> None:
    client = gated()

    def picky(frame: pd.DataFrame) -> np.ndarray:
        if (frame["income"] == 9999).any():
            raise ValueError("too rich")
        return loans.ask(frame)

    gate.open.clear()
    gate.instead = picky
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(client.ask, "predict", case={"row": 0})
        assert gate.entered.acquire(timeout=HANGS)
        bad = pool.submit(client.ask, "predict", 502, case={"row": 1, "changes": {"income": 9999}})
        good = pool.submit(client.ask, "predict", case={"row": 2})
        while len(client.server.service.shared._waiting) < 2:
            pass
        gate.open.set()
        assert first.result(HANGS)["prediction"]
        assert "too rich" in bad.result(HANGS)["error"]["message"]
        assert good.result(HANGS)["prediction"]


def test_a_question_goes_before_the_predictions_of_all_rows(gated, gate) -> None:
    client = gated()
    shared = client.server.service.shared
    frame = client.server.service.rows.features
    gate.open.clear()
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(shared.ask, frame[:3])
        assert gate.entered.acquire(timeout=HANGS)
        patient = pool.submit(shared.ask, frame[:50], patiently=True)
        while not shared._patient:
            pass
        quick = pool.submit(client.ask, "predict", case={"row": 0})
        while not shared._waiting:
            pass
        gate.open.set()
        for one in (first, patient, quick):
            one.result(HANGS)
    assert gate.calls == [3, 1, 50]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_tables_are_joined_without_change(library) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": pd.Categorical(["x", "y", "x"]), "c": ["u", None, "w"]})
    make = {
        "pandas": lambda part: part,
        "polars": pl.from_pandas,
        "pyarrow": lambda part: pa.Table.from_pandas(part, preserve_index=False),
        "numpy": lambda part: part[["a"]].to_numpy(),
    }[library]
    one, other = make(frame[:2]), make(frame[2:].reset_index(drop=True))
    assert alike(one, other)
    whole, wanted = join([one, other]), make(frame)
    assert np.array_equal(whole, wanted) if library == "numpy" else whole.equals(wanted)
    assert alike(whole, wanted)
    assert not alike(one, np.zeros((2, 2)) if library == "numpy" else make(frame[["a", "b"]]))


def test_other_categories_are_another_type() -> None:
    one = pd.DataFrame({"b": pd.Categorical(["x"], ["x", "y"])})
    assert not alike(one, pd.DataFrame({"b": pd.Categorical(["x"], ["x", "y", "z"])}))


def test_work_has_ended_when_the_service_is_closed(gated, gate) -> None:
    client = gated()
    service = client.server.service
    gate.open.clear()
    job = service.desk.begin(lambda: service.explainer.explain({"income": 1.0}))
    asking = service.desk.begin(lambda: service.explainer.explain(service.rows.instance(0)))
    assert gate.entered.acquire(timeout=HANGS)
    gate.open.set()
    threads = [*service.desk._running.values(), service.shared._thread, service.forecasts._thread]
    service.close()
    assert job.answer.done()
    assert asking.answer.done()
    assert not any(thread.is_alive() for thread in threads)
    for ask in (lambda: service.desk.begin(list), lambda: service.shared.ask(service.rows.features[:1])):
        with pytest.raises(Fault, match="the server ends"):
            ask()
