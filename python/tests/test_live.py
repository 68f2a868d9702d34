"""Clients of a real `train serve`."""

import base64
import json
import os
import re
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import polyrhythm
import pytest
from polyrhythm import live

ROOT = Path(__file__).parents[2]
TRAIN = os.environ["POLYTEST_TRAIN"]
SERVE = ["--task", "quadruped", "--listen", "", "--set", "seed=7"]


class Server:
    """A `train serve`, its address, and what it prints."""

    def __init__(self, *arguments, address="127.0.0.1:0", run=SERVE):
        self.process = subprocess.Popen(
            [TRAIN, "serve", *run, "--grpc", address, *map(str, arguments)], stderr=subprocess.PIPE, text=True
        )
        self.printed = ""
        while not (found := re.search(r"serving at grpcs?://(\S+)", self.printed)):
            line = self.process.stderr.readline()
            assert line, self.printed
            self.printed += line
        self.address = found[1]

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=60)


@pytest.fixture
def serve():
    servers = []

    def start(*arguments, **more):
        servers.append(Server(*arguments, **more))
        return servers[-1]

    yield start
    for server in servers:
        server.end()


def same(a, b):
    """Whether two frames hold the same state, bit by bit."""
    arrays = lambda f: [f.episode, f.ns, f.reward, f.terminated, f.truncated, f.poses,  # noqa: E731
                        *f.channels.values(), *f.timestamps.values()]
    return a.n == b.n and all(x.tobytes() == y.tobytes() for x, y in zip(arrays(a), arrays(b), strict=True))


def test_lockstep_is_the_same_run_as_make_vec(serve, tmp_path):
    """A run whose every action and step is a client's gives the rewards and channels of these worlds in Python."""
    out = tmp_path / "run"
    page = ("--listen", "127.0.0.1:0")  # which wants the infos
    server = serve("--worlds", 2, "--paused", "--resolution", 0, "--channels", "gyro", "--out", out, *page)
    envs = polyrhythm.make_vec("quadruped", 2, seed=7)
    envs.reset()
    draw = np.random.default_rng(1)
    with live.connect(server.address, name="test") as run:
        d = run.description
        assert (run.role, d.task, d.worlds, len(d.bodies)) == ("operate", "quadruped", 2, 13)
        assert next(run).n == 0
        for n in range(1, 60):
            actions = draw.uniform(d.action_low, d.action_high, (2, 12)).astype(np.float32)
            numbers = [run.action(values, world=w) for w, values in enumerate(actions)]
            frame = run.step()
            _, rewards, terminations, truncations, infos = envs.step(actions)
            goes = ~(terminations | truncations)
            assert set(frame.infos) == set(d.info_names) and "reward/alive" in d.info_names
            for name, values in ((name, values) for name, values in frame.infos.items() if name in infos):
                np.testing.assert_array_equal(values[goes], infos[name][goes].astype(np.float32))
            terms = sum(values for name, values in frame.infos.items() if name.startswith("reward/"))
            np.testing.assert_allclose(terms, frame.reward, atol=1e-5)
            assert frame.n == n and not frame.channels["gyro"].dtype.hasobject
            assert [a.number for a in frame.applied if a.kind == "action"] == numbers
            np.testing.assert_array_equal(frame.reward, rewards.astype(np.float32))
            np.testing.assert_array_equal(frame.terminated, terminations)
            np.testing.assert_array_equal(frame.truncated, truncations)
            assert frame.poses.shape == (2, 13, 7) and np.isfinite(frame.poses).all()
            assert (frame.timestamps["gyro"] <= frame.ns).all()
    envs.close()
    server.end()
    replayed = subprocess.run([TRAIN, "replay", str(out)], capture_output=True, text=True, check=True)
    assert "identical, 59 steps of 2 worlds" in replayed.stdout


