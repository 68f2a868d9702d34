"""The example that lets a language model decide, against an endpoint whose every answer is scripted."""

import contextlib
import json
import os
import queue
import runpy
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from polyrhythm import live
from shared import ROOT, serve, train

RATES = {"Robot": 50, "Capture": 30, "Sensors": 500, "Planner": 5}
PLANNER = "runners=[" + ", ".join(f"{{name: {name}, rate: {rate}}}" for name, rate in RATES.items()) + "]"


def walk(forward):
    velocity = {"lin_vel_x": forward, "lin_vel_y": 0, "ang_vel_z": 0}
    return json.dumps({"commands": {"velocity": velocity}, "why": "the way is free"})


class Endpoint(ThreadingHTTPServer):
    """A chat-completion endpoint that does what `script` says, in order, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.asked = queue.SimpleQueue(), []
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):  # noqa: N802
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        step = self.server.script.get()  # without a limit: its error would be printed among later tests' lines
        if callable(step):
            step = step()
        if isinstance(step, int):
            return self.answer(step, b"{}")
        if isinstance(step, bytes):
            return self.answer(200, step)
        self.answer(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": step}}]}).encode())

    def answer(self, status, data):
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            pass  # the client has given up

    def log_message(self, *_):
        pass


class Mind:
    """The example, and the lines that it prints."""

    def __init__(self, address, url, **options):
        flags = [str(x) for key, value in options.items() for x in (f"--{key}", value)]
        self.process = subprocess.Popen(
            [sys.executable, ROOT / "python/examples/language_mind.py", "--address", address, "--url", url,
             "--model", "fake", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "OPENAI_API_KEY": "a-key", "no_proxy": "127.0.0.1"},
        )

    def line(self):
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return line.strip()

    def end(self):
        self.process.kill()
        self.process.communicate(timeout=60)


@pytest.fixture
def parts(tmp_path, request):
    """A paused run, one that steps it, the endpoint, and the example."""
    out = tmp_path / "run"
    server, address = serve("--task", "quadruped", "--paused", "--set", PLANNER, "--out", out)
    endpoint, mind, run = Endpoint(), None, None
    try:
        run = live.connect(address)
        next(run)
        options = {"retries": 2, "backoff": 0.01, "timeout": 30, **getattr(request, "param", {})}
        mind = Mind(address, endpoint.url, **options)
        decides = []
        while not decides:  # until the example decides
            decides = [a for a in next(run).applied if a.kind == "decide"]
        mind.server = server
        yield run, endpoint, mind
    finally:
        if mind is not None:
            mind.end()
        if run is not None:
            run.close()
        server.terminate()
        server.communicate(timeout=60)
        endpoint.shutdown()
        endpoint.server_close()
    assert "identical" in train("replay", out).stdout  # without the model


def due(run):
    """Step until a decision is asked, and return what has happened to decisions."""
    events = []
    for _ in range(30):
        events += run.step().decisions
        if any(e.event == "asked" for e in events):
            return events
    raise AssertionError("no decision is due")


def test_a_model_decides(parts):
    run, endpoint, mind = parts
    for script, applied, asked in [
        ([walk(0.5)], walk(0.5), 1),
        (["```json\n" + walk(0.25) + "\n```"], walk(0.25), 1),
        (["I would walk on.", walk(0.75)], walk(0.75), 2),  # broken JSON, then corrected
        ([walk(99), '{"speed": 1}', walk(0.7)], walk(0.7), 3),  # outside the schema
        ([500, 503, walk(0.5)], walk(0.5), 3),
        ([429, walk(0.25)], walk(0.25), 2),
        ([b"<html>", b'{"choices": []}', walk(0.5)], walk(0.5), 3),  # no completions
        ([400, walk(0.75)], walk(0.75), 2),  # an endpoint without response_format
        ([500, 500, 500], None, 3),
        ([401], None, 1),
    ]:
        before = len(endpoint.asked)
        for step in script:
            endpoint.script.put(step)
        ident = next(e.id for e in due(run) if e.event == "asked")
        line = mind.line()
        requests = endpoint.asked[before:]
        assert len(requests) == asked, line
        if applied is None:
            assert line.startswith(f"{ident}: no decision: ")
            run.reset()  # withdraws it, and another one is due as the episode begins
            endpoint.script.put(walk(0))
            events = list(run.step().decisions)  # the reply may have come before this step
            assert mind.line().endswith(walk(0))
            events += run.step().decisions
            assert [e.event for e in events if e.id == ident] == ["withdrawn"]
            assert [e.event for e in events if e.id != ident] == ["asked", "applied"]
            continue
        assert line == f"{ident}: {applied}"
        events = [(e.id, e.event) for e in run.step().decisions if e.event != "refused"]
        assert events == [(ident, "applied")]
        path, headers, body = requests[0]
        assert path == "/v1/chat/completions" and body["model"] == "fake"
        assert headers["Authorization"] == "Bearer a-key"
        assert body["response_format"]["json_schema"]["schema"] == run.description.reply_schema
        told = json.loads(body["messages"][1]["content"])
        assert told["seconds_since_the_episode_began"] >= 0 and "trunk" in told["poses"] and told["observation"]
        if script[0] == "I would walk on.":
            assert "refused" in requests[1][2]["messages"][-1]["content"]
        if script[0] == 400:
            assert "response_format" not in requests[1][2]


def test_an_answer_for_an_episode_that_is_over_changes_nothing(parts):
    run, endpoint, mind = parts
    thought = threading.Event()
    endpoint.script.put(lambda: thought.wait(60) and walk(0.5))
    old = next(e.id for e in due(run) if e.event == "asked")
    while not endpoint.asked:
        time.sleep(0.01)
    run.reset()
    events = run.step().decisions
    assert (old, "withdrawn") in [(e.id, e.event) for e in events]
    thought.set()
    assert mind.line() == f"{old}: {walk(0.5)}"
    endpoint.script.put(walk(0.25))
    new = next(e.id for e in events if e.event == "asked")
    assert mind.line() == f"{new}: {walk(0.25)}"
    events = [(e.id, e.event, e.reason) for e in run.step().decisions]
    assert events[0][:2] == (old, "refused") and events[0][2].startswith("wrong episode")
    assert events[1][:2] == (new, "applied")


@pytest.mark.parametrize("parts", [{"timeout": 0.2}], indirect=True)
def test_an_endpoint_that_answers_too_late(parts):
    """The time-out ends each attempt, and the world goes on."""
    run, endpoint, mind = parts
    late = threading.Event()
    for _ in range(3):
        endpoint.script.put(lambda: late.wait(60) and walk(0.5))
    ident = next(e.id for e in due(run) if e.event == "asked")
    assert mind.line() == f"{ident}: no decision: no answer in 0.2 s"
    late.set()
    for _ in range(6000):  # the endpoint may see the last one later
        if len(endpoint.asked) == 3:
            break
        time.sleep(0.01)
    assert len(endpoint.asked) == 3
    assert {e.event for e in run.step(1000).decisions if e.id == ident} <= {"timed out", "withdrawn"}


def test_the_example_ends_with_the_run(parts):
    run, _, mind = parts
    run.close()
    mind.server.terminate()
    _, problems = mind.process.communicate(timeout=60)
    assert mind.process.returncode == 1 and problems.startswith("the run has ended: ") and problems.count("\n") == 1


def test_the_example_ends_with_a_run_that_ends_before_it_decides(monkeypatch):
    def lost():
        raise live.Lost("the server has ended")

    run = SimpleNamespace(decide=lost)
    monkeypatch.setattr(live, "connect", lambda *_, **__: contextlib.nullcontext(run))
    monkeypatch.setattr(sys, "argv", ["language_mind.py", "--url", "http://127.0.0.1", "--model", "fake"])
    main = runpy.run_path(str(ROOT / "python/examples/language_mind.py"))["main"]
    with pytest.raises(SystemExit, match="^the run has ended: the server has ended$"):
        main()


@pytest.mark.parametrize("parts", [{"decisions": 1}], indirect=True)
def test_the_example_ends_after_some_decisions(parts):
    run, endpoint, mind = parts
    endpoint.script.put(walk(0.5))
    ident = next(e.id for e in due(run) if e.event == "asked")
    said, problems = mind.process.communicate(timeout=60)
    assert mind.process.returncode == 0 and said == f"{ident}: {walk(0.5)}\n", problems
