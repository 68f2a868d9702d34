"""What a notebook shows of an object: one line with the important things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

_LINE = 200  # characters
_VALUE = 60


def line(name: str, /, *words: Any, **facts: Any) -> str:
    """`name(word, fact=value)`; what is None is left out, and what is long is cut."""
    parts = [str(word) for word in words if word is not None]
    parts += [f"{key}={value(of)}" for key, of in facts.items() if of is not None]
    return f"{name}({_cut(', '.join(parts), _LINE - len(name) - 2)})"


def value(of: Any) -> str:
    """A value in few characters: of an array its shape, of a mapping its names, of bytes their number."""
    if isinstance(of, spaces.Space):
        return space(of)
    if isinstance(of, np.ndarray):
        return str(of.shape)
    if isinstance(of, bytes):
        return f"<{len(of)} bytes>"
    if isinstance(of, Mapping):
        return _cut("{" + ", ".join(map(str, of)) + "}", _VALUE)
    if isinstance(of, float):
        return f"{of:.6g}"
    if isinstance(of, str) and "/" in of and len(of) > _VALUE:  # of a path the end matters
        return repr("…" + of[-_VALUE:])
    return _cut(repr(of), _VALUE)


def space(of: spaces.Space) -> str:
    """The size of a space."""
    if isinstance(of, spaces.Discrete):
        return f"{of.n} choices"
    if isinstance(of, spaces.Dict):
        return "{" + ", ".join(f"{name}: {space(part)}" for name, part in of.items()) + "}"
    return f"{of.shape} {of.dtype}"


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
