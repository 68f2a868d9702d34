"""Processes of this machine that hold an object each and run its methods: the local executor.

An executor has `start`, which makes a worker, `wait`, and its `timeout`. Ray's (`polyrhythm.ray`) has the
same. A worker is a process that is not forked, so the library is loaded inside it. While it computes, however long that
takes, a thread of it sends a sign of life each second. So a worker that is silent is not slow: its process is stopped,
or has no processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import traceback
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

TIMEOUT = 600.0  # seconds
BEAT = 1.0  # seconds between the signs of life of a worker that computes


class Lost(Exception):
    """A worker is gone: its process ended, or its machine did, or it does not answer."""


class Failed(Exception):
    """A method of a worker raised: what it raised, in one line, and as a note the traceback there."""


class Worker:
    """A process with an object. A thread talks to it: to a process that is stopped that may take for ever."""

    placed = True  # a machine has room for it

    def __init__(self, maker: str, arguments: tuple[Any, ...]) -> None:
        self._connection, other = Pipe()
        path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
        with other:
            program = "import polyrhythm._processes as p; p.serve()"
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", program, str(other.fileno()), maker],
                pass_fds=[other.fileno()], env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self._heard = time.monotonic()
        self._thread = ThreadPoolExecutor(1)
        self._thread.submit(self._send, arguments)

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """Start a method of the object. The result is what it returned, Failed for what it raised, or Lost."""
        return self._thread.submit(self._ask, (method, arguments))

    def silence(self) -> float:
        """Seconds since the process has given a sign of life, as it does only while it computes."""
        return time.monotonic() - self._heard

    def _send(self, message: Any) -> None:
        try:
            self._connection.send(message)
        except OSError:
            pass  # it is gone, as the answer will say

    def _ask(self, message: Any) -> Any:
        self._send(message)
        try:
            while (answer := self._connection.recv()) is None:
                self._heard = time.monotonic()
        except (EOFError, OSError):
            self.process.kill()
            raise Lost(f"the worker process {self.process.pid} ended with {self.process.wait()}") from None
        done, value = answer
        if not done:
            raise value
        return value

    def stop(self) -> None:
        """End the process, whatever it does. Ending it again does nothing."""
        self.process.kill()
        self.process.wait()
        self._thread.shutdown()
        self._connection.close()


class Processes:
    """The executor.

    Args:
        timeout: seconds after which a worker that does not answer counts as lost; None: never.
    """

    def __init__(self, timeout: float | None = TIMEOUT) -> None:
        self.timeout = check_timeout(timeout)

    def start(self, maker: str, *arguments: Any) -> Worker:
        """A process that calls `maker`, "module:name", with the arguments and keeps the result."""
        return Worker(maker, arguments)

    def wait(self, calls: Iterable[Future[Any]], seconds: float) -> list[Future[Any]]:
        """Those of the calls whose result is there; at least one, unless the time is over."""
        done = wait(calls, seconds, FIRST_COMPLETED).done
        return [call for call in calls if call in done]


def check_timeout(timeout: float | None) -> float | None:
    """The limit; ValueError where it is none."""
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout is {timeout!r}, want seconds above 0, or None for no limit")
    return timeout


class Host:
    """Has the object of a worker, in its process. The first call makes the object, and reports why if that fails."""

    def __init__(self, maker: str, arguments: tuple[Any, ...]) -> None:
        self._maker, self._arguments, self._object = maker, arguments, None

    def call(self, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        """Whether the method returned, and what it returned, or Failed."""
        try:
            if self._object is None:
                module, _, name = self._maker.partition(":")
                self._object = getattr(import_module(module), name)(*self._arguments)
            return True, getattr(self._object, method)(*arguments)
        except Exception as error:  # noqa: BLE001  whatever it is, the caller is to know
            failed = Failed(f"{type(error).__name__}: {error}")
            failed.add_note(traceback.format_exc())
            return False, failed


def serve() -> None:
    """What the process of a worker does: sys.argv is its end of the pipe and what to make."""
    connection = Connection(int(sys.argv[1]))
    try:
        host = Host(sys.argv[2], connection.recv())
        sending, computes = Lock(), Event()
        Thread(target=_beat, args=(connection, sending, computes), daemon=True).start()
        while True:
            call = connection.recv()
            computes.set()
            answer = host.call(*call)
            with sending:
                computes.clear()
            connection.send(answer)
    except (EOFError, OSError):
        return  # nobody is there any more


def _beat(connection: Connection, sending: Lock, computes: Event) -> None:
    """Send a sign of life each second while a call computes: only then somebody reads."""
    with suppress(OSError):  # nobody is there any more
        while True:
            time.sleep(BEAT)
            with sending:
                if computes.is_set():
                    connection.send(None)
