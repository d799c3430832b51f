"""scipy without its texts, in processes of our own alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from lormika import session
if {own}:
    session.own_process()
    session.own_process()
import sklearn.linear_model
from scipy import stats
texts = [function.__doc__ or "" for function in (stats.ttest_ind, stats.zscore, stats.wilcoxon)]
assert all(("Parameters" in text) != {own} for text in texts), texts
assert stats.ttest_ind([1, 2, 3], [4, 5, 9]).pvalue < 0.1
assert stats.zscore([1.0, 2.0, 3.0])[1] == 0 and stats.norm(1, 2).mean() == 1
import inspect, numpy, scipy._lib._docscrape
assert "Parameters" in inspect.getdoc(numpy.mean)
assert not [one for one in sys.meta_path if type(one).__module__.startswith("lormika")]
"""


@pytest.mark.parametrize("own", [False, True])
def test_only_processes_of_our_own_find_none(own) -> None:
    subprocess.run([sys.executable, "-c", PROGRAM.format(own=own)], check=True)


def test_what_is_loaded_already_stays_as_it_is() -> None:
    import scipy.stats

    from lormika.lean_scipy import leave_out_texts

    before = list(sys.meta_path)
    leave_out_texts()
    assert sys.meta_path == before
    assert "Parameters" in scipy.stats.zscore.__doc__
