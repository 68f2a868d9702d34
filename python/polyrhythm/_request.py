"""What is asked of the library: which worlds, of which configuration."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np


def request(
    *,
    task: str | None = None,
    options: Mapping[str, Any] | None = None,
    config: str | os.PathLike[str] | None = None,
    text: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    num_envs: int | None = None,
    workers: int | None = None,
    block_size: int | None = None,
    autoreset: str | None = None,
    seed: int | None = None,
    max_episode_steps: int | None = None,
    dataset: str | os.PathLike[str] | None = None,
) -> bytes:
    """A request, as JSON. What is None is the configuration's."""
    for name, value in [("num_envs", num_envs), ("workers", workers), ("block_size", block_size)]:
        if value is not None and not (is_int(value) and 1 <= value < 1 << 31):
            raise ValueError(f"{name} is {value!r}, want an integer from 1 to 2**31 - 1")
    if max_episode_steps is not None and not (
        is_int(max_episode_steps) and (max_episode_steps == -1 or 1 <= max_episode_steps < 1 << 31)
    ):
        raise ValueError(f"max_episode_steps is {max_episode_steps!r}, want an integer from 1 to 2**31 - 1, or -1 for no limit")
    if task is None:
        for name, value, key in [
            ("num_envs", num_envs, "worlds"),
            ("autoreset_mode", autoreset, "autoreset"),
            ("max_episode_steps", max_episode_steps, "max_steps"),
        ]:
            if value is not None and key in (overrides or {}):
                raise TypeError(f"{name} is {value!r} and {key} is {overrides[key]!r}; they are the same, give one of them")
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text is {text!r}; want the contents of a configuration")
    body: dict[str, Any] = {
        "worlds": _int(num_envs),
        "workers": _int(workers),
        "block_size": _int(block_size),
        "autoreset": autoreset,
        "seed": None if seed is None else check_seed(seed),
        "max_steps": _int(max_episode_steps),
        "dataset": None if dataset is None else _path("dataset", dataset),
    }
    if task is not None:
        body["task"] = task
        for name, value in (options or {}).items():
            if value is None:
                raise TypeError(f"the option {name} is None; want a value, or no such option")
        body["options"] = {name: _plain(f"the option {name}", value) for name, value in (options or {}).items()}
    else:
        body["config" if config is not None else "text"] = text if config is None else _path("config", config)
        body["overrides"] = [f"{key}={value}" for key, value in _flat("", overrides or {})]
        body["environ"] = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("POLYRHYTHM_")]
    body = {key: value for key, value in body.items() if value is not None}
    try:
        return json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        begin, end = error.object.rfind('"', 0, error.start) + 1, error.object.find('"', error.start)
        raise ValueError(f"{error.object[begin:end]!r} is not text in UTF-8") from None


def check_seed(seed: Any) -> int:
    """A seed as an integer; ValueError where it is none that the library has."""
    if not is_int(seed) or not 0 <= seed < 1 << 64:
        raise ValueError(f"the seed is {seed!r}, want an integer from 0 to 2**64 - 1")
    return int(seed)


def is_int(value: Any) -> bool:
    """Whether a value is an integer, Python's or NumPy's; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def _int(value: int | None) -> int | None:
    return None if value is None else int(value)


def _path(name: str, value: Any) -> str:
    """An absolute path."""
    if not isinstance(value, str | bytes | os.PathLike):
        raise TypeError(f"{name} is {value!r}; want a path")
    path = os.fsdecode(value)
    if not path:
        raise ValueError(f"{name} is an empty path")
    return os.path.abspath(path)


def _plain(name: str, value: Any) -> Any:
    """A value as JSON has it; floats that are not finite as the library reads them."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(f"{name}.{key}", v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(f"{name}[{i}]", v) for i, v in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{name} is {value!r}; want a number, a text, a truth value, a list or a mapping of these")


def _flat(prefix: str, tree: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A mapping of keys as `key=value` overrides, whose values are YAML."""
    flat = []
    for key, value in tree.items():
        if "=" in str(key):
            raise ValueError(f"{prefix}{key} is no key of a configuration")
        if isinstance(value, Mapping) and value:
            flat += _flat(f"{prefix}{key}.", value)
        else:  # an empty mapping too, since somebody has to look at its key
            flat.append((f"{prefix}{key}", _yaml(_plain(f"{prefix}{key}", value))))
    return flat


def _yaml(value: Any) -> str:
    """A value of `_plain` as YAML: JSON, and the numbers that it does not have."""
    if isinstance(value, dict):
        if "$float" in value:
            return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}[value["$float"]]
        return "{" + ", ".join(f"{json.dumps(key)}: {_yaml(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_yaml, value)) + "]"
    return json.dumps(value)
