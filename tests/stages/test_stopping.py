"""Searches that are stopped, and searches in threads, against the naive twin."""

from __future__ import annotations

import json
import math
import random
import signal
import sys
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_search import Table, expected, options, plain, tables
from test_weighted_search import WEIGHTS, make_space

import naive
from draws import examples
from lacking import on_posix
from lormika import Explainer, Incomplete, InputError, _core, datasets, mine_rules
from lormika.explanation import Explanation
from lormika.options import SearchOptions
from lormika.stages.search import make_lists

pytestmark = pytest.mark.filterwarnings("ignore:y holds one class")


def search(space, weights, given, **more):
    """Candidates of the core's search, as the library calls it, and how it ended."""
    chosen, found = SearchOptions(**given), []
    kernel = _core.search
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "search", lambda *some, **named: found.append(kernel(*some, **named | more)) or found[0])
        own = np.array([weights[f] for f in space.items.features])
        rules = space.find(chosen, make_lists(space, chosen.per), chosen.k, own)
    return [plain(space.make_rule(one)) for one in rules], found[0][2], found[0][3]


@pytest.mark.parametrize("objective", naive.OBJECTIVES)
@pytest.mark.parametrize("filter", naive.FILTERS)
@settings(max_examples=examples(15))
@given(table=tables(), given_options=options, nodes=st.integers(0, 200), seed=st.integers(0, 2**32))
def test_no_rule_is_missing_that_is_better_than_the_bound(table, given_options, nodes, seed, objective, filter):
    given = {**given_options, "objective": objective, "filter": filter}
    rng = random.Random(seed)
    weights = [rng.choice(WEIGHTS) for _ in table.rows[0]] if rng.random() < 0.5 else [1.0] * len(table.rows[0])
    wanted = expected(table, **given, weights=weights)
    found, stopped, bounds = search(make_space(table, None, None), weights, given, node_limit=nodes)
    if stopped == _core.Stopped.NO or math.isnan(bounds[0]):
        assert found == wanted
        return
    every = expected(table, **given | {"k": 10**9}, weights=weights)
    assert [rule for rule in every if rule in found] == found  # they pass, and are in order
    for rule in wanted:
        if rule not in found:
            assert rule[-1] * min(weights[f] for f, _ in rule[0]) <= bounds[0]


@pytest.mark.parametrize("filter", naive.FILTERS)
@settings(max_examples=examples(15))
@given(
    table=tables(),
    given_options=options,
    objective=st.sampled_from(naive.OBJECTIVES),
    threads=st.sampled_from([2, 3, 8]),
)
def test_threads_find_the_same(table, given_options, objective, threads, filter):
    given = {**given_options, "objective": objective, "filter": filter}
    alone = mine_rules(table.columns, table.labels, **given)
    assert mine_rules(table.columns, table.labels, **given, n_jobs=threads) == alone
    assert [plain(rule) for rule in alone] == expected(table, **given)


def wide_table(rows: int = 400, features: int = 60) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(5)
    X = {f"f{f}": rng.integers(0, 3, rows).astype(str) for f in range(features)}
    return X, ((X["f1"] == "0") & (X["f7"] == "1")) ^ (rng.random(rows) < 0.2)


@pytest.mark.parametrize("objective", ["confidence", "leverage"])
@pytest.mark.parametrize("filter", ["none", "significant"])
def test_threads_share_much_work_and_find_the_same(objective, filter):
    X, y = wide_table()
    given = {"objective": objective, "filter": filter, "max_conditions": 3, "min_count": 5, "k": 50}
    alone = mine_rules(X, y, **given)
    for threads in (2, 8, -1):
        assert mine_rules(X, y, **given, n_jobs=threads) == alone


def test_no_time_is_enough_for_single_conditions():
    """A limit of 0 is reached before anything else, on any machine."""
    X, y = wide_table()
    with pytest.warns(
        UserWarning, match=r"stopped after 0 s and is not complete: no rule better than 0\.\d+ \(leverage\)"
    ):
        rules = mine_rules(X, y, time_limit=0)
    assert rules == mine_rules(X, y, max_conditions=1)
    assert not rules.complete
    complete = mine_rules(X, y)
    assert complete.complete
    assert complete.open_bound is complete.incomplete is None
    assert rules.open_bound > max(rule.score for rule in complete if rule not in rules)


def test_a_limit_that_is_not_reached_changes_nothing():
    X, y = wide_table(features=8)
    rules = mine_rules(X, y, time_limit=3600.0)
    assert rules == mine_rules(X, y)
    assert rules.complete


@pytest.fixture
def explainer(request) -> Explainer:
    """Of several features, so that a search takes more than one step."""
    X, _ = datasets.make_loans(400)
    return Explainer(lambda frame: np.where((frame["income"] > 40) | (frame["savings"] > 9), "yes", "no"), X)