def test_clients_see_the_same_whenever_they_join(serve):
    server = serve("--paused", "--channels", "gyro")
    first = live.connect(server.address)
    seen = {}
    next(first)
    clients = []
    for n in range(1, 100):
        if n % 20 == 0:
            clients.append(live.connect(server.address))
            assert next(clients[-1]).key
        seen[n] = first.step()
        for client in clients:
            frame = next(client)
            assert frame.n == n and same(frame, seen[n])
    # One that comes back with its session gets what it has not had.
    back = clients.pop()
    back.close()
    for n in range(100, 110):
        seen[n] = first.step()
    again = live.connect(server.address, session=back.session)
    assert again.name == back.name and again.session == back.session
    assert same(next(again), seen[109])
    clients[0].rejoin()
    for n in range(100, 110):
        assert same(next(clients[0]), seen[n])
    assert clients[0].missed == 0
    for client in [first, again, *clients]:
        client.close()
    with pytest.raises(StopIteration):
        next(first)


def test_intents_and_refusals(serve):
    server = serve("--paused")
    with live.connect(server.address) as run:
        next(run)
        edits = [{"set_rate": {"name": "Capture", "rate": "25"}}]
        numbers = [
            run.push("trunk", force=(0, 200, 0), torque=(1, 0, 0), steps=3),
            run.command("velocity", [0.5, 0, 0]),
            run.command("velocity", None),
            run.action(np.zeros(12), steps=2),
            run.action(None),
            run.label(task="stand still", success=False),
            run.reset(world=0, seed=3),
            run.speed(2),
            run.edit(edits),
        ]
        assert numbers == list(range(1, 10))
        kinds = ["push", "command", "command", "action", "action", "label", "reset", "speed", "edit"]
        applied = []
        while len(applied) < len(kinds):
            applied += next(run).applied
        assert [(a.number, a.kind, a.client, a.error) for a in applied] == [
            (number, kind, run.name, "") for number, kind in zip(numbers, kinds, strict=True)
        ]
        for call, why in [
            (lambda: run.push("tail", force=(0, 0, 1)), "tail"),
            (lambda: run.push("trunk", force=(0, 1)), "force has 2 values, want 3 or none"),
            (lambda: run.action(np.full(12, np.nan)), "NaN"),
            (lambda: run.action(np.zeros(11)), "11 values, want 12"),
            (lambda: run.command("speed", [1]), "speed"),
            (lambda: run.label(), "neither task nor success is given"),
            (lambda: run.label(task="two\nlines"), "in one line of UTF-8"),
            (lambda: run.label(success=True, world=1), "world is 1"),
            (lambda: run.speed(1000), "speed is 1000, want 0.01 to 100"),
            (lambda: run.edit([]), "edits are empty"),
            (lambda: run.step(0), "steps is 0, want 1 to 1000"),
        ]:
            with pytest.raises(live.Refused, match=why):
                call()
        with pytest.raises(ValueError, match="world"):
            run.reset(world=-1)
        run.pause(False)
        n = next(run).n
        while next(run).n < n + 5:
            pass
        server.end()
        with pytest.raises(live.Lost):
            for _ in run:
                pass
        with pytest.raises(live.Lost):
            run.pause()


def test_clients_go_on_when_a_server_was_killed(serve, tmp_path):
    """A client goes on with its session when the run does, and with the same states."""
    server = serve("--out", tmp_path / "run", "--resolution", 0)
    with live.connect(server.address, name="test", patience=120) as run:
        frames = {}
        while len(frames) < 20:
            frame = next(run)
            frames[frame.n] = frame
        name, number, n = run.name, frame.number, frame.n
        run.command("velocity", [0.25, 0, 0])
        server.process.kill()
        server.process.communicate()
        again = serve("--resume", tmp_path / "run", address=server.address, run=["--listen", ""])
        for frame in run:
            if frame.n in frames:
                assert same(frame, frames[frame.n])
            if frame.number > number and frame.n > n + 20:
                break
        assert run.name == name
        before = frame
        assert run.push("trunk", velocity=(0, 0, 1)) > 0
        number = run.label(task="stand still", success=True)
        while not any(a.number == number for a in next(run).applied):
            pass
    again.end()
    replayed = subprocess.run([TRAIN, "replay", str(tmp_path / "run"), "--record", str(tmp_path / "data")],
        capture_output=True, text=True, check=True)
    assert "identical" in replayed.stdout
    labels = json.loads((tmp_path / "data" / "labels.json").read_text())["labels"]
    assert labels[0] == {"episode": 0, "success": True}
    assert (labels[1]["episode"], labels[1]["task"]) == (0, "stand still") and labels[1]["from_ns"] >= before.ns
    assert len(labels) == 2


