"""Patience: a connection on which no whole request arrives for too long is closed.

The HTTP server waits for ever for the first lines of a request; a few hundred silent connections would be enough to
keep everybody else out.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


class Impatient(H11Protocol):
    """The usual protocol, with a clock."""

    patience: float  # seconds
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once a request has begun."""
        super().data_received(data)
        if self._is_at_work and self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        if self._clock is not None:
            self._clock.cancel()
        super().connection_lost(exc)

    @property
    def _is_at_work(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
        self._clock = self.loop.call_later(self.patience, self._end)

    def _end(self) -> None:
        if not self._is_at_work and not self.transport.is_closing():  # the next request may have been sent early
            self.transport.close()


def impatient(seconds: float) -> type[Impatient]:
    """A protocol that closes connections after so many seconds without a request."""
    return type("Impatient", (Impatient,), {"patience": seconds})
