"""The commands of the wheel: the programs `train` and `bench`, which it carries."""

from __future__ import annotations

import os
import sys

from polyrhythm._library import FOLDER

TRAIN = FOLDER / "train"


def train() -> None:
    """Become `train`, with the arguments of this process."""
    os.execv(TRAIN, ["train", *sys.argv[1:]])


def bench() -> None:
    """Become `train bench`, with the arguments of this process."""
    os.execv(TRAIN, ["train", "bench", *sys.argv[1:]])
