"""A team: workers with one job each, on any executor. Lost ones are made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from polyrhythm._processes import Failed, Lost

TRIES = 5  # workers of a job that are lost one after the other, before the run gives up


class Mixed(ValueError):
    """Machines that differ in what decides the bits."""


class Team:
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
    ) -> None:
        self.lost = 0  # workers, so far
        self._executor, self._maker, self._jobs, self._restore = executor, maker, jobs, restore
        self._facts, self._mixed = facts, mixed
        self._workers: dict[int, Any] = {}
        self._late: dict[Any, int] = {}  # calls of workers that were given up
        try:
            for number in range(len(jobs)):  # all start before the first is asked
                self._start(number, restore(number) if restored else None)
            for number in range(len(jobs)):
                self._settle(number)
        except BaseException:
            self.close()
            raise

    def each(
        self, method: str, *arguments: Any, take: Callable[[int, Any], Any], late: Callable[[int, Any], Any] | None = None
    ) -> None:
        """Call a method of every worker; call `take` with the number of each job and its result.

        Where `take` returns True, the method is called again. A worker that is lost is made again,
        and called again. If its own result comes after all, also in a later call of `each`, `late`
        is called with it; None: `take`.
        """
        under_way = {self._workers[number].call(method, *arguments): number for number in range(len(self._jobs))}
        tries = dict.fromkeys(range(len(self._jobs)), 1)
        while under_way:
            for call in self._executor.wait([*under_way, *self._late]):
                if call in self._late:
                    self._take_late(call, late or take)
                    continue
                number = under_way.pop(call)
                try:
                    result = call.result()
                except Lost:
                    if tries[number] == TRIES:
                        raise
                    tries[number] += 1
                    self._late[call] = number
                    self._replace(number)
                    self._settle(number)
                else:
                    tries[number] = 1
                    if take(number, result) is not True:
                        continue
                under_way[self._workers[number].call(method, *arguments)] = number

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, number: int, state: Any) -> None:
        self._workers[number] = self._executor.start(self._maker, *self._jobs[number], state)

    def _replace(self, number: int) -> None:
        self.lost += 1
        self._workers[number].stop()
        self._start(number, self._restore(number))

    def _settle(self, number: int) -> None:
        """Wait for a worker to be there, and see that it is of the right kind."""
        for attempt in range(TRIES):
            try:
                self._refuse(self._workers[number].call("facts").result())
                return
            except Lost:
                if attempt == TRIES - 1:
                    raise
                self._replace(number)

    def _refuse(self, facts: Mapping[str, str]) -> None:
        """Raise Mixed for a machine whose bits may be others."""
        other = [name for name in sorted({*facts, *self._facts} - {"host"}) if facts.get(name) != self._facts.get(name)]
        if other and not self._mixed:
            told = "; ".join(f"{name} is {facts.get(name)!r}, want {self._facts.get(name)!r}" for name in other)
            raise Mixed(f"{facts.get('host', 'a worker')}: {told}. Its bits may differ; mixed=True takes it all the same")

    def _take_late(self, call: Any, take: Callable[[int, Any], None]) -> None:
        number = self._late.pop(call)
        try:
            result = call.result()
        except (Lost, Failed):
            return
        take(number, result)
