"""What a process of lormika's own may do that others may not."""

from __future__ import annotations

import gc

import pytest

from lormika import session
from lormika.errors import InputError


@pytest.fixture
def frozen():
    """How many objects the collector no longer looks at; afterwards it is as it was."""
    yield gc.get_freeze_count
    gc.enable()


def test_what_lasts_is_not_looked_through(monkeypatch, frozen) -> None:
    monkeypatch.setattr(session, "_own", True)
    before = frozen()
    with session.lasting():
        assert not gc.isenabled()
        kept = [[number] for number in range(1000)]
    assert gc.isenabled()
    assert frozen() >= before + len(kept)


def test_an_error_does_not_leave_the_collector_off(monkeypatch, frozen) -> None:
    monkeypatch.setattr(session, "_own", True)
    with pytest.raises(InputError), session.lasting():
        raise InputError("wrong")
    assert gc.isenabled()


def test_the_collector_of_others_is_left_alone(frozen) -> None:
    before = frozen()
    with session.lasting():
        assert gc.isenabled()
    assert frozen() == before


def test_a_collector_that_is_off_stays_off(monkeypatch, frozen) -> None:
    monkeypatch.setattr(session, "_own", True)
    gc.disable()
    with session.lasting():
        pass
    assert not gc.isenabled()
