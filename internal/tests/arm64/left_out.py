"""Write anew which tests third_party/arm64/left_out.txt leaves out because they take long.

    go test -short -p 1 -json ./... | python3 internal/tests/arm64/left_out.py

QEMU takes some 25 times the processor's own time. Tests that take more than SECONDS on the processor itself, of a
machine that has nothing else to do, are left out, so that two cores are through with the others within an hour. The
tests that the file leaves out for another reason stay in it. The script needs nothing but Python.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SECONDS = 1.0
FILE = Path(__file__).resolve().parents[3] / "third_party" / "arm64" / "left_out.txt"
WHY = " s on the processor itself"


def main() -> None:
    # By package and test: its own time, and that of its subtests, which those that are parallel take after it.
    own: dict[tuple[str, str], float] = {}
    below: dict[tuple[str, str], float] = {}
    for line in sys.stdin:
        event = json.loads(line)
        name, _, sub = event.get("Test", "").partition("/")
        if event["Action"] in ("pass", "fail") and name.startswith("Test") and "/" not in sub:
            times, key = below if sub else own, (event["Package"], name)
            times[key] = times.get(key, 0.0) + event["Elapsed"]
    took: dict[str, float] = {}
    for key, seconds in own.items():
        took[key[1]] = max(took.get(key[1], 0.0), seconds, below.get(key, 0.0))
    kept = [line for line in FILE.read_text().splitlines() if not line.endswith(WHY)]
    named = {line.split()[0] for line in kept}
    long = [f"{name} {seconds:.1f}{WHY}" for name, seconds in took.items() if seconds > SECONDS and name not in named]
    FILE.write_text("\n".join(kept + sorted(long)) + "\n")
    left = sum(seconds for name, seconds in took.items() if seconds <= SECONDS)
    print(f"{len(took)} tests; {len(long)} take more than {SECONDS} s; the others take {left:.0f} s")


if __name__ == "__main__":
    main()
