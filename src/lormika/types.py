"""Names for what has no type that lormika could know: what users bring, and what files hold."""

from __future__ import annotations

from typing import Any

UserModel = Any
"""Whatever predicts: an estimator, a function, or what `models.load` gives."""

UserTable = Any
"""Rows and columns: a frame of any library, an array, or a mapping of columns."""

UserRow = Any
"""One row to be explained: a mapping, a series, a sequence, or a table that holds nothing else."""

UserColumn = Any
"""One value for each row: a column of a user's table, an array or a list."""

UserValue = Any
"""One value of such a column, in whatever type its library has for it."""

JsonValue = Any
"""What a text of JSON holds: an object, a list, a text, a number, true, false or null."""

JsonObject = dict[str, JsonValue]
"""An object of JSON, as it was read or is to be written."""

Keywords = dict[str, Any]
"""Options by their names, to be handed on; whoever gets them checks them."""
