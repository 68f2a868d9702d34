"""Makes of the wheels in a folder what a release has: beside them the source, bills of materials, notes and checksums.

`cmake --workflow --preset release` calls it after it has built the wheel, and the hosted workflow once more when it has
the wheels of all processors. Each file is a function of the commit and of the wheels.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import build
from build import ROOT
from materials import materials


def git(*arguments: str) -> bytes:
    """What git says of the checkout."""
    done = subprocess.run(["git", "-c", "safe.directory=*", *arguments], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"git {arguments[0]}: {done.stderr.decode().strip()}")
    return done.stdout


def version() -> str:
    """The version, which is the same wherever it stands."""
    found = {
        "python/pyproject.toml": build.version(),
        "python/polyrhythm/__init__.py": said("python/polyrhythm/__init__.py", r'^__version__ = "(.*)"'),
        "env/env.go": said("env/env.go", r'^const Version = "(.*)"'),
    }
    if len(set(found.values())) != 1:
        sys.exit(f"the version is not the same everywhere: {found}")
    return found["env/env.go"]


def said(file: str, pattern: str) -> str:
    """What a file says of itself."""
    match = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
    if not match:
        sys.exit(f"{file} has no {pattern}")
    return match[1]


def notes(number: str) -> str:
    """The part of the changelog about a version. Its links lead to the files of the version."""
    text = (ROOT / "CHANGELOG.md").read_text()
    match = re.search(rf"^## \[{re.escape(number)}\] - (\S+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not match:
        sys.exit(f"CHANGELOG.md has no part of the version {number}")
    part = re.sub(r"^\[[^]]*\]: .*\n", "", match[2], flags=re.MULTILINE).strip()
    repository = said("python/pyproject.toml", r'^Source = "(.*)"')
    return re.sub(r"\]\((?!https?://)([^)]+)\)", rf"]({repository}/blob/v{number}/\1)", part) + "\n"


def source(number: str) -> bytes:
    """The files of the commit."""
    if changed := git("status", "--porcelain", "--untracked-files=no").decode().strip():
        sys.exit(f"a release is of a commit, and these files are changed:\n{changed}")
    tar = git("archive", "--format=tar", f"--prefix=polyrhythm-{number}/", "HEAD")
    return gzip.compress(tar, mtime=0)


def check_tag(tag: str, number: str) -> None:
    """That a tag is that of the version, and the changelog has its date."""
    if tag != f"v{number}":
        sys.exit(f"the tag is {tag}, want v{number}, the version of the checkout")
    date = said("CHANGELOG.md", rf"^## \[{re.escape(number)}\] - (\S+)$")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        sys.exit(f"CHANGELOG.md says that {number} is {date}, want its date")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=Path, required=True, help="the folder of the wheels")
    parser.add_argument("--tag", help="the tag that is released, to be compared with the version")
    arguments = parser.parse_args()
    number, dist = version(), arguments.dist.resolve()
    if arguments.tag:
        check_tag(arguments.tag, number)
    wheels = sorted(dist.glob(f"polyrhythm-{number}-*.whl"))
    if not wheels:
        sys.exit(f"{dist} has no wheel of {number}")
    check = [sys.executable, "-m", "twine", "check", "--strict", *map(str, wheels)]
    if subprocess.run(check, stdout=sys.stderr, check=False).returncode:
        sys.exit("twine refuses a wheel")
    made = {f"polyrhythm-{number}-source.tar.gz": source(number), f"polyrhythm-{number}-notes.md": notes(number).encode()}
    for wheel in wheels:
        bill = json.dumps(materials(wheel), indent=2, ensure_ascii=False) + "\n"
        made[wheel.with_suffix(".cdx.json").name] = bill.encode()
    for name, data in made.items():
        (dist / name).write_bytes(data)
    files = sorted([*(wheel.name for wheel in wheels), *made])
    sums = [f"{hashlib.sha256((dist / name).read_bytes()).hexdigest()}  {name}\n" for name in files]
    (dist / "SHA256SUMS").write_text("".join(sums))
    print("".join(f"{dist / name}\n" for name in [*files, "SHA256SUMS"]), end="")


if __name__ == "__main__":
    main()
