"""What the benchmarks share: contenders that take turns, options, and how a script ends.

In every round each contender runs once, in turning order. What counts is the median over the
rounds, and ratios are medians of the rounds' own ratios, since a shared machine changes its speed
from minute to minute.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TRAIN = ROOT / "build" / "bin" / "train"
sys.path.append(str(ROOT / "python"))  # where the package is not installed


def in_turns(contenders: Mapping[Any, Callable[[], Any]], rounds: int) -> list[dict[Any, Any]]:
    """What each contender returned in each round, by its name."""
    order, results = list(contenders), []
    for _ in range(rounds):
        results.append({name: contenders[name]() for name in order})
        order = order[1:] + order[:1]
    return results


def train(program: Any, command: str, keys: Mapping[str, Any], *words: Any) -> None:
    """Run `train` in silence, with keys of the configuration."""
    sets = [f"--set={key}={json.dumps(value)}" for key, value in keys.items()]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([str(word) for word in [program, command, "--log-every", 0, *words, *sets]], check=True, **quiet)


def medians(names: Iterable[str], rounds: list[Any], value: Callable[[Any, str], float]) -> dict[str, float]:
    """For each name the median over the rounds of value(round, name)."""
    return {name: statistics.median(value(r, name) for r in rounds) for name in names}


def options(about: str, *, switches: Mapping[str, str] | None = None, **values: tuple[Any, str]) -> argparse.Namespace:
    """The options of a script: those with a value, by a default or else a type, and switches."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, (default, text) in values.items():
        kind = default if isinstance(default, type) else type(default)
        default = None if kind is default else default
        flag, text = f"--{name.replace('_', '-')}", f"{text} (default: %(default)s)"
        parser.add_argument(flag, type=kind, default=default, help=text)
    for name, text in {**(switches or {}), "json": "print one line of JSON"}.items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=text)
    return parser.parse_args()


PACKAGES = "numpy", "gymnasium", "envpool", "mujoco-core", "mjbatch", "torch", "stable-baselines3", "rltools", "ray"


def machine() -> dict[str, Any]:
    """What a rate depends on beside the task: the processor, and the versions of what is installed."""
    names = [line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    found = {distribution.name.replace("_", "-"): distribution.version for distribution in distributions()}
    versions = {name: found[name] for name in PACKAGES if name in found}
    return {"processor": (names or ["unknown"])[0], "processors": len(os.sched_getaffinity(0)), "versions": versions}


def tell(arguments: argparse.Namespace, result: dict[str, Any], show: Callable[[], None]) -> None:
    """Print a result, as JSON or by `show`, and where it was measured."""
    here = machine()
    if arguments.json:
        print(json.dumps(result | {"machine": here}))
    else:
        show()
        versions = ", ".join(f"{name} {version}" for name, version in here["versions"].items())
        print(f"on {here['processors']} processors of {here['processor']}; {versions}")


def run(main: Callable[[], int | None]) -> None:
    """Run a script. What stops it is one line: 130 for Ctrl-C, 1 for a file or a program that failed."""
    script = Path(sys.argv[0]).name
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print(f"{script}: interrupted", file=sys.stderr)
        sys.exit(130)
    except subprocess.CalledProcessError as error:
        words = " ".join(map(str, error.cmd))
        print(f"{script}: {words} ended with {error.returncode}", file=sys.stderr)
    except OSError as error:
        print(f"{script}: {error}", file=sys.stderr)
    sys.exit(1)
