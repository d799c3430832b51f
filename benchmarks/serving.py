"""How quickly the page is answered: edits one after the other, many users at once, lists of very many rows.

    python benchmarks/serving.py --edits 200 --users 20 --seconds 60 --rows 1000000

Through HTTP, as the browser asks, on this machine. An edit changes one value of a row; first the prediction is asked
for, then the explanation. Nothing is asked twice, so no answer is kept from before.
"""

from __future__ import annotations

import argparse
import resource
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pandas as pd

import lormika
from lormika import Explainer, datasets
from lormika.serving.launch import Server

TOKEN = "a-token-for-measuring"


def main() -> None:
    warnings.simplefilter("ignore")
    options = _options()
    for name in options.datasets:
        X, y = datasets.load(name)
        train_X, test_X, train_y, _ = datasets.split(X, y)
        explainer = Explainer(datasets.make_model("rf", train_X).fit(train_X, train_y), train_X)
        with _serve(explainer, test_X) as server:
            edits = _edits(test_X, np.random.default_rng(0))
            for what, times in _measure(server, edits, options.edits).items():
                print(f"{name}, {what}: median {np.median(times):.0f} ms, 95% {np.quantile(times, 0.95):.0f} ms")
            if options.users:
                _crowd(server, test_X, options.users, options.seconds)
    if options.rows:
        _lists(options.rows)


def _serve(explainer: Explainer, rows: pd.DataFrame) -> Server:
    server = lormika.serve(explainer, rows, token=TOKEN, browser=False)
    server.service.forecasts.join()
    return server


def _client(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.origin, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120)


def _edits(rows: pd.DataFrame, draw: np.random.Generator) -> Iterator[dict]:
    """Cases that differ from a row in one value, which another row has."""
    while True:
        row, other = draw.integers(len(rows), size=2).tolist()
        name = str(draw.choice(rows.columns))
        value = rows[name].iloc[other]
        plain = None if pd.isna(value) else value.item() if isinstance(value, np.generic) else value
        yield {"row": row, "changes": {name: plain}}


def _measure(server: Server, edits: Iterator[dict], count: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"predict": [], "explain": []}
    with _client(server) as client:
        for number, edit in zip(range(count + 3), edits, strict=False):
            for what, own in times.items():
                began = time.perf_counter()
                client.post(f"/api/{what}", json={"case": edit}).raise_for_status()
                if number >= 3:  # after what is slow only once
                    own.append(1000 * (time.perf_counter() - began))
    return times


def _crowd(server: Server, rows: pd.DataFrame, users: int, seconds: float) -> None:
    """Many users, each of whom asks again as soon as the answer is there."""
    answers: Counter[int] = Counter()
    times: list[float] = []
    until = time.monotonic() + seconds

    def use(seed: int) -> None:
        edits = _edits(rows, np.random.default_rng(seed))
        with _client(server) as client:
            for number, edit in enumerate(edits):
                if time.monotonic() > until:
                    return
                began = time.perf_counter()
                answer = client.post("/api/predict" if number % 2 else "/api/explain", json={"case": edit})
                answers[answer.status_code] += 1
                times.append(1000 * (time.perf_counter() - began))

    shared = server.service.shared
    memory, calls, questions = [_memory()], shared.calls, shared.questions
    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(users)]
    for one in threads:
        one.start()
    for _ in range(10):
        time.sleep(seconds / 10)
        memory.append(_memory())
    for one in threads:
        one.join()
    print(
        f"  {users} users, {seconds:g} s: {dict(answers)} answers, median {np.median(times):.0f} ms, 95% "
        f"{np.quantile(times, 0.95):.0f} ms; {(shared.questions - questions) / (shared.calls - calls):.1f} questions "
        f"per call; megabytes at the start and after each tenth: {', '.join(f'{one:.0f}' for one in memory)}"
    )


def _memory() -> float:
    """Resident megabytes of this process, server and users together."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def _lists(count: int) -> None:
    """Lists and conditions on very many rows."""
    X, y = datasets.make_loans(2000)
    rows = pd.concat([X.assign(decision=y)] * -(-count // 2000), ignore_index=True)[:count]
    explainer = Explainer(datasets.make_model("lr", X).fit(X, y), X)
    began = time.perf_counter()
    with (
        lormika.serve(explainer, rows, target="decision", token=TOKEN, browser=False) as server,
        _client(server) as client,
    ):
        print(f"{count:,} rows: up in {time.perf_counter() - began:.2f} s")
        server.service.forecasts.join()
        print(f"  predictions of all rows after {time.perf_counter() - began:.1f} s")
        for query in (
            {"list": "uncertain"}, {"list": "otherwise"}, {"text": "income > 50 and employment == 'employed'"},
            {"text": "prediction == 'rejected'", "list": "uncertain", "offset": 5000}, {"text": "123456"},
        ):  # fmt: skip
            times = []
            for _ in range(2):
                began = time.perf_counter()
                client.get("/api/cases", params=query).raise_for_status()
                times.append(1000 * (time.perf_counter() - began))
            print(f"  {query}: {times[0]:.0f} ms, again {times[1]:.0f} ms")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="*", default=["loans", "german"])
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--rows", type=int, default=1_000_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
