"""Says that the package is not pure Python, and that its C library must be there."""

from pathlib import Path

from setuptools import Distribution, setup
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


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": Build}, distclass=Binary)
