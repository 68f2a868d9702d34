"""A policy that the Go trainer made acts in Python as it does there."""

import json

import numpy as np
import pytest
from shared import ROOT, learn, train

import polyrhythm

EPISODES = 10


def trained(task, **keys):
    """A fixture: the run folder of a short training."""

    @pytest.fixture(scope="module")
    def folder(tmp_path_factory):
        few = {"steps": 1536, "segment": 64, "epochs": 2, **keys}
        return learn(tmp_path_factory.mktemp("policy") / "run", task, worlds=6, training=few)

    return folder


run = trained("HalfCheetah-v5")
lander = trained("LunarLander-v3")
recurrent = trained("Hopper-v5", recurrent=9)


def evaluate(policy, copy, **arguments):
    worlds = min(policy.num_envs, EPISODES)
    env = policy.make_vec(worlds, seed=policy.seed + 1, copy=copy, **arguments)
    act = policy.actor(env)
    returns = [None] * EPISODES
    running = np.arange(worlds)
    observations, _ = env.reset()
    while None in returns:
        observations, _, terminations, truncations, _ = env.step(act(observations))
        for w in np.flatnonzero(terminations | truncations):
            if running[w] < EPISODES:
                returns[running[w]] = float(env.episode_return[w])
            running[w] += worlds
    env.close()
    return returns


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("task", ["run", "lander", "recurrent"])
def test_the_same_returns_as_train_eval(task, copy, request):
    run = request.getfixturevalue(task)
    want = json.loads(train("eval", run, "--episodes", EPISODES, "--format", "json").stdout)
    returns = evaluate(polyrhythm.Policy.load(run), copy)
    # To the last bit: one different action would show.
    assert (min(returns), max(returns)) == (want["min_return"], want["max_return"])
    assert want["mean_return"] == pytest.approx(sum(returns) / EPISODES, rel=1e-14)


def test_a_policy_says_what_it_is(run):
    policy = polyrhythm.Policy.load(str(run / "latest"))
    assert (policy.env_steps, policy.num_envs, policy.seed) == (1536, 6, 1)
    assert "HalfCheetah-v5" in policy.configuration
    actions = policy.act(np.zeros((40, 17)))
    assert actions.shape == (40, 6) and actions.dtype == np.float32
    assert (abs(actions) <= 1).all()


def test_a_policy_of_choices(lander):
    actions = polyrhythm.Policy.load(lander).act(np.random.default_rng(1).normal(size=(200, 8)))
    assert actions.shape == (200,) and actions.dtype == np.int64
    assert set(actions) <= {0, 1, 2, 3}


def test_a_recurrent_policy_is_reset_with_its_worlds(recurrent):
    policy = polyrhythm.Policy.load(recurrent)
    assert policy.state_size == 9 and policy.new_state(3).shape == (3, 9)
    want = evaluate(policy, False)
    assert evaluate(policy, True, autoreset_mode="next_step") == want
    env = policy.make_vec(4, max_episode_steps=10, autoreset_mode="next_step")
    act = policy.actor(env)
    observations, _ = env.reset()
    begun = np.zeros(4, int)
    for step in range(40):
        if step in (3, 15):
            observations, _ = env.reset(options={"reset_mask": np.arange(4) == 2})
        observations = observations.copy()
        begins = env.begins()
        begun += begins
        before = act.state.copy()
        actions = act(observations)
        for w in range(4):
            state = policy.new_state(1) if begins[w] else before[w : w + 1].copy()
            assert (policy.act(observations[w : w + 1], first=w, state=state) == actions[w]).all()
            assert (state == act.state[w]).all()
        # The mask of act does the same as the actor.
        if begins.any():
            assert before[begins].any() or step == 0
            assert (policy.act(observations, state=before, begins=begins) == actions).all()
        observations, *_ = env.step(actions)
    assert begun[2] == begun[0] + 1 or begun[2] == begun[0] + 2
    assert (begun[[0, 1, 3]] >= 4).all()


def test_worlds_and_state_go_back_together(recurrent):
    policy = polyrhythm.Policy.load(recurrent)
    env = policy.make_vec(4, seed=3)
    act = policy.actor(env)

    def walk(observations):
        actions = []
        for _ in range(60):
            actions.append(act(observations))
            observations, *_ = env.step(actions[-1])
        return observations, np.array(actions)

    observations, _ = env.reset()
    walk(observations)
    worlds, state = env.get_state(), act.state.copy()
    _, want = walk(env.set_state(worlds))
    act.state[:] = state
    assert (walk(env.set_state(worlds))[1] == want).all()
    act.state[:] = 0
    assert (walk(env.set_state(worlds))[1] != want).any()


