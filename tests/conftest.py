"""What holds for all tests: none depends on the clock, or on a quiet machine."""

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from browser import Browser
from warm import Warm

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is loaded: processes share the processors already
settings.register_profile(
    "lormika", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow],
    derandomize=False, print_blob=True,  # in CI, too: each run tries others, and says how to try one again
)  # fmt: skip
settings.load_profile("lormika")

collect_ignore_glob = ["*conftest.py"]  # they have no doctests, and several folders have one


def pytest_configure():
    """Children are to hear Ctrl-C, also where a shell has started all this in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """Modules and tests stay: to look through them again and again would take a tenth of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A browser for pages to be looked at."""
    found = Browser(tmp_path_factory.mktemp("browser"))
    try:
        yield found
    finally:
        found.close()


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    """A process that commands are forked from."""
    process = Warm(tmp_path_factory.mktemp("warm"))
    try:
        yield process
    finally:
        process.end()
