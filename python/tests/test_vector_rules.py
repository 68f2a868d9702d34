"""The rules of Gymnasium's vector environments, held against ours and SyncVectorEnv alike.

What a step returns in each mode is compared, to the bit, with what SyncVectorEnv makes of our single
environments. Every other test runs with the same expectations against both.
"""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import polyrhythm  # registers the ids
from polyrhythm import _registration

N = 5
LIMIT = 7  # control steps
# One that never terminates, one that soon does, one with vectors in its infos, one with choices and float32s.
TASKS = ["HalfCheetah-v5", "InvertedPendulum-v5", "Humanoid-v5", "LunarLander-v3"]


def synchronous(task, mode, limit, n):
    return SyncVectorEnv([lambda: gymnasium.make(task, max_episode_steps=limit)] * n, autoreset_mode=mode)


KINDS = {
    "ours": lambda task, mode, limit, n: gymnasium.make_vec(
        f"Polyrhythm/{task}", n, autoreset_mode=mode, max_episode_steps=limit
    ),
    "shared": lambda task, mode, limit, n: polyrhythm.make_vec(task, n, autoreset_mode=mode, max_episode_steps=limit),
    "singly": lambda task, *how: synchronous(f"Polyrhythm/{task}", *how),  # our single environments
    "theirs": synchronous,
}


def make(kind, task, mode, n=N):
    return KINDS[kind](task, mode, LIMIT, n)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=TASKS)
def task(request):
    return request.param


def actions_for(env, steps, seed=0):
    random = np.random.default_rng(seed)
    space = env.single_action_space
    if isinstance(space, gymnasium.spaces.Discrete):
        return random.integers(0, space.n, (steps, env.num_envs))
    shape = (steps, env.num_envs, *space.shape)
    return random.uniform(np.maximum(space.low, -1), np.minimum(space.high, 1), shape).astype(np.float32)


def check_infos(env, infos):
    """Every info has a mask, and says nothing where that is False."""
    for name, values in infos.items():
        if name.startswith("_"):
            assert name[1:] in infos
            continue
        mask = infos[f"_{name}"]
        assert mask.dtype == np.bool_ and mask.shape == (env.num_envs,)
        assert mask.any(), f"{name} is said of no world"
        if isinstance(values, dict):
            check_infos(env, values)
        elif values.dtype == object:
            assert all((v is not None) == m for v, m in zip(values, mask, strict=True))
        else:
            assert values.shape[0] == env.num_envs
            assert not values[~mask].any()


def test_spaces_shapes_and_types(kind, task):
    env = make(kind, task, AutoresetMode.NEXT_STEP)
    original = gymnasium.make(task)
    assert env.num_envs == N
    assert env.single_observation_space == original.observation_space
    assert env.single_action_space == original.action_space
    assert env.observation_space == gymnasium.vector.utils.batch_space(original.observation_space, N)
    assert env.action_space == gymnasium.vector.utils.batch_space(original.action_space, N)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env.reset(seed=11)
    for action in actions_for(env, 3):
        observations, rewards, terminations, truncations, infos = env.step(action)
        assert observations in env.observation_space
        assert rewards.shape == terminations.shape == truncations.shape == (N,)
        assert rewards.dtype == np.float64
        assert terminations.dtype == truncations.dtype == np.bool_
        check_infos(env, infos)


def test_what_was_returned_stays(kind, task):
    """The loop of an off-policy learner: what it keeps of a step is not what the next step returns."""
    env = make(kind, task, AutoresetMode.SAME_STEP)
    shared = kind == "shared"
    observations, infos = env.reset(seed=3)
    kept = [(observations, infos)]
    then = [copy.deepcopy(kept[-1])]
    for action in actions_for(env, 2 * LIMIT):
        after = env.step(action)
        assert np.shares_memory(observations, after[0]) == shared
        observations = after[0]
        kept.append(after)
        then.append(copy.deepcopy(after))
    if not shared:
        assert data_equivalence(kept, then, exact=True)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("maker", ["ours", "shared"])
@pytest.mark.parametrize("task", sorted(_registration.REGISTERED))
def test_all_that_sync_vector_env_says(maker, mode, task):
    """To the bit what SyncVectorEnv makes of our single environments: values, types, masks, episodes' ends."""
    ours, theirs = make(maker, task, mode, n=3), make("singly", task, mode, n=3)
    assert data_equivalence(ours.reset(seed=8), theirs.reset(seed=8), exact=True)
    for action in actions_for(ours, 3 * LIMIT):
        left, right = ours.step(action), theirs.step(action)
        assert data_equivalence(left, right, exact=True), (left, right)
        if mode is AutoresetMode.DISABLED and (over := left[2] | left[3]).any():
            left, right = (env.reset(options={"reset_mask": over.copy()}) for env in (ours, theirs))
            assert data_equivalence(left, right, exact=True), (left, right)
    assert data_equivalence(ours.reset(), theirs.reset(), exact=True)


