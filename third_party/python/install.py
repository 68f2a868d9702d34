"""Installs a lock file: python install.py LOCK [arguments of pip install…].

A few requirements at a time, since pip keeps all that a call downloads, gigabytes for torch, beside what it installs.
A lock file names all requirements, so none brings others.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

AT_ONCE = 8
PIP = [sys.executable, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "--retries=2",
       "--timeout=30", "install", "--no-deps", "--only-binary=:all:", "--require-hashes"]

lock, *arguments = sys.argv[1:]
requirements = re.findall(r"^\w.*(?:\n .*)*", Path(lock).read_text(), re.MULTILINE)
for first in range(0, len(requirements), AT_ONCE):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as some:
        some.write("\n".join(requirements[first : first + AT_ONCE]))
        some.flush()
        if status := subprocess.call([*PIP, *arguments, "-r", some.name]):
            sys.exit(status)
