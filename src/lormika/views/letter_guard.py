"""Letters are paper: whatever a template makes, it runs nothing, fetches nothing and leads nowhere by itself."""

from __future__ import annotations

import re

from lormika.errors import InputError

_HEAD = """\
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
base-uri 'none'; form-action 'none'">"""
_START = re.compile(r'\s*(?:<!doctype html>)?\s*((?:<html(?: lang="[\w-]+")?>\s*<head>)?)', re.IGNORECASE)
_TAG = re.compile(r"<(script|iframe|frame|frameset|object|embed|applet|portal|base|link|form|meta)\b", re.IGNORECASE)
# A policy in the page cannot forbid what `http-equiv` does: only these are let through.
_PLAIN_META = re.compile(r'<meta (?:charset="[\w-]+"|name="[\w-]+" content="[^"<>]*") ?/?>')


def seal(html: str, name: str) -> str:
    """Put the encoding first, and a policy that forbids scripts and the network; refuse what no policy can forbid.

    >>> seal("<p>Hello", "mine.j2").startswith("<!DOCTYPE html>")
    True
    """
    for tag in _TAG.finditer(html):
        if tag[1].lower() != "meta" or not _PLAIN_META.match(html, tag.start()):
            line = html.count("\n", 0, tag.start()) + 1
            raise InputError(
                f"template {name}: it makes a <{tag[1].lower()}> (line {line} of the letter), which no letter may have"
            )
    start = _START.match(html)
    assert start is not None  # it also matches nothing
    return f"<!DOCTYPE html>\n{start[1]}\n{_HEAD}{html[start.end() :]}"
