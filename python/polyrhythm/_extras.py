"""Packages that only some modules need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str, by: str) -> Iterator[None]:
    """Import packages of an extra of pyproject.toml; where one is missing, the error says how `by` gets them."""
    try:
        yield
    except ImportError as error:
        text = f"{by} wants packages that are not installed: pip install 'polyrhythm[{name}]' ({error})"
        raise ImportError(text, name=error.name, path=error.path) from error
