"""Gymnasium spaces from what the library says of a task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby, product
from typing import Any, NamedTuple

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


class Layer(NamedTuple):
    """Some channels of pictures that lie one after the other in an observation, as one picture of its own."""

    where: slice  # the pictures' values
    shape: tuple[int, int, int, int]  # of the pictures: their number, and height, width and channels of each
    channels: slice
    factor: float  # 0: values stay as they are
    space: spaces.Box

    def of(self, observation: np.ndarray) -> np.ndarray:
        """The picture, (..., height, width, channels): the channels of the first picture, then those of the next."""
        rows = observation.shape[:-1]
        pixels = observation[..., self.where].reshape(*rows, *self.shape)[..., self.channels]
        if self.factor:
            pixels = pixels * self.factor
        if self.space.dtype.kind in "iu":  # noise leaves no whole numbers
            np.clip(np.rint(pixels, out=pixels), self.space.low.flat[0], self.space.high.flat[0], out=pixels)
        pixels = pixels.astype(self.space.dtype)
        if self.shape[0] == 1:
            return pixels.reshape(*rows, *self.space.shape)
        stack = np.empty((*rows, *self.space.shape), self.space.dtype)
        # Channel by channel, which is ten times as fast as a transposition.
        for to, (i, channel) in enumerate(product(range(self.shape[0]), range(pixels.shape[-1]))):
            stack[..., to] = pixels[..., i, :, :, channel]
        return stack


# The type of a layer and its least and largest value, by its kind; what is not listed is float32 without bounds.
_KINDS: dict[str, tuple[type[np.generic], float, float]] = {
    "rgb": (np.uint8, 0, 255),
    "segmentation": (np.int32, -1, np.iinfo(np.int32).max),
}


def layers(pictures: Sequence[Mapping[str, Any]]) -> dict[str, Layer]:
    """The layers of described pictures, by name of the picture and kind. A picture without layers is no part."""
    found = {}
    for name, of_name in groupby(pictures, lambda picture: picture["Name"]):
        stack = list(of_name)
        first, last = stack[0], stack[-1]
        height, width, channels = size = first["Height"], first["Width"], first["Channels"]
        where, begin = slice(first["First"], last["First"] + math.prod(size)), 0
        for layer in first["Layers"] or []:
            end = begin + layer["Channels"]
            dtype, low, high = _KINDS.get(layer["Kind"] if layer["Factor"] else "", (np.float32, -np.inf, np.inf))
            shape = (height, width, len(stack) * layer["Channels"])
            found[f"{name}/{layer['Kind']}"] = Layer(
                where, (len(stack), *size), slice(begin, end), layer["Factor"], spaces.Box(low, high, shape, dtype)
            )
            begin = end
    return found


class Layout:
    """Where the parts of an observation lie that a mapping has: layers of pictures, and the other values of each group.

    A group of pictures alone has no other values, and is no part.
    """

    def __init__(self, box: spaces.Box, groups: Mapping[str, slice], layers: Mapping[str, Layer] | None = None) -> None:
        self.layers = layers or {}
        self.values: dict[str, list[slice]] = {}
        pictures = sorted({(layer.where.start, layer.where.stop) for layer in self.layers.values()})
        for name, group in (groups or {"policy": slice(0, box.shape[0])}).items():
            begins = [group.start] + [stop for _, stop in pictures if group.start < stop <= group.stop]
            ends = [start for start, _ in pictures if group.start <= start < group.stop] + [group.stop]
            rest = [slice(begin, end) for begin, end in zip(begins, ends, strict=True) if begin < end]
            if rest:
                self.values[name] = rest
        parts = {
            name: spaces.Box(self._join(box.low, where), self._join(box.high, where), dtype=box.dtype)
            for name, where in self.values.items()
        }
        self.space = spaces.Dict(parts | {name: layer.space for name, layer in self.layers.items()})

    @staticmethod
    def _join(observation: np.ndarray, where: list[slice]) -> np.ndarray:
        if len(where) == 1:
            return observation[..., where[0]]
        return np.concatenate([observation[..., part] for part in where], axis=-1)

    def split(self, observation: np.ndarray, *, copy: bool) -> dict[str, np.ndarray]:
        """The parts of observations, (..., O). Pictures are new arrays; without copy other values may be views."""
        parts = {name: self._join(observation, where) for name, where in self.values.items()}
        if copy:
            parts = {name: values.copy() for name, values in parts.items()}
        return parts | {name: layer.of(observation) for name, layer in self.layers.items()}


def check_pictures(pictures: Any) -> None:
    """Raise ValueError where the keyword of `make_vec` is none that there is."""
    if pictures is not None and pictures != "dict":
        raise ValueError(f"pictures is {pictures!r}, want 'dict', or None for observations of one vector")


def observation(about: dict[str, Any], pictures: str | None) -> tuple[spaces.Space, Layout | None]:
    """The space of one world's observations, and how they are split into a mapping; None if they are one vector."""
    box = space(about["observation"])
    if pictures is None:
        return box, None
    layout = Layout(box, groups(about), layers(about["pictures"] or []))
    return layout.space, layout


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
