"""The page and the HTTP interface: ask a case in the browser, or from a program."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from lormika.errors import InputError

if TYPE_CHECKING:
    from lormika.explainer import Explainer
    from lormika.serving.launch import Server
    from lormika.types import UserTable

_LACKING = "the page needs starlette and uvicorn: pip install 'lormika[serve]'"


def serve(
    explainer: Explainer,
    X: UserTable,
    *,
    id: str | None = None,  # noqa: A002 - as on the command line
    target: str | None = None,
    time: str | None = None,
    name: str = "model",
    source: str | Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    names: Sequence[str] = (),
    log: str | Path | None = None,
    time_limit: float = 30.0,
    most: int = 32,
    browser: bool = True,
) -> Server:
    """Open a page on which the rows of a table can be asked about; the server runs in the background.

    Parameters
    ----------
    explainer, X
        What explains, and the rows: a table with the columns of the background, and perhaps others.
    id, target, time
        Columns of `X` that name its rows, hold the truth, and say which are newest.
    name, source
        Of the model for programs; where it was loaded from, for its hash.
    host, port
        Address to listen at; 0 takes a free port. Other machines can reach it only under another host than the usual
        one, which then needs a `token`.
    token
        What everybody needs who may ask; drawn at random if it is not given.
    names
        Further names under which the server may be addressed.
    log
        File for a record of what was asked. It holds values of cases.
    time_limit, most
        Seconds for one answer; answers in the making at once.
    browser
        Whether to open the page.

    Returns
    -------
    Server
        With `address`, `stop()`, `wait()`; also a context manager.

    Examples
    --------
    >>> import lormika
    >>> X, y = lormika.datasets.make_loans(200)
    >>> explainer = lormika.Explainer(lormika.datasets.make_model("tree", X).fit(X, y), X)
    >>> with lormika.serve(explainer, X, browser=False) as server:
    ...     server.origin.rpartition(":")[0]
    'http://127.0.0.1'
    """
    launch = require()
    from lormika.models.model import model_kind
    from lormika.serving.limits import Limits
    from lormika.serving.record import Record
    from lormika.serving.rowtable import Roles, RowTable
    from lormika.serving.service import About, Service

    launch.check_token(host, token)
    rows = RowTable(X, explainer.schema, Roles(id, target, time))
    own = explainer.model.ask
    about = About(name=name, model=model_kind(getattr(own, "__self__", own)), source=source)
    record = Record(None if log is None else Path(log))
    service = Service(explainer, rows, about, Limits(seconds=time_limit, most=most), record)
    server: Server = launch.Server(service, host=host, port=port, token=token, names=names)
    if browser:
        server.open()
    return server


def require() -> ModuleType:
    """The part that needs other packages; say which, if they are not there."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise InputError(_LACKING)
    from lormika.serving import launch

    return launch
