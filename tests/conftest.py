"""What holds for all tests: none depends on the clock, or on a quiet machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("lormika", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lormika")

collect_ignore = ["conftest.py"]  # has no doctests, and folders have files of this name
