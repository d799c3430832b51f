"""What holds for all tests: none depends on the clock, or on a quiet machine."""

import os

import pytest
from hypothesis import HealthCheck, settings

from browser import Browser

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is loaded: processes share the processors already
settings.register_profile("lormika", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lormika")

collect_ignore = ["conftest.py"]  # has no doctests, and folders have files of this name


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A browser for pages to be looked at."""
    found = Browser(tmp_path_factory.mktemp("browser"))
    try:
        yield found
    finally:
        found.close()
