"""Teams of worker processes: what is lost is done again, with the same bytes."""

import random

import pytest
from polyrhythm._processes import Failed, Lost, Processes
from polyrhythm._team import TRIES, Mixed, Team

NAMES = "abc"
HERE = {"processor": "this"}


def team(folder, executor=None, **options):
    jobs = [(name, str(folder)) for name in NAMES]
    return Team(executor or Processes(), "team_worker:Chain", jobs, facts=HERE, **options)


def run(folder, orders=6, **options):
    """The results of each order, and how many workers were lost."""
    safe = {}
    with team(folder, restore=lambda number: safe.get(number), **options) as workers:
        results = []
        for order in range(orders):
            got = {}
            workers.each("do", order, take=got.__setitem__)
            safe.update(got)
            results.append([got[number] for number in range(len(NAMES))])
        return results, workers.lost


def test_lost_workers_change_no_byte(tmp_path):
    undisturbed, lost = run(tmp_path)
    assert lost == 0 and len({result for results in undisturbed for result in results}) == 18
    choose = random.Random(1)
    kills = {(choose.choice(NAMES), choose.randrange(6)) for _ in range(5)}
    for log in tmp_path.glob("did-*"):
        log.unlink()
    for name, order in kills:
        (tmp_path / f"kill-{name}-{order}").touch()
    assert run(tmp_path) == (undisturbed, len(kills))
    for name in NAMES:  # a new worker goes on where the lost one was
        assert (tmp_path / f"did-{name}").read_text().split() == list("012345")


def test_a_job_that_loses_every_worker_ends_the_run(tmp_path):
    class Killing(Processes):
        def start(self, *arguments):
            (tmp_path / "kill-b-0").touch()
            return super().start(*arguments)

    with team(tmp_path, Killing()) as workers:
        with pytest.raises(Lost, match=r"the worker process \d+ ended with -9"):
            workers.each("do", 0, take=lambda number, result: None)
        assert workers.lost == TRIES - 1


def test_what_a_worker_raises_is_told(tmp_path):
    with team(tmp_path) as workers, pytest.raises(Failed, match="ValueError: an order that cannot be done"):
        workers.each("do", "raise", take=lambda number, result: None)
    with pytest.raises(Failed, match="TypeError"):
        Team(Processes(), "team_worker:Chain", [("a", None)], facts=HERE)


def test_other_machines_are_refused_by_name(tmp_path):
    (tmp_path / "other-b").touch()
    with pytest.raises(Mixed, match="here: processor is 'another', want 'this'"):
        team(tmp_path)
    assert run(tmp_path, orders=1, mixed=True)[1] == 0


class Scripted:
    """An executor whose workers' calls are those of a list, in that order."""

    def __init__(self, calls):
        self.calls = calls

    def start(self, maker, *arguments):
        return self

    def stop(self):
        pass

    def call(self, method, *arguments):
        return Scripted.Call(HERE) if method == "facts" else self.calls.pop(0)

    def wait(self, calls):
        return [call for call in calls if call.ready()]

    class Call:
        def __init__(self, value, lost=False, ready=True):
            self.value, self.lost, self.waits = value, lost, not ready

        def ready(self):
            ready, self.waits = not self.waits, False
            return ready

        def result(self):
            if self.lost:
                self.lost = False
                raise Lost("no answer in time")
            return self.value


def test_what_a_lost_worker_sends_after_all_is_taken_too():
    calls = [Scripted.Call("late", lost=True), Scripted.Call("again", ready=False)]
    taken = []
    with Team(Scripted(calls), "", [()], facts=HERE) as workers:
        workers.each("do", take=lambda number, result: taken.append((number, result)))
    assert taken == [(0, "late"), (0, "again")]
