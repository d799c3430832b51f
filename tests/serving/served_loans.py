"""Made-up loans as a service, a model that tests can hold, and a client."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import httpx
import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from lormika import Explainer, datasets
from lormika.serving.launch import Server
from lormika.serving.limits import Limits
from lormika.serving.record import Record
from lormika.serving.rowtable import Roles, RowTable
from lormika.serving.service import About, Service

TOKEN = "a-token-for-tests-0123456789"
LABELS = {"income": {"label": "Yearly income", "unit": "k€"}, "job": {"values": {"unemployed": "out of work"}}}
HANGS = 60.0  # seconds: no measure of anything, they end a test that would hang for ever


@dataclass(frozen=True)
class Loans:
    """A model, the rows it was trained on, and all rows with their truth."""

    model: DecisionTreeClassifier
    background: pd.DataFrame
    rows: pd.DataFrame

    def ask(self, frame: pd.DataFrame) -> np.ndarray:
        """The model as a function."""
        return self.model.predict_proba(encode(frame))


def encode(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers for a tree."""
    return frame.assign(job=frame["job"].astype(str).map({"employed": 0, "self-employed": 1}).fillna(2)).fillna(-1)


def make_loans() -> Loans:
    """Loans with a few columns, of numbers with gaps and of texts."""
    X, y = datasets.make_loans(400)
    frame = X[["income", "savings", "debt_ratio", "missed_payments", "age"]].assign(job=X["employment"])
    model = DecisionTreeClassifier(max_depth=6, min_samples_leaf=5, random_state=0).fit(encode(frame), y)
    days = pd.Timestamp("2026-01-01") + pd.to_timedelta((np.arange(400) * 37) % 400, unit="D")
    rows = frame.assign(decision=y, number=[f"A-{i:03}" for i in range(400)], day=days)
    return Loans(model, frame, rows)


class Gate:
    """A model that waits until it is let go, or does what it is told."""

    def __init__(self, ask: Callable[[pd.DataFrame], np.ndarray]) -> None:
        self._ask, self.open, self.entered = ask, threading.Event(), threading.Semaphore(0)
        self.open.set()
        self.calls: list[int] = []
        self.instead: Callable[[pd.DataFrame], object] | None = None
        self.classes_ = ["accepted", "rejected"]

    def predict_proba(self, frame: pd.DataFrame) -> object:
        self.calls.append(len(frame))
        self.entered.release()
        assert self.open.wait(HANGS)
        return self._ask(frame) if self.instead is None else self.instead(frame)


class Client(httpx.Client):
    """Asks a server, with its token."""

    def __init__(self, server: Server, token: str | None = TOKEN) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        super().__init__(base_url=server.origin, headers=headers, timeout=HANGS)
        self.server = server

    def ask(self, what: str, status: int = 200, **body: object) -> dict:
        """Post a question, and give the answer."""
        answer = self.post(f"/api/{what}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def fetch(self, what: str, status: int = 200, **query: object) -> dict:
        """Get something."""
        answer = self.get(f"/api/{what}", params=query)
        assert answer.status_code == status, answer.text
        return answer.json()


def make_service(loans: Loans, model: object = None, *, limits: Limits | None = None, log=None, **more) -> Service:
    """A service about the loans."""
    explainer = Explainer(loans.ask if model is None else model, loans.background, labels=LABELS, **_names(model))
    rows = RowTable(loans.rows, explainer.schema, Roles("number", "decision", "day"))
    return Service(explainer, rows, About("loans", "tree", "loans.csv"), limits, Record(log), **more)


def _names(model: object) -> dict:
    return {"class_names": ["accepted", "rejected"]} if model is None else {}