def test_decisions_and_captures_go_on_when_a_server_was_killed(serve, tmp_path):
    """Decide and Capture begin again by themselves, without a frame being read."""
    server = serve("--out", tmp_path / "run", "--set", PLANNER)
    with (
        live.connect(server.address, name="mind", patience=60) as run,
        run.decide() as mind,
        run.capture("Robot", ["action"]) as capture,
    ):
        assert mind.wait(60) is not None
        captured = next(capture)
        server.process.kill()
        server.process.communicate()
        with pytest.raises(live.Lost):
            for _ in range(1000):  # the crash takes a moment to be seen
                mind.reply("0/0/Planner/0", {})
                time.sleep(0.01)
        again = serve("--resume", tmp_path / "run", address=server.address, run=["--listen", ""])
        later = mind.wait(60)
        while later.n <= captured.n:
            later = mind.wait(60)
        assert mind.reply(later, {"why": "it is there again"}) > 0
        assert next(c for c in capture if c.n > captured.n + 5).values["action"].shape == (12,)
    again.end()
    replayed = subprocess.run([TRAIN, "replay", str(tmp_path / "run")], capture_output=True, text=True, check=True)
    assert "identical" in replayed.stdout


def test_a_client_that_reads_answers_pings(serve):
    """The server asks whether it reads after 0.1 s, and would send it no frames 1 s later: a step would not return."""
    server = serve("--paused")
    with live.connect(server.address) as run:

        def steps():
            answered = [None]
            while len(answered) < 15:
                run.step()
                if run._pong is not answered[-1]:
                    answered.append(run._pong)

        stepping = threading.Thread(target=steps, daemon=True)
        stepping.start()
        stepping.join(60)
        assert not stepping.is_alive()


