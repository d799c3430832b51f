"""What is put into pages: the same that Jinja would put, only sooner."""

from __future__ import annotations

import pytest
from jinja2 import Environment, StrictUndefined, UndefinedError
from markupsafe import Markup

from cases import HOSTILE
from lormika.views.templating import Templates, shorten

VALUES = [*HOSTILE, "plain", "", "'quoted'", "x" * 300, "x" * 301, "<" * 301, 1, 2.5, True, None, ["<a>"], {"<": 1}]
SOURCE = (
    "{% macro mark(x) %}<b>{{ x }}</b>{% endmacro %}"
    "{{ one.value }}|{{ mark(one.value) }}|{{ '<' }}|{{ one.value ~ '&' }}|{{ one.items()|list }}|{{ safe }}"
)


def usual() -> Environment:
    return Environment(autoescape=True, undefined=StrictUndefined, finalize=shorten)


@pytest.mark.parametrize("value", VALUES)
def test_values_are_escaped_and_shortened_as_ever(value):
    context = {"one": {"value": value}, "safe": Markup("<i>" + "y" * 400)}
    assert Templates().from_string(SOURCE).render(context) == usual().from_string(SOURCE).render(context)


def test_names_of_methods_stay_methods():
    """A feature may have any name."""
    source = "{% for name, value in own.items() %}{{ name }}={{ value }};{% endfor %}"
    assert Templates().from_string(source).render(own={"items": 1, "values": 2}) == "items=1;values=2;"


def test_what_is_not_there_is_an_error():
    with pytest.raises(UndefinedError, match="'dict object' has no attribute 'other'"):
        Templates().from_string("{{ one.other }}").render(one={})
