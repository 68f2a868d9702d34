"""Observations by group."""


import gymnasium
import numpy as np
import polyrhythm
import pytest
from gymnasium.utils.env_checker import check_env

GROUPS = """
task: {name: own}
runners: [{name: Robot, rate: 50}]
scene: {models: [{file: "builtin:quadruped.xml"}]}
start: {keyframe: home}
episode: 100ms
actions: [{term: joint_position, scale: 0.3}]
observations:
  policy: [{term: base_ang_vel}, {term: last_action}]
  critic: [{term: base_lin_vel}]
terminations: [{term: time_out}]
recording: {enabled: false}
"""


def test_a_world_by_group(tmp_path):
    config = tmp_path / "own.yaml"
    config.write_text(GROUPS)
    env = polyrhythm.make(config=config)
    assert env.observation_groups == {"policy": slice(0, 15), "critic": slice(15, 18)}
    env = polyrhythm.by_group(env)
    assert {name: space.shape for name, space in env.observation_space.items()} == {"policy": (15,), "critic": (3,)}
    check_env(env, skip_render_check=True)


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_worlds_by_group(mode):
    plain = polyrhythm.make_vec(text=GROUPS, num_envs=3, seed=1, autoreset_mode=mode)
    envs = polyrhythm.by_group(polyrhythm.make_vec(text=GROUPS, num_envs=3, seed=1, autoreset_mode=mode))
    assert isinstance(envs.single_observation_space, gymnasium.spaces.Dict)
    whole, _ = plain.reset(seed=4)
    parts, _ = envs.reset(seed=4)
    for _ in range(8):
        assert parts in envs.observation_space
        assert (np.concatenate([parts["policy"], parts["critic"]], axis=1) == whole).all()
        whole, *_, infos = plain.step(np.zeros(plain.action_space.shape, np.float32))
        parts, *_, infos_by_group = envs.step(np.zeros(plain.action_space.shape, np.float32))
        assert ("final_obs" in infos) == ("final_obs" in infos_by_group)
        if "final_obs" in infos:
            for row, part in zip(infos["final_obs"], infos_by_group["final_obs"]):
                assert (row is None) == (part is None)
                assert row is None or (part["critic"] == row[15:]).all()


def test_one_group():
    envs = polyrhythm.by_group(polyrhythm.make_vec("InvertedPendulum-v5", num_envs=2))
    assert {name: space.shape for name, space in envs.observation_space.items()} == {"policy": (2, 4)}


def test_pictures_among_the_values(tmp_path):
    terrain = "terrain: {num_rows: 1, num_cols: 1, sub_terrains: [{kind: wave}]}"
    text = GROUPS.replace("scene: {", f"scene: {{{terrain}, ").replace(
        "[{term: base_lin_vel}]", "[{term: sensor, channel: below}]")
    text += "sensors: [{name: below, runner: Robot, history: 2, scan: {frame: body/trunk, size: [0.4, 0.2]}}]\n"
    envs = polyrhythm.make_vec(text=text, num_envs=2)
    assert envs.observation_pictures == [(slice(15, 30), (3, 5, 1)), (slice(30, 45), (3, 5, 1))]
    config = tmp_path / "own.yaml"
    config.write_text(text)
    assert polyrhythm.make(config=config).observation_pictures == envs.observation_pictures
    assert polyrhythm.make("Reacher-v5").unwrapped.observation_pictures == []
