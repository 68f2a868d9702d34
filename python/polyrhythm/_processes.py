"""Processes of this machine that hold an object each and run its methods: the local executor.

An executor has `start`, which makes a worker, and `wait`. Ray's (`polyrhythm.ray`) has the
same two. A worker is a process that is not forked, so the library is loaded inside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Iterable
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any


class Lost(Exception):
    """A worker is gone: its process ended, or its machine did."""


class Failed(Exception):
    """A method of a worker raised: what it raised, in one line, and as a note the traceback there."""

    @staticmethod
    def of(error: BaseException, there: str) -> Failed:
        """The error for what another process raised."""
        failed = Failed(f"{type(error).__name__}: {error}")
        failed.add_note(there)
        return failed


class Call:
    """A call under way."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def result(self) -> Any:
        """What the method returned; Failed for what it raised, Lost where its process is gone. Waits."""
        return self.worker.take()


class Worker:
    """A process with an object. One call at a time."""

    def __init__(self, maker: str, arguments: tuple[Any, ...]) -> None:
        self.connection, other = Pipe()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])}
        with other:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "import polyrhythm._processes as p; p.serve()", str(other.fileno()), maker],
                pass_fds=[other.fileno()], env=environment, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self.send(arguments)

    def send(self, message: Any) -> None:
        try:
            self.connection.send(message)
        except OSError:
            pass  # it is gone, as the answer will say

    def call(self, method: str, *arguments: Any) -> Call:
        """Start a method of the object."""
        self.send((method, arguments))
        return Call(self)

    def take(self) -> Any:
        try:
            done, value = self.connection.recv()
        except (EOFError, OSError):
            self.stop()
            raise Lost(f"the worker process {self.process.pid} ended with {self.process.returncode}") from None
        if not done:
            raise value
        return value

    def stop(self) -> None:
        """End the process, whatever it does. Again: nothing."""
        self.process.kill()
        self.process.wait()
        self.connection.close()


class Processes:
    """The executor."""

    def start(self, maker: str, *arguments: Any) -> Worker:
        """A process that calls `maker`, "module:name", with the arguments and keeps the result."""
        return Worker(maker, arguments)

    def wait(self, calls: Iterable[Call]) -> list[Call]:
        """Those of the calls, at least one, whose result is there."""
        by_connection = {call.worker.connection: call for call in calls}
        closed = [call for connection, call in by_connection.items() if connection.closed]
        return closed or [by_connection[connection] for connection in wait(list(by_connection))]


def serve() -> None:
    """What the process of a worker does: sys.argv is its end of the pipe and what to make."""
    connection = Connection(int(sys.argv[1]))
    module, _, name = sys.argv[2].partition(":")
    maker, thing = getattr(import_module(module), name), None
    while True:
        try:
            message = connection.recv()
        except (EOFError, OSError):
            return  # nobody is there any more
        try:
            if thing is None:
                thing = maker(*message)
                continue
            method, arguments = message
            answer = (True, getattr(thing, method)(*arguments))
        except Exception as error:  # noqa: BLE001  whatever it is, the caller is to know
            answer = (False, Failed.of(error, traceback.format_exc()))
        try:
            connection.send(answer)
        except OSError:
            return
        if thing is None:
            return
