"""What a process of lormika's own may do that others may not."""

from __future__ import annotations

import gc

import pytest

from lormika import session
from lormika.errors import InputError


@pytest.fixture(autouse=True)
def collector():
    """Afterwards it is as it was."""
    yield
    gc.enable()


def test_what_lasts_is_not_looked_through(monkeypatch) -> None:
    monkeypatch.setattr(session, "_own", True)
    kept = []
    with session.lasting():
        assert not gc.isenabled()
        kept.append([])
    assert gc.isenabled()
    assert not any(found is kept[0] for found in gc.get_objects())


def test_an_error_does_not_leave_the_collector_off(monkeypatch) -> None:
    monkeypatch.setattr(session, "_own", True)
    with pytest.raises(InputError), session.lasting():
        raise InputError("wrong")
    assert gc.isenabled()


def test_the_collector_of_others_is_left_alone() -> None:
    kept = []
    with session.lasting():
        assert gc.isenabled()
        kept.append([])
    assert any(found is kept[0] for found in gc.get_objects())


def test_a_collector_that_is_off_stays_off(monkeypatch) -> None:
    monkeypatch.setattr(session, "_own", True)
    gc.disable()
    with session.lasting():
        pass
    assert not gc.isenabled()
