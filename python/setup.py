"""Says that the package is not pure Python, and that its C library must be there.

python/wheel/build.py packs it for other machines: then POLYRHYTHM_PLATFORM says for which,
and `train` lies beside the library.
"""

import os
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

LIBRARY = Path(__file__).parent / "polyrhythm" / "_lib" / "libpolyrhythm.so"


class Build(build_py):
    def run(self):
        if not LIBRARY.exists():
            raise SystemExit(
                f"{LIBRARY} is not there. Build it first, in the checkout:\n"
                "  cmake --preset default && cmake --build --preset default"
            )
        super().run()


class Wheel(bdist_wheel):
    """For any Python 3: ctypes loads the library, which knows no interpreter."""

    def get_tag(self):
        _, _, platform = super().get_tag()
        return "py3", "none", os.environ.get("POLYRHYTHM_PLATFORM", platform)


class Binary(Distribution):
    def has_ext_modules(self):
        return True


programs = {}
if LIBRARY.with_name("train").exists():
    programs = {"console_scripts": ["train = polyrhythm._programs:train", "bench = polyrhythm._programs:bench"]}

setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary, entry_points=programs)
