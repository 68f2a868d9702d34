"""Files that others may have put where one of ours is wanted."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

MAX_TEXT = 1 << 20  # bytes of what people write: a certificate
MAX_STATE = 4 << 30  # bytes of what programs keep whole, as disk.MaxWhole in Go


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading. It does not wait, and refuses a folder, a pipe, a socket or a device, behind a link too."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError(f"{path} is no file, want a file: a folder, a pipe or a device is not read")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_file(path: str | os.PathLike[str], most: int) -> bytes:
    """The contents of a file that `open_file` opens, of at most so many bytes."""
    parts, left = [], most + 1
    with open_file(path) as f:
        size = os.fstat(f.fileno()).st_size
        if size > most:
            left = 0
        # A read takes memory for all that it may return. A file can grow, or state no size as those of /proc do.
        while left and (part := f.read(min(left, max(size + 1, 1 << 16)))):
            parts.append(part)
            left -= len(part)
    if not left:
        raise ValueError(f"{Path(path)} has more than {most} bytes, want at most that")
    return b"".join(parts)
