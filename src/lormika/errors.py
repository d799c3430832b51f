"""What goes wrong, said in words that name the culprit."""

from __future__ import annotations


class InputError(ValueError):
    """A table, instance or option that cannot be used; the message says what to do."""


class ModelError(RuntimeError):
    """The model failed, or answered something that cannot be a classification."""
