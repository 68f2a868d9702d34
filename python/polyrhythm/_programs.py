"""The commands of the wheel: the programs `train` and `bench`, which it carries."""

from __future__ import annotations

import os
import sys

from polyrhythm._library import FOLDER

TRAIN = FOLDER / "train"


def train() -> None:
    """Become `train`, with the arguments of this process."""
    _become("train", sys.argv[1:])


def help_or_train() -> None:
    """Become `train`, or its help where this process has no arguments."""
    _become("train", sys.argv[1:] or ["--help"])


def bench() -> None:
    """Become `train bench`, with the arguments of this process."""
    _become("train", ["bench", *sys.argv[1:]])


def _become(name: str, arguments: list[str]) -> None:
    if not TRAIN.exists():
        where = f"a wheel has it, `pip install ./python` has not; in a checkout it is build/bin/{name}"
        sys.exit(f"{name}: this installation has no program, there is no {TRAIN}: {where}")
    os.environ.setdefault("POLYRHYTHM_PYTHON", sys.executable)  # whose pip `train fetch` calls
    os.execv(TRAIN, ["train", *arguments])
