"""Bodies of requests: measured while they arrive, within a time, and parsed only if they are small and flat."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from lormika.errors import InputError
from lormika.models import json_text
from lormika.serving.faults import Fault, large
from lormika.serving.limits import Limits
from lormika.types import JsonValue


async def read_json(request: Request, limits: Limits) -> JsonValue:
    """The JSON of a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Fault(415, "input", "the body must be JSON: send it with Content-Type: application/json")
    content = await _read(request, limits)
    try:
        return json_text.parse(content, limits.memory)
    except json_text.TooLargeError:
        raise large("the JSON of the request has too many values") from None
    except json_text.TooDeepError:
        raise large("the JSON of the request is nested too deeply") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"the body is not JSON: {error}") from None


async def _read(request: Request, limits: Limits) -> bytearray:
    too_large = large(f"the request has more than {limits.body:,} bytes")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:20]) > limits.body:
        raise too_large
    content = bytearray()
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for piece in request.stream():
                content += piece
                if len(content) > limits.body:
                    raise too_large
    except TimeoutError:
        raise Fault(408, "slow", f"the request did not arrive within {limits.body_seconds:g} s") from None
    except ClientDisconnect:
        raise Fault(400, "input", "the request ended before its body did") from None
    return content
