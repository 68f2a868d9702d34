"""Worlds driven by the wall clock."""

import time

import numpy as np
import polyrhythm
import pytest


def worlds(**arguments):
    envs = polyrhythm.make_vec("Hopper-v5", 3, seed=1, **arguments)
    envs.reset(seed=1)
    return envs


def zeros(observations):
    return np.zeros((len(observations), 3), np.float32)


def test_driven_worlds_do_what_stepped_worlds_do():
    with_frames, alone = worlds(), worlds()
    policy = lambda observations: np.tanh(observations[:, :3]).astype(np.float32)  # noqa: E731
    steps, observations = 0, alone._observation.copy()
    for frame in polyrhythm.drive(with_frames, policy, mode="sim_high_performance"):
        assert frame.delta == frame.dropped == frame.skipped == 0
        for result in frame.results:
            expected = alone.step(policy(observations))
            observations = expected[0].copy()
            steps += 1
        if frame.results:
            for got, want in zip(result[:4], expected[:4], strict=True):
                np.testing.assert_array_equal(got, want)
        if steps >= 50:
            break
    assert frame.time == pytest.approx(steps / 125)
    with_frames.close(), alone.close()


def test_sim_realtime_is_not_ahead_of_the_wall_clock_and_has_free_updates():
    envs = worlds()
    calls = []
    begun = time.monotonic()
    for frame in polyrhythm.drive(
        envs,
        lambda o: calls.append("step") or zeros(o),
        on_free_pre_update=lambda delta: calls.append(("pre", delta)),
        on_free_post_update=lambda delta: calls.append(("post", delta)),
        fps=100,
    ):
        assert frame.time <= time.monotonic() - begun
        assert 0 <= frame.alpha < 1 and frame.backlog >= 0 and frame.skipped == 0
        assert calls[0] == ("pre", frame.delta) and calls[-1] == ("post", frame.delta)
        assert calls[1:-1] == ["step"] * len(frame.results)
        calls.clear()
        if frame.time > 0.1:
            break


def test_game_realtime_skips_what_it_cannot_simulate():
    envs = worlds(max_episode_steps=-1)
    skipped = steps = 0
    for frame in polyrhythm.drive(envs, zeros, mode="game_realtime", max_steps=1, fps=20):
        skipped, steps = skipped + frame.skipped, steps + len(frame.results)
        assert frame.dropped == 0 and len(frame.results) <= 1
        if frame.time > 0.3:
            break
    assert skipped > steps > 0


@pytest.mark.parametrize("where", ["policy", "pre", "post"])
def test_an_error_of_a_callback_ends_the_iterator(where):
    envs = worlds()

    def fail(_):
        raise KeyError(where)

    frames = polyrhythm.drive(
        envs,
        fail if where == "policy" else zeros,
        on_free_pre_update=fail if where == "pre" else None,
        on_free_post_update=fail if where == "post" else None,
        mode="sim_high_performance",
    )
    with pytest.raises(KeyError, match=where):
        for _ in range(3):
            next(frames)
    with pytest.raises(StopIteration):
        next(frames)
    envs.step(zeros(np.zeros((3, 11))))  # they go on without it


def test_worlds_closed_in_a_callback():
    envs = worlds()
    frames = polyrhythm.drive(envs, zeros, mode="sim_high_performance", on_free_pre_update=lambda _: envs.close())
    with pytest.raises(polyrhythm.Error, match="closed"):
        next(frames)


def test_what_drive_refuses(tmp_path):
    envs = worlds()
    for arguments, match in [
        ({"mode": "fast"}, 'mode is "fast", want one of'),
        ({"fps": -1}, "fps is -1, want at least 0"),
        ({"max_steps": 0}, "max_steps is 0, want more than 0"),
        ({"max_elapsed": 0}, "max_elapsed is 0, want more than 0"),
        ({"budget": -1}, "budget is -1, want at least 0"),
    ]:
        with pytest.raises(ValueError, match=match):
            polyrhythm.drive(envs, zeros, **arguments)
    envs.close()
    fresh = polyrhythm.make_vec("Hopper-v5", 1)
    with pytest.raises(Exception, match="never been reset"):
        polyrhythm.drive(fresh, zeros)
    fresh.close()
    recorded = worlds(dataset=tmp_path / "dataset")
    with pytest.raises(ValueError, match="cannot have gaps"):
        polyrhythm.drive(recorded, zeros, mode="game_realtime")
    recorded.close()
