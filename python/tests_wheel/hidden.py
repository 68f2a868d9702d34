"""Runs a command where there is nothing but Python, glibc and what is named:

    unshare --user --map-root-user --mount python hidden.py ROOT PATH… -- COMMAND…

The root of the file system becomes the empty folder ROOT, with /proc, /dev, the paths
named, this Python with the libraries that it and its modules are linked to, and those
that the rules of manylinux take for granted: glibc's, libstdc++ and libgcc_s. numpy
needs these too.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

GRANTED = (
    "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libresolv.so", "libutil.so",
    "libnss_", "libstdc++.so", "libgcc_s.so", "libz.so",
)  # fmt: skip


def linked(files):
    """The libraries that files are linked to."""
    found = set()
    for file in files:
        said = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout
        found |= {Path(word) for line in said.splitlines() for word in line.split() if word.startswith("/")}
    return found


def python_files():
    """This Python's program, its library and its modules."""
    modules = Path(sysconfig.get_path("stdlib"))
    program = Path(sys.executable).resolve()
    return program, modules, linked([program, *modules.glob("lib-dynload/*.so")])


def granted():
    """The libraries that any Linux with Python has."""
    libc = next(path for path in linked([sys.executable]) if path.name.startswith("libc.so")).resolve()
    return {path for path in libc.parent.iterdir() if path.name.startswith(GRANTED)} | {
        path for path in Path("/lib64").glob("ld-linux*")
    }


def show(root, path):
    """Have a path inside, too."""
    inside = root / path.relative_to("/")
    if inside.exists():
        return
    if path.is_dir():
        inside.mkdir(parents=True)
    else:
        inside.parent.mkdir(parents=True, exist_ok=True)
        inside.touch()
    subprocess.run(["mount", "--rbind", str(path), str(inside)], check=True)


def main():
    split = sys.argv.index("--")
    root, named, command = Path(sys.argv[1]), sys.argv[2:split], sys.argv[split + 1 :]
    subprocess.run(["mount", "-t", "tmpfs", "hidden", str(root)], check=True)
    program, modules, libraries = python_files()
    for path in [program, modules, *libraries, *granted(), Path("/proc"), Path("/dev"), *map(Path, named)]:
        show(root, path)
    os.chroot(root)
    os.chdir("/")
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