def test_tokens_and_certificates(serve, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("watch watch-watch-watch-watch\noperate operate-operate-operate\n")
    server = serve("--tokens", tokens, "--grpc", "0.0.0.0:0")
    address = "127.0.0.1:" + server.address.rpartition(":")[2]
    fingerprint = re.search(r"SHA-256 ([0-9a-f]{64})", server.printed)[1]
    with pytest.raises(live.Lost, match="the certificate of .* has the SHA-256"):
        live.connect(address, token="watch-watch-watch-watch", fingerprint="0" * 64)
    with pytest.raises(live.Lost, match="the token is missing or wrong"):
        live.connect(address, token="nobody-nobody-nobody", fingerprint=fingerprint)
    with pytest.raises(live.Lost, match="no answer"):
        live.connect(address, timeout=1)
    with live.connect(address, token="watch-watch-watch-watch", fingerprint=fingerprint) as run:
        assert run.role == "watch" and next(run).key
        with pytest.raises(live.Refused, match="pause needs the role operate"):
            run.pause()


def test_a_decoder_refuses_garbage():
    draw = np.random.default_rng(1)
    for size in [0, 1, 5, 100]:
        for _ in range(50):
            with pytest.raises(ValueError):
                live.Decoder().update(draw.bytes(size))


RUNNERS = "{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500}, {name: Planner, rate: 5}"
PLANNER = f"runners=[{RUNNERS}]"


def test_frames_are_those_of_the_vectors():
    """The decoder has what Go's has: `go test ./live -run Vectors -update` writes them."""
    decoder = live.Decoder()
    for vector in json.loads((ROOT / "live/testdata/frames.json").read_text()):
        frame = decoder.update(base64.b64decode(vector["update"]))
        if "state" not in vector:
            assert frame is None
            continue
        want = vector["state"]
        got = (frame.n, frame.number, decoder.missed, frame.key, frame.paused, frame.speed)
        assert got == tuple(want[name] for name in ("n", "number", "missed", "key", "paused", "speed"))
        for i, world in enumerate(want["worlds"]):
            of = (frame.episode[i], frame.ns[i], frame.terminated[i], frame.truncated[i], frame.reward[i])
            assert of == tuple(world[name] for name in ("episode", "ns", "terminated", "truncated", "reward"))
            values = [frame.poses[i].ravel(), *(c[i] for c in frame.channels.values())]
            stamps = [frame.ns[i], *(t[i] for t in frame.timestamps.values())]
            assert stamps == world["stamps"]
            for mine, theirs in zip(values, world["values"], strict=True):
                theirs = np.array(theirs, np.float64)
                np.testing.assert_array_equal(mine, theirs)
                assert (np.signbit(mine) == np.signbit(theirs)).all()


def test_captures_have_what_the_frames_have(serve):
    """Every boundary once with its exact time, and the values of the frames where they are at the same instant."""
    server = serve("--paused", "--worlds", 2, "--resolution", 0, "--channels", "gyro")
    with live.connect(server.address) as run:
        d = run.description
        assert d.capture_runners == ("Robot", "Capture", "Sensors")
        assert d.capture_values["channel/gyro"] == 3 and d.capture_values["poses"] == 13 * 7
        frames = {0: next(run)}
        values = ["channel/gyro", "poses", "alpha"]
        with run.capture("Sensors", values) as sensors, run.capture("Robot", every=5) as robot:
            for n in range(1, 31):
                frames[n] = run.step()
            captured = [next(sensors) for _ in range(2 * 300)]
            for w in range(2):
                own = [c for c in captured if c.world == w]
                assert [(c.k, c.ns) for c in own] == [(k, 2_000_000 * k) for k in range(300)]
                for c in own:
                    assert c.dt_ns == 2_000_000 and c.beat == (c.k % 50 == 0) and c.values["alpha"][0] == c.k % 10 / 10
                    assert c.timestamps["poses"] == c.ns and c.values["poses"].shape == (13 * 7,)
                    frame = frames[c.n]
                    if c.k % 10 == 0:
                        assert c.ns == frame.ns[w] and c.timestamps["channel/gyro"] == frame.timestamps["gyro"][w]
                        np.testing.assert_array_equal(c.values["poses"], frame.poses[w].ravel())
                        np.testing.assert_array_equal(c.values["channel/gyro"], frame.channels["gyro"][w])
            whole = [next(robot) for _ in range(12)]
            assert [c.k for c in whole] == [0, 0, 5, 5, 10, 10, 15, 15, 20, 20, 25, 25]
            assert all({name: len(v) for name, v in c.values.items()} == d.capture_values for c in whole)
            assert sensors.missed == robot.missed == 0
        with pytest.raises(StopIteration):
            next(robot)
        for call, why in [
            (lambda: run.capture("Lidar"), "no runner \"Lidar\", want one of Robot, Capture, Sensors"),
            (lambda: run.capture("Robot", ["gyro"]), "values are of \"gyro\""),
            (lambda: run.capture("Robot", worlds=[2]), "world is 2, want 0 to 1"),
            (lambda: run.capture("Robot", every=2_000_000), "every is 2000000, want 1 to 1000000"),
        ]:
            with pytest.raises(live.Refused, match=why):
                call()
        with run.capture("Robot") as last:
            server.end()
            with pytest.raises(live.Lost):
                next(last)


def test_pictures_are_in_frames(serve):
    """The pictures of a camera: colours and labels as they are captured, depths to 4 mm."""
    camera = "{name: above, width: 24, height: 16, kinds: [rgb, segmentation, depth]}"
    gantry = Path(__file__).parents[2] / "configs/described/gantry.yaml"
    server = serve("--paused", "--worlds", 2, "--channels", "front",
                   "--set", f"sensors=[{{name: front, runner: Robot, camera: {camera}}}]", run=("--config", gantry, "--listen", ""))
    with live.connect(server.address) as run:
        (front,) = run.description.channels
        p = front.picture
        assert (p.width, p.height, p.kinds) == (24, 16, ("rgb", "segmentation", "depth"))
        next(run)
        with run.capture("Robot", ["channel/front"]) as capture:
            frames = [run.step() for _ in range(3)]
            exact = {(c.world, c.values["channel/front"].tobytes()): c for c in (next(capture) for _ in range(6))}
        seen = 0
        for (world, _), c in exact.items():
            for frame in frames:
                if c.timestamps["channel/front"] == frame.timestamps["front"][world]:
                    want = c.values["channel/front"].reshape(16, 24, 5)
                    got = frame.channels["front"][world].reshape(16, 24, 5)
                    np.testing.assert_allclose(got[..., :4], want[..., :4], rtol=0, atol=1e-12)
                    np.testing.assert_allclose(got[..., 4], want[..., 4], rtol=0, atol=0.5 / 255 + 1e-9)
                    assert want[..., :3].max() > 0.2 and len(np.unique(want[..., 3])) > 1
                    seen += 1
        assert seen >= 2


def test_decisions(serve, tmp_path):
    """Good replies are applied; those that break the schema, come late, twice or for another episode are not."""
    out = tmp_path / "run"
    server = serve("--paused", "--set", PLANNER, "--channels", "gyro", "--decision-timeout", "1s", "--out", out)
    with live.connect(server.address, name="mind") as run:
        schema = run.description.reply_schema
        velocity = schema["properties"]["commands"]["properties"]["velocity"]
        assert set(velocity["required"]) == {"lin_vel_x", "lin_vel_y", "ang_vel_z"}
        events = {}

        def step(steps):
            frame = run.step(steps)
            for e in frame.decisions:
                events.setdefault(e.id, []).append((e.event, e.reason))
            return frame

        next(run)
        with run.decide() as mind:
            step(11)
            first = mind.wait(60)
            of = (first.id, first.world, first.episode, first.ns, first.n)
            assert of == ("0/0/Planner/200000000", 0, 0, 200_000_000, 10)
            assert first.poses.shape == (13, 7) and first.channels["gyro"].shape == (3,) and first.last is None
            assert first.within_ns == 1_000_000_000
            for answer, why in [
                ("I would walk.", "invalid character"),
                ({"commands": {"velocity": {"lin_vel_x": 99, "lin_vel_y": 0, "ang_vel_z": 0}}}, "99"),
                ({"speed": 1}, "unknown field"),
                ({"action": [0] * 11}, "11 values, want 12"),
            ]:
                with pytest.raises(live.Refused, match=why):
                    mind.reply(first, answer)
            velocity = {"lin_vel_x": 0.25, "lin_vel_y": 0, "ang_vel_z": 0}
            walk = {"commands": {"velocity": velocity}, "why": "the way is free"}
            number = mind.reply(first, walk)
            frame = step(1)
            assert [(a.number, a.kind, a.error, a.decision) for a in frame.applied if a.number >= number] == [
                (number, "reply", "", first.id), (number + 1, "step", "", "")
            ]
            mind.reply(first.id, walk)  # again
            step(1)
            assert events[first.id][-2:] == [("applied", ""), ("refused", "late: the decision has been applied")]
            step(8)
            late = mind.wait(60)
            assert late.last == walk
            step(60)
            mind.reply(late, walk)
            step(1)
            assert events[late.id][:2] == [("asked", ""), ("timed out", "no reply within 1s")]
            old = mind.wait(60)
            run.reset()
            step(1)
            mind.reply(old, walk)
            step(1)
            assert events[old.id][-1][1].startswith("wrong episode: the decision is of episode 0, the world is in 1")
            mind.reply("0/1/Planner/7", walk)
            step(1)
            assert events["0/1/Planner/7"] == [("refused", "stale: the decision is not the one that waits for a reply")]
            with pytest.raises(live.Refused, match="want that of a decision"):
                mind.reply("7", walk)
        while mind.wait() is not None:  # those that had come
            pass
        with pytest.raises(live.Refused, match="world is 3"):
            run.decide([3])
    server.end()
    done = subprocess.run([TRAIN, "replay", str(out)], capture_output=True, text=True)
    assert "identical" in done.stdout, done.stderr  # without anybody to ask
    command = [TRAIN, "decisions", str(out), "--id", first.id]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    events = re.findall(r"(?m)^step \d+ +(asked|applied|refused)", said)
    assert events == ["asked"] + 4 * ["refused"] + ["applied", "refused"]


def test_decisions_without_a_planner(serve):
    server = serve("--paused")
    with live.connect(server.address) as run:
        assert run.description.reply_schema is None
        with pytest.raises(live.Refused, match="the run has no runner Planner"):
            run.decide()


def test_decisions_end_with_the_server(serve):
    server = serve("--paused", "--set", PLANNER)
    with live.connect(server.address) as run, run.decide() as mind:
        server.end()
        with pytest.raises(live.Lost):
            mind.wait(60)
        with pytest.raises(live.Lost):
            mind.reply("0/0/Planner/0", "{}")