@pytest.mark.parametrize("options", [{}, {"confirm": False}, {"per": "overall", "confirm": False}])
def test_an_explanation_says_that_it_is_not_complete(explainer, options):
    row = explainer.background.schema.decode(explainer.locate(datasets.make_loans(400)[0].iloc[[3]]).instance)
    explanation = explainer.explain(row, time_limit=0, **options)
    assert isinstance(explanation.incomplete, Incomplete)
    assert explanation.incomplete.why == "time"
    sentence = str(explanation.incomplete)
    assert sentence in [note.text for note in explanation.notes]
    assert sentence in " ".join(explanation.to_text().split())
    assert "stopped after 0 s and is not complete" in " ".join(explanation.to_html().split())
    payload = json.loads(explanation.to_json())
    assert payload["incomplete"]["open_bound"] == explanation.incomplete.open_bound
    assert payload["options"]["time_limit"] == 0
    assert Explanation.from_dict(payload).incomplete == explanation.incomplete
    whole = json.loads(explainer.explain(row, **options).to_json())
    assert "incomplete" not in whole
    assert not {"time_limit", "n_jobs"} & set(whole["options"])
    assert explainer.explain(row, n_jobs=2, **options).to_json() == explainer.explain(row, **options).to_json()


def test_threads_that_explain_rows_search_alone(explainer, monkeypatch):
    kernel, seen = _core.search, []
    monkeypatch.setattr(_core, "search", lambda *some, **named: seen.append(named) or kernel(*some, **named))
    rows = datasets.make_loans(400)[0][:3]
    list(explainer.explain_many(rows, n_jobs=2, progress=False))
    assert {(named["n_jobs"], named["keep_on_interrupt"]) for named in seen} == {(1, False)}
    seen.clear()
    explainer.explain(rows.iloc[[0]], n_jobs=2)
    assert {named["n_jobs"] for named in seen} == {2}


def test_a_longer_search_that_is_stopped_keeps_what_a_shorter_one_has_found():
    X, y = wide_table(features=10)
    table = Table([[int(X[f"f{f}"][i]) for f in range(10)] for i in range(len(y))], y.astype(int).tolist())
    space = make_space(table, None, None)
    chosen = SearchOptions(max_conditions=3, filter="none")
    lists = make_lists(space, chosen.per)
    first = space.find(chosen, lists, 20)
    assert space.incomplete is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "search", partial(_core.search, node_limit=40))
        more = space.find(chosen, lists, 40, known=first)
    assert space.incomplete is not None
    assert space.incomplete.why == "nodes"
    assert more[:20] == first
    assert len(more) > 20


@pytest.mark.parametrize(("given", "message"), [({"n_jobs": 0}, "n_jobs=0"), ({"time_limit": -1}, "time_limit=-1"),
                                                ({"n_jobs": 5000}, "n_jobs=5000")])  # fmt: skip
def test_wrong_limits_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        mine_rules({"a": [1, 2]}, [0, 1], **given)


@pytest.fixture
def interrupted(monkeypatch):
    """Runs a function, and presses Ctrl-C as soon as it lets other threads run: no sooner than the core searches."""
    usual, patience = signal.signal(signal.SIGINT, signal.default_int_handler), sys.getswitchinterval()
    gate, pressed = threading.Lock(), threading.Event()
    main = threading.main_thread().ident

    def press() -> None:
        with gate:
            signal.pthread_kill(main, signal.SIGINT)
            pressed.set()

    def run(function):
        gate.acquire()
        thread = threading.Thread(target=press, daemon=True)
        thread.start()
        sys.setswitchinterval(60.0)  # nobody else runs before this thread waits, or the core searches
        gate.release()
        try:
            return function()
        finally:
            sys.setswitchinterval(patience)
            thread.join(60)
            assert pressed.is_set()

    yield run
    sys.setswitchinterval(patience)
    signal.signal(signal.SIGINT, usual)


def long_search(threads: int, keep: bool):
    """A search that would take hours."""
    rng = np.random.default_rng(0)
    items = rng.integers(0, 3, (300, 2000), dtype=np.int32)
    labels, sizes = rng.integers(0, 2, 2000, dtype=np.int32), np.full(300, 3, dtype=np.int32)
    lists, nowhere = np.zeros((2, 2), dtype=np.int32), np.full(300, -1, dtype=np.int32)
    return partial(
        _core.search, items, sizes, labels, lists, nowhere, objective=_core.Objective.CONFIDENCE,
        filter=_core.Filter.NONE, k=1000, max_conditions=6, min_count=1, m=0.0, critical=np.zeros(7),
        weights=np.ones(300), allowed=np.full(900, 255, dtype=np.uint8), n_jobs=threads, keep_on_interrupt=keep,
    )  # fmt: skip


@on_posix
@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_keeps_the_rules_so_far_if_asked_to(interrupted, threads):
    rules, _, stopped, bounds = interrupted(long_search(threads, keep=True))
    assert stopped == _core.Stopped.INTERRUPT
    assert len(rules) == 1000
    assert bounds == [1.0]


@on_posix
@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_is_raised_otherwise(interrupted, threads):
    with pytest.raises(KeyboardInterrupt):
        interrupted(long_search(threads, keep=False))


@pytest.mark.parametrize("at_prompt", [True, False])
def test_only_at_a_prompt_an_interrupt_gives_the_rules_so_far(monkeypatch, at_prompt):
    X, y = wide_table(features=8)
    seen = []
    monkeypatch.setattr(
        _core, "search", lambda *_, keep_on_interrupt, **__: seen.append(keep_on_interrupt) or ([], 0, None, [])
    )
    if at_prompt:
        monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    else:
        monkeypatch.delattr(sys, "ps1", raising=False)
    assert mine_rules(X, y) == []
    assert seen == [at_prompt]
