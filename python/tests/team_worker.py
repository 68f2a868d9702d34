"""A worker of a team that needs no library, for test_team.py."""

import hashlib
import os
import signal
import time
from pathlib import Path

LONG = 4.0  # seconds


class Chain:
    """Each result is a hash of the one before, the job and the order.

    `folder` has files that say what goes wrong, each once: `kill-NAME-ORDER` ends the process,
    `stop-NAME-ORDER` stops it and leaves `stopped`, `long-NAME-ORDER` lets it take long; while there is `other-NAME`
    it is another machine.
    """

    def __init__(self, name, folder, state):
        self.name, self.folder, self.state = name, Path(folder), state or b""

    def facts(self):
        return {"host": "here", "processor": "another" if (self.folder / f"other-{self.name}").exists() else "this"}

    def do(self, order):
        for what, number in [("kill", signal.SIGKILL), ("stop", signal.SIGSTOP)]:
            try:
                (self.folder / f"{what}-{self.name}-{order}").rename(self.folder / "stopped")
            except FileNotFoundError:
                continue
            os.kill(os.getpid(), number)
        if (self.folder / f"long-{self.name}-{order}").exists():
            time.sleep(LONG)
        with (self.folder / f"did-{self.name}").open("a") as log:
            log.write(f"{order}\n")
        if order == "raise":
            raise ValueError("an order that cannot be done")
        self.state = hashlib.sha256(self.state + f"{self.name} {order}".encode()).digest()
        return self.state
