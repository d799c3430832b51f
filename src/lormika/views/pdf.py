"""A page as PDF: printed by Chromium, without the network. That nothing runs in it is the page's own policy."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from lormika import system
from lormika.errors import InputError

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PLACES = (  # of programs that no PATH names
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
)
_OPTIONS = (
    "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--no-pdf-header-footer",
)  # fmt: skip
_PATIENCE = 300.0  # seconds, however busy the machine is
_BY_HAND = "save the letter as .html, open it in a browser, and print it to PDF"


def find_browser() -> str:
    """The program that prints."""
    found = next(filter(None, map(shutil.which, (*_BROWSERS, *map(os.path.expandvars, _PLACES)))), None)
    if found is None:
        raise InputError(f"saving as .pdf needs Chromium ({', '.join(_BROWSERS)}): install it, or {_BY_HAND}")
    return found


def print_page(page: bytes, path: Path) -> None:
    """Print a page of HTML to a file."""
    browser = find_browser()
    with TemporaryDirectory(prefix="lormika-", ignore_cleanup_errors=True) as folder:
        source, printed = Path(folder, "letter.html"), Path(folder, "letter.pdf")
        source.write_bytes(page)
        own = ["--no-sandbox"] if system.is_administrator() else []  # which does not run as root
        places = [f"--user-data-dir={folder}/profile", f"--print-to-pdf={printed}", source.as_uri()]
        ended = _run([browser, *_OPTIONS, *own, *places])
        if not printed.is_file() or not printed.read_bytes().startswith(b"%PDF-"):
            raise InputError(f"{browser} did not print the letter ({ended}): {_BY_HAND}")
        path.write_bytes(printed.read_bytes())


def _run(command: list[str]) -> str:
    """Run a program to its end, or end it with everything it started; how it ended."""
    nothing = subprocess.DEVNULL
    process, tie = system.start(command, stdin=nothing, stdout=nothing, stderr=nothing)
    try:
        return f"exit code {process.wait(_PATIENCE)}"
    except subprocess.TimeoutExpired:
        return f"no end within {_PATIENCE:g} seconds"
    finally:
        tie.kill()
        process.wait()
        tie.close()
