"""Pictures of worlds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from polyrhythm import _library, _request


class View:
    """How worlds are drawn: the keywords of Gymnasium's MuJoCo environments; the library chooses what is None."""

    def __init__(self, render_mode: Any, width: Any, height: Any, camera_id: Any, camera_name: Any) -> None:
        """Check the keywords."""
        if render_mode is not None and render_mode != "rgb_array":
            raise TypeError(f"render_mode is {render_mode!r}; want None or 'rgb_array'")
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
        width, height = handle.description["picture"]
        width, height = self.width or width, self.height or height
        view = {"world": world, "width": int(width), "height": int(height), "camera": self.camera_name or ""}
        if self.camera_id is not None:
            view["camera_id"] = int(self.camera_id)
        _, picture = handle.ask("render", view)
        return np.frombuffer(picture, np.uint8).reshape(height, width, 3).copy()


def metadata(about: dict[str, Any]) -> dict[str, Any]:
    """Gymnasium's metadata about pictures."""
    return {"render_modes": ["rgb_array"], "render_fps": max(1, round(Fraction(about["control_rate"])))}
