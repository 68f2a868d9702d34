"""The commands of the wheel: the programs `train` and `bench`, which it carries."""

from __future__ import annotations

import os
import sys

from polyrhythm._library import FOLDER

TRAIN = FOLDER / "train"


def train() -> None:
    """Become `train`, with the arguments of this process."""
    _become("train", sys.argv[1:])


def bench() -> None:
    """Become `train bench`, with the arguments of this process."""
    _become("train", ["bench", *sys.argv[1:]])


def _become(name: str, arguments: list[str]) -> None:
    if not TRAIN.exists():
        sys.exit(f"{name}: {TRAIN} is not there: only wheels have the programs; in a checkout they are in build/bin")
    os.execv(TRAIN, ["train", *arguments])