def test_a_driver_carries_the_state(recurrent):
    policy = polyrhythm.Policy.load(recurrent)
    returns = []
    for _ in range(2):
        env = policy.make_vec(2, seed=7)
        observations, _ = env.reset()
        act, rewards = policy.actor(env), []
        if returns:
            for _ in range(50):
                observations, reward, *_ = env.step(act(observations))
                rewards.append(reward)
        else:
            for frame in polyrhythm.drive(env, act, mode="sim_high_performance"):
                rewards += [result[1] for result in frame.results]
                if len(rewards) >= 50:
                    break
        returns.append(np.array(rewards[:50]))
        env.close()
    assert (returns[0] == returns[1]).all()


def test_wrong_states(recurrent):
    policy = polyrhythm.Policy.load(recurrent)
    observations = np.zeros((4, 11))
    good = policy.new_state(4)
    locked = good.copy()
    locked.flags.writeable = False
    for state, begins, text in [
        (None, None, r"state is None; want \(4, 9\) float32"),
        (policy.new_state(3), None, r"state is \(3, 9\) float32; want \(4, 9\)"),
        (good.astype(np.float64), None, r"state is \(4, 9\) float64"),
        (good.tolist(), None, "state is list"),
        (locked, None, "state is read-only"),
        (policy.new_state(8)[::2], None, "part of another array"),
        (good, np.zeros(4), r"begins is \(4,\) float64; want \(4,\) bool"),
        (good, np.zeros(3, bool), r"begins is \(3,\) bool"),
    ]:
        with pytest.raises(ValueError, match=text):
            policy.act(observations, state=state, begins=begins)
    with pytest.raises(ValueError, match="world 1 observed NaN"):
        policy.act(np.where(np.arange(4)[:, None] == 1, np.nan, observations), state=good)
    assert not good.any()


def test_a_policy_of_a_group(tmp_path):
    model = ROOT / "configs/quadruped.xml"
    config = tmp_path / "walk.yaml"
    config.write_text(f"""
task: {{name: walk}}
worlds: 4
max_steps: 20
runners: [{{name: Robot, rate: 50}}]
scene: {{models: [{{file: {model}}}]}}
start: {{keyframe: home}}
actions: [{{term: joint_position, scale: 0.3}}]
observations:
  policy: [{{term: joint_pos_rel}}, {{term: projected_gravity}}]
  critic: [{{term: joint_pos_rel}}, {{term: base_lin_vel}}]
rewards: [{{name: still, expr: "-sum(square(joint_vel))", weight: 0.01}}]
training: {{steps: 64, segment: 8, minibatch: 32, epochs: 1, hidden: [8]}}
evaluation: {{episodes: 1}}
recording: {{enabled: false}}
""")
    folder = tmp_path / "run"
    train("run", "--config", config, "--out", folder)
    policy = polyrhythm.Policy.load(folder)
    whole = np.random.default_rng(1).normal(size=(5, 30))
    actions = policy.act(whole)
    assert actions.shape == (5, 12)
    assert (policy.act(whole[:, :15]) == actions).all()
    assert (policy.act({"policy": whole[:, :15], "critic": whole[:, 15:]}) == actions).all()
    with pytest.raises(ValueError, match=r"\(worlds, 15\)"):
        policy.act(whole[:, :16])


def test_wrong_observations(run):
    policy = polyrhythm.Policy.load(run)
    with pytest.raises(ValueError, match=r"\(worlds, 17\)"):
        policy.act(np.zeros((4, 16)))
    with pytest.raises(ValueError, match="world 2 observed NaN"):
        policy.act(np.array([[0.0] * 17, [0.0] * 17, [np.nan] * 17]))
    for first in (-1, 1 << 32, 0.5):
        with pytest.raises(ValueError, match="first is"):
            policy.act(np.zeros((4, 17)), first=first)


def test_wrong_checkpoints(run, tmp_path):
    with pytest.raises(ValueError, match="nowhere"):
        polyrhythm.Policy.load(tmp_path / "nowhere")
    (tmp_path / "damaged.ckpt").write_bytes((run / "latest").read_bytes()[:-9])
    with pytest.raises(ValueError, match="cut short"):
        polyrhythm.Policy.load(tmp_path / "damaged.ckpt")
