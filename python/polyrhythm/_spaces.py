"""Gymnasium spaces from what the library says of a task."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium import spaces


def space(about: dict[str, Any]) -> spaces.Space:
    """The space of one world's observations or actions."""
    if about["discrete"]:
        return spaces.Discrete(about["discrete"])
    dtype: Any = np.float32 if about["single"] else np.float64
    low = np.array([-np.inf if v is None else v for v in about["low"]], dtype)
    high = np.array([np.inf if v is None else v for v in about["high"]], dtype)
    return spaces.Box(low, high, dtype=dtype)


def groups(about: dict[str, Any]) -> dict[str, slice]:
    """Where each group of a described task's observation lies; empty if there is only one."""
    return {g["Name"]: slice(g["First"], g["First"] + g["Size"]) for g in about["groups"] or []}


def pictures(about: dict[str, Any]) -> list[tuple[slice, tuple[int, int, int]]]:
    """Where each picture of a described task's observation lies, and its height, width and channels."""
    sizes = [(p["First"], (p["Height"], p["Width"], p["Channels"])) for p in about["pictures"] or []]
    return [(slice(first, first + math.prod(size)), size) for first, size in sizes]


def columns(names: list[str]) -> dict[str, slice | int]:
    """Where each info lies in a row: a number for a scalar, a slice for a vector.

    The values `name[0]`, `name[1]` and so on are the vector `name`.
    """
    found: dict[str, slice | int] = {}
    for i, name in enumerate(names):
        stem, bracket, _ = name.partition("[")
        if not bracket:
            found[name] = i
        else:
            vector = found.get(stem)
            found[stem] = slice(vector.start if isinstance(vector, slice) else i, i + 1)
    return found
