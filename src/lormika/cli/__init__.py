"""The command line: parse, call, print."""

from lormika.cli.app import main

__all__ = ["main"]
