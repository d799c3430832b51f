"""Limits: how much of everything a server takes."""

from __future__ import annotations

from dataclasses import dataclass

from lormika.checks import check_integer, check_number


@dataclass(frozen=True, slots=True)
class Limits:
    """How much, how many, how long."""

    seconds: float = 30.0  # for one answer
    most: int = 32  # answers in the making
    body: int = 1_000_000  # bytes of a request
    body_seconds: float = 10.0  # until it has arrived
    memory: int = 50_000_000  # bytes that a request takes once it is parsed, about
    page: int = 200  # cases of a list at a time
    instances: int = 1000  # rows of a request for predictions
    explained: int = 100  # rows of a request for explanations
    cases: int = 64  # that are kept, since people go back and forth
    connections: int = 200
    header_seconds: float = 10.0  # until a request has begun

    def __post_init__(self) -> None:
        check_number("time_limit", self.seconds, 0.1, 86_400)
        check_integer("most", self.most, 1, 10_000)
