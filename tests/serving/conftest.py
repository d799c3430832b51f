"""Servers of made-up loans, each ended when its tests are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest
from served_loans import HANGS, TOKEN, Client, Gate, Loans, make_loans, make_service
from shown_page import Page, pages

from lormika.serving.launch import Server

collect_ignore = ["kserve_parts.py"]  # for an interpreter that has kserve


@pytest.fixture(scope="session")
def loans() -> Loans:
    return make_loans()


@pytest.fixture(scope="session")
def client(loans) -> Iterator[Client]:
    """A client of a server that all tests share."""
    service = make_service(loans)
    with Server(service, token=TOKEN) as server, Client(server) as client:
        service.forecasts.join(HANGS)
        yield client


@pytest.fixture
def show(browser) -> Iterator[Callable[..., Page]]:
    """Opens the page of a server in the browser."""
    yield from pages(browser, TOKEN)


@pytest.fixture
def page(show, client) -> Page:
    """The page of the server that all tests share."""
    return show(client.server)


@pytest.fixture
def gate(loans) -> Iterator[Gate]:
    """A model that tests can hold; it is let go in the end."""
    gate = Gate(loans.ask)
    try:
        yield gate
    finally:
        gate.instead = None
        gate.open.set()


@pytest.fixture
def gated(loans, gate) -> Iterator[Callable[..., Client]]:
    """Makes servers with such a model."""
    servers: list[Server] = []
    clients: list[Client] = []

    def make(**options) -> Client:
        service = make_service(loans, gate, **options)
        servers.append(Server(service, token=TOKEN))
        service.forecasts.join(HANGS)
        clients.append(Client(servers[-1]))
        while gate.entered.acquire(blocking=False):
            pass
        gate.calls.clear()
        return clients[-1]

    try:
        yield make
    finally:
        gate.open.set()
        for one in (*clients, *servers):
            one.close() if isinstance(one, httpx.Client) else one.stop()
