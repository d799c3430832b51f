"""What constraints cost: time outside the model with them, beside the same explanations without, and further calls.

    python benchmarks/constraint_cost.py

CPU time, in turn, the least of some repetitions of each explanation. Where a limit needs values that were not asked
about, the model is called again, and preparing that call is part of the time.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Mapping

import numpy as np

from lormika import Explainer, datasets

FIXED = {
    "german": ["age", "personal_status_sex", "foreign_worker"],
    "compas": ["age", "age_cat", "sex", "race"],
    "adult": ["age", "sex", "race"],
}
LIMITED = {
    "german": {"ranges": {"credit_amount": "±50%"}},
    "compas": {"down": ["priors_count"]},
    "adult": {"up": ["hours-per-week"], "ranges": {"capital-gain": (0, 20_000)}},
}
WHERE = {"german": "duration_in_month <= 60", "compas": "priors_count <= 30", "adult": "age >= now.age"}


class Timed:
    """A model that knows how long it was asked."""

    def __init__(self, model: object) -> None:
        self._model, self.classes_ = model, model.classes_
        self.seconds, self.calls = 0.0, 0

    def predict_proba(self, frame: object) -> np.ndarray:
        start = time.process_time()
        answer = self._model.predict_proba(frame)
        self.seconds += time.process_time() - start
        self.calls += 1
        return answer


def main() -> None:
    warnings.simplefilter("ignore")
    options = _options()
    print("| data | model | constraints | ms without | ms with | ratio | further calls |")
    print("|---|---|---|---:|---:|---:|---:|", flush=True)
    for dataset in options.datasets.split(","):
        X, y = (table[:8000] for table in datasets.load(dataset))
        fixed = {"fixed": FIXED[dataset]}
        limited = fixed | LIMITED[dataset]
        kinds = {"fixed": fixed, "and limits": limited, "and a condition": limited | {"where": [WHERE[dataset]]}}
        for name in options.models.split(","):
            model = Timed(datasets.make_model(name, X).fit(X, y))
            explainer = Explainer(model, X)
            rows = X.iloc[:: len(X) // options.instances][: options.instances]
            for kind, constraints in kinds.items():
                found = np.array([_measure(explainer, model, rows.iloc[[i]], constraints) for i in range(len(rows))])
                without, limits, calls = found.mean(axis=0)
                figures = f"{1000 * without:.1f} | {1000 * limits:.1f} | {limits / without:.3f} | {calls:+.2f}"
                print(f"| {dataset} | {name} | {kind} | {figures} |", flush=True)


def _measure(explainer: Explainer, model: Timed, x: object, constraints: Mapping) -> tuple[float, float, int]:
    best, calls = [np.inf, np.inf], [0, 0]
    for _ in range(6):
        for place, options in enumerate(({}, {"constraints": constraints})):
            model.seconds, model.calls = 0.0, 0
            start = time.process_time()
            explainer.explain(x, **options)
            best[place] = min(best[place], time.process_time() - start - model.seconds)
            calls[place] = model.calls
    return *best, calls[1] - calls[0]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--datasets", default="german,compas,adult")
    parser.add_argument("--models", default="rf,lr")
    return parser.parse_args()


if __name__ == "__main__":
    main()
