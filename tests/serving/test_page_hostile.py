"""The page in a browser, with data, models and links that mean harm, and models that are slow or fail."""

import numpy as np
import pandas as pd
import pytest
from served_loans import HANGS, TOKEN

from lormika import Explainer
from lormika.errors import ModelError
from lormika.serving.launch import Server
from lormika.serving.rowtable import Roles, RowTable
from lormika.serving.service import About, Service

EVIL = [
    "<img src=x onerror=\"window.harm='img'\">", "\"><script>window.harm='script'</script>",
    "</script><svg onload=harm()>",
    "' style=\"background:url(//evil.test)\" x='", "{{7*7}}${7*7}", "\u202eevil\u0000", "javascript:window.harm=1",
]  # fmt: skip


def make_evil() -> Service:
    """Every name, category, label and class is an attack."""
    draw = np.random.default_rng(0)
    number, job, more = EVIL[0], EVIL[1], EVIL[3]
    frame = pd.DataFrame(
        {number: draw.integers(0, 50, 300), job: draw.choice(EVIL[2:6], 300), more: draw.normal(size=300).round(2)}
    )

    def ask(rows: pd.DataFrame) -> np.ndarray:
        chance = np.where((rows[number] > 25) | (rows[job] == EVIL[2]), 0.8, 0.1)
        return np.column_stack([1 - chance, chance])

    labels = {number: {"label": f"{EVIL[0]} label", "unit": "<b>"}, job: {"values": {EVIL[2]: f"{EVIL[0]} value"}}}
    explainer = Explainer(ask, frame, class_names=[EVIL[0], EVIL[1]], labels=labels)
    rows = frame.assign(**{"<i>id</i>": [f"{EVIL[1]}{i}" for i in range(300)], "other": EVIL[0]})
    about = About("evil", EVIL[0], EVIL[1])
    return Service(explainer, RowTable(rows, explainer.schema, Roles("<i>id</i>", None, None)), about)


@pytest.fixture
def evil(show):
    with Server(make_evil(), token=TOKEN) as server:
        server.service.forecasts.join(HANGS)
        yield show(server)


def harm(page):
    ran = page.tab.run("window.harm ?? null")
    made = page.tab.run("document.querySelectorAll('img, iframe, object, embed, body script, [onerror]').length")
    # Styles of the board come from its own numbers: none of them fetches anything.
    strange = [one for one in page.tab.addresses() if not one.startswith((page.server.origin, "about:", "data:"))]
    return [one for one in (ran, made, *strange, *page.tab.complaints()) if one]


def test_no_script_of_the_data_runs(evil):
    assert EVIL[0] in evil.tab.text("#what-if")
    assert EVIL[0] in evil.tab.text("#source")
    assert harm(evil) == []
    evil.click(".options input[role=switch]").click(".rule-copy")
    assert harm(evil) == []
    if evil.tab.run("Boolean(document.querySelector('.apply'))"):
        evil.click(".apply")
        assert evil.tab.run("document.querySelectorAll('.feature.changed').length") > 0
    evil.click("[data-compare='5']")
    evil.tab.until("document.querySelector('.comparison')")
    assert harm(evil) == []
    evil.tab.press("Escape", "m")
    evil.tab.until("document.querySelector('.letter-view h3')")
    assert harm(evil) == []
    evil.tab.press("Escape")
    evil.tab.run("document.querySelector('#find .hint .link').click()")
    assert harm(evil) == []


def test_no_script_of_a_link_runs(evil):
    evil.visit(row=2, edits={EVIL[1]: EVIL[0], "unknown": 1}, locks={EVIL[0]: "fixed"}, target=f'"{EVIL[6]}"')
    assert evil.state()["edits"] == {EVIL[1]: EVIL[0]}
    assert harm(evil) == []


def test_a_failing_model_is_told_in_words_and_the_page_lives(gated, gate, show):
    page = show(gated().server)

    def fail(frame):
        raise ModelError("<b>the scores are not there</b>")

    gate.instead = fail
    page.choose(f"{page.feature('savings')} input[type=number]", "7.25")
    assert "<b>the scores are not there</b>" in page.tab.text(".trouble")
    gate.instead = None
    page.click(".trouble button")
    assert page.tab.run("document.querySelectorAll('.trouble').length") == 0
    assert "7.25" in page.tab.text("#what-if") or page.state()["edits"] == {"savings": 7.25}


def test_a_slow_model_shows_progress_and_can_be_stopped(gated, gate, show):
    page = show(gated().server)
    gate.open.clear()
    page.tab.run(
        f"""{{ const one = document.querySelector("{page.feature("savings").replace('"', "'")} input[type=number]");
        one.value = 7.5; one.dispatchEvent(new Event('change')); }}"""
    )
    page.tab.until("document.querySelector('.progress:not([hidden]) button')")
    assert "s" in page.tab.text(".progress [role=status]")
    assert page.tab.text("#what-if .line .grow") == "1 value changed"
    assert page.tab.run("document.querySelector('.quick-answer').classList.contains('old')")
    page.tab.click(".progress button")
    page.settle()
    assert "stopped" in page.tab.text(".trouble")
    stale = "[...document.querySelectorAll('.apply, .try, .options select')]"
    assert page.tab.run(f"{stale}.length") > 0
    assert page.tab.run(f"{stale}.every((one) => one.closest('[inert].old'))")
    assert page.tab.run("document.querySelector('.progress').hidden")
    gate.open.set()
    page.click(".trouble button")
    assert page.tab.run("document.querySelectorAll('.trouble').length") == 0
    assert page.state()["edits"] == {"savings": 7.5}
    assert page.tab.run("document.querySelectorAll('main [inert], main .old').length") == 0


def test_the_wait_goes_on_with_further_changes(gated, gate, show):
    page = show(gated().server)
    gate.open.clear()
    change = """{{ const one = document.querySelector(".feature[aria-label=savings] input[type=number]");
        one.value = {}; one.dispatchEvent(new Event('change')); }}"""
    page.tab.run(
        "{ const now = performance.now.bind(performance); performance.now = () => now() + (window.later ?? 0); }"
    )
    page.tab.run(change.format("7.5"))
    page.tab.until("document.querySelector('.progress:not([hidden]) button')")
    page.tab.run("window.later = 100000")  # a hundred seconds pass at once
    page.tab.run(change.format("8.5"))
    page.tab.until("/· 1\\d\\d s/.test(document.querySelector('.progress [role=status]').textContent)")
    gate.open.set()
    page.settle()
    assert page.state()["edits"] == {"savings": 8.5}


def test_a_server_that_is_gone_is_told_in_words(gated, show):
    client = gated()
    page = show(client.server)
    client.server.stop()
    page.choose(f"{page.feature('savings')} input[type=number]", "7.25")
    assert "does not answer" in page.tab.text(".trouble")
