"""Zip archives and the arrays in them, unpacked no further than allowed, and never trusted to describe themselves."""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path
from typing import IO

import numpy as np

from lormika.errors import InputError
from lormika.models.model_files import too_large

_NUMPY, _ZIP = b"\x93NUMPY", b"PK"  # whatever follows: numpy reads an archive with any beginning of this sort
# The others are unpacked in one go, however much comes out.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpack(path: Path, file: IO[bytes], max_size: int) -> dict[str, bytes]:
    """Members of an archive, at most this many bytes in total, including archives inside."""
    try:
        members = _unpack(path, file, max_size)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # of zipfile, zlib, struct, a seek, a codec …
        raise InputError(f"{path} is a broken archive: {error}") from None
    left = max_size - sum(map(len, members.values()))
    for name, member in members.items():
        if member.startswith(_ZIP):  # sparse matrices are archives of arrays
            left -= sum(map(len, unpack(path, io.BytesIO(member), left).values()))
        elif member.startswith(_NUMPY):
            _check_array(path, name, member)
    return members


def pack(members: dict[str, bytes]) -> bytes:
    """Archive of exactly these members, nothing compressed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return packed.getvalue()


def _unpack(path: Path, file: IO[bytes], max_size: int) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        # What it says of itself first, for that costs nothing; then what really comes out.
        if sum(entry.file_size for entry in entries) > max_size:
            raise too_large(path, max_size)
        for entry in entries:
            if entry.filename in members:
                raise zipfile.BadZipFile(f"it holds {entry.filename!r} twice")
            if entry.compress_type not in _METHODS:
                raise zipfile.BadZipFile(f"{entry.filename!r} is compressed in an unusual way; save the model again")
            with archive.open(entry) as member:
                content = member.read(entry.file_size + 1)  # no more is unpacked
            if len(content) > max_size:
                raise too_large(path, max_size)
            members[entry.filename] = content
            max_size -= len(content)
    return members


def _check_array(path: Path, name: str, data: bytes) -> None:
    """Refuse an array that claims to be larger than its bytes: memory is reserved for it before they are read."""
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"version {version} of the format")
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(file)
    except Exception as error:  # the header is Python text, and may be anything
        raise InputError(f"{path} holds a broken array, {name!r}: {error}") from None
    count = math.prod(shape)
    if dtype.hasobject:
        raise InputError(f"{path} holds an array of Python objects, {name!r}, which only a pickle could restore")
    if count > len(data) or count * dtype.itemsize != len(data) - file.tell():
        raise InputError(f"{path} holds a broken array, {name!r}: it says it has the shape {shape}, but is not as long")
