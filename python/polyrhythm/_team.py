"""A team: workers with one job each, on any executor. Lost ones are made again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from polyrhythm._display import say
from polyrhythm._processes import Failed, Lost

TRIES = 5  # workers of a job that are lost one after the other, before the run gives up
SILENT = 4.0  # seconds until a run says that workers wait for a machine; it says so again after 15 times as long
STILL = 3.0  # seconds without a sign of life of a worker until a run says so; again after 15 times SILENT


class Mixed(ValueError):
    """Machines that differ in what decides the bits."""


class Team(AbstractContextManager):
    """The workers of a run. Not safe for several threads.

    A worker's object is what `maker`, "module:name", returns for a job and, if another worker had
    the job before, what `restore` returns for its number. It has `facts()`, a mapping of what
    decides the bits, and the methods that are called.

    Args:
        executor: what starts workers: `Processes`, or Ray's.
        jobs: the arguments of `maker`, for each worker.
        facts: those of this process. A worker with others is refused, unless `mixed`.
        restore: where the job of a lost worker is to begin; None: where it began.
        restored: the first workers begin there too.
        tell: is called with a line about a worker that is lost, or that waits.
    """

    def __init__(
        self,
        executor: Any,
        maker: str,
        jobs: Sequence[tuple[Any, ...]],
        *,
        facts: Mapping[str, str],
        mixed: bool = False,
        restore: Callable[[int], Any] = lambda number: None,
        restored: bool = False,
        tell: Callable[[str], None] = say,
    ) -> None:
        self.lost = 0  # workers, so far
        self._executor, self._maker, self._jobs, self._restore = executor, maker, jobs, restore
        self._facts, self._mixed, self._tell = facts, mixed, tell
        self._workers: dict[int, Any] = {}
        self._new: set[int] = set()  # workers whose facts are not known
        self._asked: dict[int, float] = {}  # when a worker was asked what it has not answered
        self._late: dict[Any, int] = {}  # calls of workers that were given up
        self._silent_until = self._watching = self._watched = time.monotonic()
        self._silent_until += SILENT
        self._still: dict[int, float] = {}  # when to say again that a worker is still
        try:
            for number in range(len(jobs)):  # all start before the first is asked
                self._start(number, restore(number) if restored else None)
            self.each(None, take=lambda *_: None)
        except BaseException:
            self.close()
            raise

    def each(
        self,
        method: str | None,
        *arguments: Any,
        take: Callable[[int, Any], Any],
        late: Callable[[int, Any], Any] | None = None,
    ) -> None:
        """Call a method of every worker; call `take` with the number of each job and its result.

        Where `take` returns True, the method is called again. A worker that is lost is made again,
        and called again. If its own result comes after all, also in a later call of `each`, `late`
        is called with it; None: `take`. Without a method it only sees that the workers are of the right kind.
        """
        pending: dict[Any, int] = {}

        def ask(number: int) -> None:
            call = ("facts",) if number in self._new else (method, *arguments)
            self._asked[number] = time.monotonic()
            pending[self._workers[number].call(*call)] = number

        for number in range(len(self._workers)) if method else list(self._new):
            ask(number)
        tries = dict.fromkeys(self._workers, 1)
        while pending:
            ready = self._executor.wait([*pending, *self._late], 1.0)
            self._tell_waiting()
            stuck = [call for call, number in pending.items() if call not in ready and self._is_stuck(number)]
            self._tell_still([number for call, number in pending.items() if call not in ready + stuck])
            for call in ready + stuck:
                if call in self._late:
                    self._take_late(call, late or take)
                    continue
                number = pending.pop(call)
                try:
                    if call in stuck:
                        raise Lost(f"it has not answered for {self._executor.timeout:g} s")
                    result = call.result()
                except Lost as lost:
                    if tries[number] == TRIES:
                        raise
                    tries[number] += 1
                    self._late[call] = number
                    self._replace(number, lost)
                    ask(number)
                    continue
                if number in self._new:
                    self._refuse(result)
                    self._new.discard(number)
                    if method:
                        ask(number)
                else:
                    tries[number] = 1
                    if take(number, result) is True:
                        ask(number)

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, number: int, state: Any) -> None:
        self._workers[number] = self._executor.start(self._maker, *self._jobs[number], state)
        self._new.add(number)

    def _replace(self, number: int, lost: Lost) -> None:
        self.lost += 1
        why = str(lost).partition("\n")[0]
        self._tell(f"worker {number + 1} of {len(self._jobs)} is lost and replaced: {why}")
        self._workers[number].stop()
        self._start(number, self._restore(number))

    def _is_stuck(self, number: int) -> bool:
        """Whether a worker has not answered in time, which begins when it has a place."""
        now = time.monotonic()
        if not self._workers[number].placed:
            self._asked[number] = now
        return self._executor.timeout is not None and now - self._asked[number] > self._executor.timeout

    def _tell_waiting(self) -> None:
        """Say that workers wait for a place, if they do, but rarely."""
        waiting, now = sum(not worker.placed for worker in self._workers.values()), time.monotonic()
        if not waiting:
            self._silent_until = now + SILENT
        elif now >= self._silent_until:
            self._silent_until = now + 15 * SILENT
            count = len(self._workers)
            self._tell(f"waiting for {waiting} of {count} workers: {self._executor.room(count)}")

    def _tell_still(self, waited_for: Sequence[int]) -> None:
        """Say which workers that answered before give no sign of life, and when they go on.

        A worker that only takes long gives signs of life. Where this process was stopped itself, silence counts from
        then on.
        """
        now = time.monotonic()
        if now - self._watched > STILL:
            self._watching = now
        self._watched, still = now, {}
        for number in waited_for:
            worker = self._workers[number]
            if number not in self._new and worker.placed:
                silence = min(now - self._asked[number], now - self._watching, worker.silence())
                still |= {number: silence} if silence >= STILL else {}
        for number in [number for number in self._still if number not in still]:
            del self._still[number]
            if number not in self._new:  # else it was replaced, which is told
                self._tell(f"worker {number + 1} of {len(self._jobs)} goes on")
        if any(now >= self._still.get(number, now) for number in still):
            self._still = dict.fromkeys(still, now + 15 * SILENT)
            names = "worker" + "s" * (len(still) > 1) + " " + " and ".join(str(number + 1) for number in still)
            limit = self._executor.timeout
            after = f"; after {limit:g} s it counts as lost" if limit is not None else ""
            self._tell(f"waiting for {names} of {len(self._jobs)}, silent for {max(still.values()):.0f} s: "
                       f"stopped, or not reached{after}")  # fmt: skip

    def _refuse(self, facts: Mapping[str, str]) -> None:
        """Raise Mixed for a machine whose bits may be others."""
        other = [name for name in sorted({*facts, *self._facts} - {"host"}) if facts.get(name) != self._facts.get(name)]
        if other and not self._mixed:
            differences = "; ".join(f"{name} is {facts.get(name)!r}, want {self._facts.get(name)!r}" for name in other)
            host = facts.get("host", "a worker")
            raise Mixed(f"{host}: {differences}. Its bits may differ; mixed=True takes it all the same")

    def _take_late(self, call: Any, take: Callable[[int, Any], None]) -> None:
        number = self._late.pop(call)
        try:
            result = call.result()
        except (Lost, Failed):
            return
        take(number, result)
