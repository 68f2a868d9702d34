"""Teams of worker processes: what is lost is done again, with the same bytes."""

import random
import re
import signal
import time
from types import SimpleNamespace

import pytest
from polyrhythm import _team
from polyrhythm._processes import Failed, Lost, Processes
from polyrhythm._team import Mixed, Team
from shared import SLOW
from team_worker import LONG

NAMES = "abc" if SLOW else "ab"
KILLS = 5 if SLOW else 2
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
    assert lost == 0 and len({result for results in undisturbed for result in results}) == 6 * len(NAMES)
    choose = random.Random(1)
    kills = {(choose.choice(NAMES), choose.randrange(6)) for _ in range(KILLS)}
    for log in tmp_path.glob("did-*"):
        log.unlink()
    for name, order in kills:
        (tmp_path / f"kill-{name}-{order}").touch()
    assert run(tmp_path) == (undisturbed, len(kills))
    for name in NAMES:  # a new worker goes on where the lost one was
        assert (tmp_path / f"did-{name}").read_text().split() == list("012345")


def test_a_job_that_loses_every_worker_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(_team, "TRIES", 2)

    class Killing(Processes):
        def start(self, *arguments):
            (tmp_path / "kill-b-0").touch()
            return super().start(*arguments)

    with team(tmp_path, Killing()) as workers:
        with pytest.raises(Lost, match=r"the worker process \d+ ended with -9"):
            workers.each("do", 0, take=lambda number, result: None)
        assert workers.lost == 1


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

    placed, timeout = True, 600

    def __init__(self, calls, facts=None):
        self.calls, self.facts = calls, facts or [Scripted.Call(HERE)]

    def start(self, maker, *arguments):
        return self

    def stop(self):
        pass

    def silence(self):
        return 0.0

    def call(self, method, *arguments):
        return (self.facts if method == "facts" else self.calls).pop(0)

    def wait(self, calls, seconds):
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
    with Team(Scripted(calls, [Scripted.Call(HERE) for _ in range(2)]), "", [()], facts=HERE) as workers:
        workers.each("do", take=lambda number, result: taken.append((number, result)))
    assert taken == [(0, "late"), (0, "again")]


def test_a_worker_that_is_stopped_is_replaced(tmp_path, monkeypatch, capsys):
    """With a clock that goes on by the limit when the worker has stopped: whoever is asked then counts as lost."""
    undisturbed, _ = run(tmp_path, orders=3)
    clock = lambda: time.monotonic() + 1000 * (tmp_path / "stopped").exists()
    monkeypatch.setattr(_team, "time", SimpleNamespace(monotonic=clock))
    (tmp_path / "stop-b-1").touch()
    results, lost = run(tmp_path, orders=3)
    assert results == undisturbed and lost in (1, 2)
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("polyrhythm")]
    assert len(said) == lost
    assert f"polyrhythm: worker 2 of {len(NAMES)} is lost and replaced: it has not answered for 600 s" in said


def test_a_stopped_worker_is_told_until_it_goes_on(tmp_path):
    """It is not lost, and nothing is done again. SIGCONT follows what is told."""
    undisturbed, _ = run(tmp_path, orders=3)
    executor, said = Processes(timeout=100), []

    def tell(text):
        said.append(text)
        if text.startswith("waiting"):
            started[1].process.send_signal(signal.SIGCONT)

    started, plain = [], executor.start
    executor.start = lambda *arguments: started.append(plain(*arguments)) or started[-1]
    (tmp_path / "stop-b-1").touch()
    assert run(tmp_path, executor=executor, orders=3, tell=tell) == (undisturbed, 0)
    waiting = rf"waiting for worker 2 of {len(NAMES)}, silent for [34] s: stopped, or not reached"
    assert re.fullmatch(f"{waiting}; after 100 s it counts as lost", said[0])
    assert said[1:] == [f"worker 2 of {len(NAMES)} goes on"]


def test_a_worker_that_takes_long_is_not_told(tmp_path, monkeypatch):
    undisturbed, _ = run(tmp_path, orders=2)
    monkeypatch.setattr(_team, "STILL", LONG / 2)
    (tmp_path / "long-b-1").touch()
    said = []
    assert run(tmp_path, orders=2, tell=said.append) == (undisturbed, 0)
    assert said == []


def test_who_was_stopped_itself_does_not_blame_others():
    """Silence counts while this process runs: here it is stopped for 60 s, and its worker too."""
    executor = Scripted([Scripted.Call("done", ready=False)])
    executor.now, executor.silence = 0, lambda: executor.now
    plain = executor.wait
    executor.wait = lambda calls, seconds: setattr(executor, "now", executor.now + 60) or plain(calls, seconds)
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_team, "time", SimpleNamespace(monotonic=lambda: executor.now))
        with Team(executor, "", [()], facts=HERE, tell=said.append) as workers:
            workers.each("do", take=lambda number, result: None)
    assert said == []


def test_a_stopped_process_holds_nobody_up():
    """Nor does one whose pipe is full."""
    worker = Processes().start("builtins:str", "")
    worker.process.send_signal(signal.SIGSTOP)
    call = worker.call("join", ["x" * (8 << 20)])
    assert Processes().wait([call], 0.1) == []
    worker.stop()
    with pytest.raises(Lost, match="ended with -9"):
        call.result()


def test_workers_without_a_machine_are_told(monkeypatch, capsys):
    """A worker that waits for one is not lost, however long that takes."""

    class Crowded(Scripted):
        placed, now = False, 0

        def wait(self, calls, seconds):
            self.now += 300
            self.placed = self.now == 1500
            return super().wait(calls, seconds) if self.placed else []

        def room(self, count):
            return f"no machine for {count}"

    executor = Crowded([])
    monkeypatch.setattr(_team, "time", SimpleNamespace(monotonic=lambda: executor.now))
    assert Team(executor, "", [()], facts=HERE).lost == 0
    assert capsys.readouterr().err == 4 * "polyrhythm: waiting for 1 of 1 workers: no machine for 1\n"


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_limit_that_is_none(timeout):
    with pytest.raises(ValueError, match="want seconds above 0, or None for no limit"):
        Processes(timeout)