def test_disabled_wants_a_reset(kind, task):
    env = make(kind, task, AutoresetMode.DISABLED)
    env.reset(seed=4)
    ended = np.zeros(N, bool)
    for action in actions_for(env, LIMIT):
        observations, _, terminations, truncations, infos = env.step(action)
        assert "final_obs" not in infos
        ended = terminations | truncations
        if ended.any():
            break
    assert ended.any()
    before = observations.copy()
    observations, infos = env.reset(options={"reset_mask": ended})
    np.testing.assert_array_equal(observations[~ended], before[~ended])
    assert (observations[ended] != before[ended]).any(axis=1).all()
    check_infos(env, infos)
    for name, mask in infos.items():
        if name.startswith("_"):
            np.testing.assert_array_equal(mask, ended)
    with pytest.raises(Exception, match="reset"):  # an AssertionError of theirs, a ResetNeeded of ours
        for _ in range(LIMIT + 1):
            env.step(action)


def test_a_masked_reset_takes_a_world_out_of_next_step(kind):
    env = make(kind, "HalfCheetah-v5", AutoresetMode.NEXT_STEP)
    env.reset(seed=4)
    for action in actions_for(env, LIMIT):
        _, _, _, truncations, _ = env.step(action)
    assert truncations.all()
    mask = np.arange(N) < 2
    env.reset(options={"reset_mask": mask}, seed=4)
    _, rewards, _, _, _ = env.step(action)
    assert (rewards[mask] != 0).all() and not rewards[~mask].any()


@pytest.mark.parametrize(
    "mask",
    [[True] * N, np.ones(N - 1, bool), np.ones(N, np.int64), np.zeros(N, bool)],
    ids=["list", "shape", "dtype", "empty"],
)
def test_masks_are_checked(kind, mask):
    env = make(kind, "HalfCheetah-v5", AutoresetMode.DISABLED)
    env.reset(seed=4)
    with pytest.raises((TypeError, ValueError), match="reset_mask"):
        env.reset(options={"reset_mask": mask})


def test_seeds(kind, task):
    env = make(kind, task, AutoresetMode.NEXT_STEP)
    first, _ = env.reset(seed=20)
    first = first.copy()
    listed, _ = env.reset(seed=[20 + i for i in range(N)])
    np.testing.assert_array_equal(listed, first)
    other, _ = env.reset(seed=21)
    other = other.copy()
    np.testing.assert_array_equal(other[:-1], first[1:])  # world i has the seed s + i
    assert (other[0] != first[0]).any()
    # Without a seed the sequence goes on: something new, and the same every time.
    env.reset(seed=20)
    following = env.reset()[0].copy()
    assert (following != first).any(axis=1).all()
    env.reset(seed=20)
    np.testing.assert_array_equal(env.reset()[0], following)
    # A seed may be given to some.
    env.reset(seed=20)
    some, _ = env.reset(seed=[20, None, 22, None, 24])
    np.testing.assert_array_equal(some[[0, 2, 4]], first[[0, 2, 4]])
    np.testing.assert_array_equal(some[[1, 3]], following[[1, 3]])
    with pytest.raises(ValueError, match=f"{N + 1}"):
        env.reset(seed=list(range(N + 1)))


def test_a_step_before_the_first_reset_is_refused(kind):
    env = make(kind, "HalfCheetah-v5", AutoresetMode.NEXT_STEP)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros((N, 6), np.float32))


def test_a_first_reset_of_some_is_not_enough(kind):
    env = make(kind, "HalfCheetah-v5", AutoresetMode.DISABLED)
    with pytest.raises((gymnasium.error.ResetNeeded, ValueError)):  # SyncVectorEnv stacks what is not there
        env.reset(seed=1, options={"reset_mask": np.arange(N) < 2})
        env.step(np.zeros((N, 6), np.float32))
    env.reset(seed=1)
    env.step(np.zeros((N, 6), np.float32))


def test_gymnasiums_wrappers_work(kind):
    env = make(kind, "InvertedPendulum-v5", AutoresetMode.NEXT_STEP)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped = gymnasium.wrappers.vector.ClipReward(wrapped, 0, 0.5)
    told = 0
    wrapped.reset(seed=2)
    for action in actions_for(env, 3 * LIMIT):
        _, rewards, _, _, infos = wrapped.step(action)
        assert ((rewards == 0.5) | (rewards == 0)).all()
        told += "episode" in infos
    assert told > 0
