"""Pictures of worlds."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np

from polyrhythm import _library, _request


class View:
    """How worlds are drawn: the keywords of Gymnasium's MuJoCo environments.

    What is None is chosen by the library: its size, and the model's camera "track" or one
    that follows the robot.
    """

    def __init__(self, width: int | None, height: int | None, camera_id: int | None, camera_name: str | None) -> None:
        """Check the keywords."""
        for name, value in [("width", width), ("height", height)]:
            if value is not None and not (_request.is_int(value) and 1 <= value <= 4096):
                raise ValueError(f"{name} is {value!r}, want an integer from 1 to 4096")
        if camera_id is not None and not _request.is_int(camera_id):
            raise TypeError(f"camera_id is {camera_id!r}, want an integer")
        if camera_name is not None and not isinstance(camera_name, str):
            raise TypeError(f"camera_name is {camera_name!r}, want a text")
        if camera_id is not None and camera_name is not None:
            raise ValueError("camera_id and camera_name are given, want one of them")
        self.width, self.height, self.camera_id, self.camera_name = width, height, camera_id, camera_name

    def draw(self, handle: _library.Handle, world: int) -> np.ndarray:
        """A world as it stands: (height, width, 3) uint8, the caller's own."""
        width, height = (given or default for given, default in zip((self.width, self.height), handle.description["picture"]))
        to = np.empty((height, width, 3), np.uint8)
        view = {"width": int(width), "height": int(height), "camera": self.camera_name or ""}
        if self.camera_id is not None:
            view["camera_id"] = int(self.camera_id)
        handle.call("polyrhythm_render", json.dumps(view).encode(), world, _library.pointer(to), to.nbytes)
        return to


def metadata(about: dict[str, Any]) -> dict[str, Any]:
    """Gymnasium's metadata about pictures."""
    return {"render_modes": ["rgb_array"], "render_fps": max(1, round(Fraction(about["control_rate"])))}
