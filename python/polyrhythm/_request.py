"""What is asked of the library: which worlds, of which configuration."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


_KEYS = {"num_envs": "worlds", "autoreset_mode": "autoreset", "max_episode_steps": "max_steps"}  # of a configuration


def request(
    *,
    task: str | None = None,
    options: Mapping[str, Any] | None = None,
    config: str | os.PathLike[str] | None = None,
    text: str | None = None,
    **given: Any,
) -> bytes:
    """A request, as JSON. What is None is the configuration's.

    options are the task's, or keys of the configuration; given are num_envs, workers, block_size, autoreset_mode,
    seed, max_episode_steps and dataset, as of `make_vec`.
    """
    options = options or {}
    given = {name: value for name, value in given.items() if value is not None}
    for name in ("num_envs", "workers", "block_size", "max_episode_steps"):
        value, endless = given.get(name, 1), name == "max_episode_steps"
        if not (is_int(value) and (1 <= value < 1 << 31 or endless and value == -1)):
            more = ", or -1 for no limit" * endless
            raise ValueError(f"{name} is {value!r}, want an integer from 1 to 2**31 - 1{more}")
    for name, key in _KEYS.items():
        if task is None and name in given and key in options:
            both = f"{name} is {given[name]!r} and {key} is {options[key]!r}"
            raise TypeError(f"{both}; they are the same, give one of them")
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text is {text!r}; want the contents of a configuration")
    if "seed" in given:
        check_seed(given["seed"])
    if "dataset" in given:
        given["dataset"] = path("dataset", given["dataset"])
    body = {_KEYS.get(name, name): int(value) if is_int(value) else value for name, value in given.items()}
    if task is not None:
        body["task"] = task
        for name, value in options.items():
            if value is None:
                raise TypeError(f"the option {name} is None; want a value, or no such option")
        body["options"] = _yaml("the option ", "", options)
    else:
        body["config" if config is not None else "text"] = text if config is None else config_path(config)
        body["overrides"] = lines(options)
        body["environ"] = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("POLYRHYTHM_")]
    try:
        return json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        begin, end = error.object.rfind('"', 0, error.start) + 1, error.object.find('"', error.start)
        raise ValueError(f"{error.object[begin:end]!r} is not text in UTF-8") from None


def training(
    task: str | None,
    out: Any,
    resume: bool,
    config: str | os.PathLike[str] | None,
    text: str | None,
    seed: int | None,
    workers: int | None,
    overrides: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The request of a training, as of `polyrhythm.train`."""
    given = [value for value in (task, config, text) if value is not None]
    if len(given) != (0 if resume else 1):
        wanted = "none of them to resume" if resume else "one of them"
        raise TypeError(f"{len(given)} of task, config and text are given; want {wanted}")
    if resume and seed is not None:
        raise TypeError(f"seed is {seed}; want none to resume")
    body: dict[str, Any] = {"out": path("out", out), "resume": resume}
    if resume:
        body["set"], overrides, text = lines(overrides), None, ""
    if task is not None:
        body["task"], text = task, ""
    worlds = request(config=config, text=text, seed=seed, options=overrides, workers=workers)
    return {**body, "worlds": json.loads(worlds)}


def check_seed(seed: Any) -> int:
    """A seed as an integer; ValueError where it is none that the library has."""
    if not is_int(seed) or not 0 <= seed < 1 << 64:
        raise ValueError(f"the seed is {seed!r}, want an integer from 0 to 2**64 - 1")
    return int(seed)


def is_int(value: Any) -> bool:
    """Whether a value is an integer, Python's or NumPy's; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def path(name: str, value: Any) -> str:
    """An absolute path. ValueError for a URI, which would be a folder of this machine."""
    if not isinstance(value, str | bytes | os.PathLike):
        raise TypeError(f"{name} is {value!r}; want a path")
    given = os.fsdecode(value)
    if not given:
        raise ValueError(f"{name} is an empty path")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/", given):
        raise ValueError(f"{name} is {given}, a URI; want a path of this machine: mount what is elsewhere, or copy it")
    return os.path.abspath(given)


def config_path(value: Any) -> str:
    """The absolute path of a configuration, or the name of a preset of the library itself."""
    return value if isinstance(value, str) and value.startswith("builtin:") else path("config", value)


def flat(tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The keys of a configuration, given as a tree or as `training.clip`, and their values.

    A section is one key for each of its parts, so that an error names the part; the entry of a list stays whole.
    """
    for section, value in tree.items():
        parts = {f"{section}.{key}": part for key, part in value.items()} if isinstance(value, Mapping) else {}
        for key, part in (parts or {section: value}).items():  # an empty mapping is looked at, too
            if "=" in str(key):
                raise ValueError(f"{key} is no key of a configuration")
            yield key, part


def lines(overrides: Mapping[str, Any] | None) -> list[str]:
    """Keys and values as `key=value`, with values in YAML."""
    return [f"{key}={_yaml('', key, value)}" for key, value in flat(overrides or {})]


def _yaml(prefix: str, key: Any, value: Any) -> str:
    """The value of a key as YAML: JSON, and the numbers that it does not have."""
    name = f"{prefix}{key}"
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        dot = f"{name}." if key != "" else name
        return "{" + ", ".join(f"{_yaml('', '', str(k))}: {_yaml(dot, k, v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_yaml(name, f"[{i}]", v) for i, v in enumerate(value)) + "]"
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: ".inf", -math.inf: "-.inf"}.get(value, ".nan")
    if isinstance(value, int) and abs(value) >= 1 << 1024:
        raise ValueError(f"{name}: a number of {len(str(abs(value)))} digits, want one that a float64 holds")
    if value is None or isinstance(value, bool | int | float | str):
        return json.dumps(value, ensure_ascii=False)
    raise TypeError(f"{name} is {value!r}; want a number, a text, a truth value, a list or a mapping of these")
