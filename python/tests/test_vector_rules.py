"""The rules of Gymnasium's vector environments, held against ours and SyncVectorEnv alike.

Every test runs with the same expectations against both. They draw their episodes from
different random numbers, so what is compared are the observations of one
implementation with what the same implementation does in another mode.
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


class Ours:
    def make(self, task, mode, limit=LIMIT, n=N):
        return gymnasium.make_vec(f"Polyrhythm/{task}", n, autoreset_mode=mode, max_episode_steps=limit)


class OursShared:
    def make(self, task, mode, limit=LIMIT, n=N):
        return polyrhythm.make_vec(task, n, autoreset_mode=mode, max_episode_steps=limit)


class Theirs:
    def make(self, task, mode, limit=LIMIT, n=N):
        return SyncVectorEnv([lambda: gymnasium.make(task, max_episode_steps=limit)] * n, autoreset_mode=mode)


class OursSingly:
    """Our single environments in their vector environment."""

    def make(self, task, mode, limit=LIMIT, n=N):
        return SyncVectorEnv(
            [lambda: gymnasium.make(f"Polyrhythm/{task}", max_episode_steps=limit)] * n, autoreset_mode=mode
        )


@pytest.fixture(params=[Ours, OursShared, OursSingly, Theirs], ids=lambda kind: kind.__name__)
def kind(request):
    made = []
    maker = request.param()
    make = maker.make
    maker.make = lambda *args, **kwargs: made.append(make(*args, **kwargs)) or made[-1]
    yield maker
    for env in made:
        env.close()


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


def play(env, steps, seed=11):
    """Reset and take steps under the same actions as every other call; copies of all that comes back."""
    observations, infos = env.reset(seed=seed)
    trace = [(observations.copy(), None, None, None, infos)]
    for action in actions_for(env, steps):
        observations, rewards, terminations, truncations, infos = env.step(action)
        trace.append((observations.copy(), rewards.copy(), terminations.copy(), truncations.copy(), infos))
    return trace


def check_infos(env, infos, allowed=None):
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
    env = kind.make(task, AutoresetMode.NEXT_STEP)
    original = gymnasium.make(task)
    assert env.num_envs == N
    assert env.single_observation_space == original.observation_space
    assert env.single_action_space == original.action_space
    assert env.observation_space == gymnasium.vector.utils.batch_space(original.observation_space, N)
    assert env.action_space == gymnasium.vector.utils.batch_space(original.action_space, N)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    for observations, rewards, terminations, truncations, infos in play(env, 3)[1:]:
        assert observations in env.observation_space
        assert rewards.shape == terminations.shape == truncations.shape == (N,)
        assert rewards.dtype == np.float64
        assert terminations.dtype == truncations.dtype == np.bool_
        check_infos(env, infos)
    original.close()


def test_infos_have_gymnasiums_names(kind, task):
    env, theirs = kind.make(task, AutoresetMode.SAME_STEP), Theirs().make(task, AutoresetMode.SAME_STEP)
    for ours, original in zip(play(env, 2), play(theirs, 2), strict=True):
        assert set(ours[4]) == set(original[4])
        for name in original[4]:
            assert ours[4][name].shape == original[4][name].shape, name
            assert ours[4][name].dtype == original[4][name].dtype, name
    theirs.close()


def test_what_was_returned_stays(kind, task):
    """The loop of an off-policy learner: what it keeps of a step is not what the next step returns."""
    env = kind.make(task, AutoresetMode.SAME_STEP)
    shared = isinstance(kind, OursShared)
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
@pytest.mark.parametrize("maker", [Ours, OursShared], ids=lambda maker: maker.__name__)
@pytest.mark.parametrize("task", sorted(_registration.REGISTERED))
def test_all_that_sync_vector_env_says(maker, mode, task):
    """To the bit what SyncVectorEnv makes of our single environments: values, types, masks, episodes' ends."""
    ours, theirs = maker().make(task, mode, n=3), OursSingly().make(task, mode, n=3)
    assert data_equivalence(ours.reset(seed=8), theirs.reset(seed=8), exact=True)
    for action in actions_for(ours, 3 * LIMIT):
        left, right = ours.step(action), theirs.step(action)
        assert data_equivalence(left, right, exact=True), (left, right)
        if mode is AutoresetMode.DISABLED and (over := left[2] | left[3]).any():
            left, right = (env.reset(options={"reset_mask": over.copy()}) for env in (ours, theirs))
            assert data_equivalence(left, right, exact=True), (left, right)
    assert data_equivalence(ours.reset(), theirs.reset(), exact=True)
    ours.close()
    theirs.close()


def test_next_step_waits_one_step(kind, task):
    env = kind.make(task, AutoresetMode.NEXT_STEP)
    trace = play(env, 3 * LIMIT)
    resting = np.zeros(N, bool)
    episodes = 0
    steps = np.zeros(N, int)
    for observations, rewards, terminations, truncations, infos in trace[1:]:
        # A world that ended in the last step shows a new episode now, and nothing else happens to it.
        assert not rewards[resting].any()
        assert not terminations[resting].any() and not truncations[resting].any()
        for name in infos:
            assert name not in ("final_obs", "final_info")
        check_infos(env, infos)
        steps = np.where(resting, 0, steps + 1)
        assert (truncations == (steps == LIMIT)).all()
        resting = terminations | truncations
        episodes += resting.sum()
    assert episodes >= 2 * N


def test_same_step_keeps_the_last_observation(kind, task):
    env = kind.make(task, AutoresetMode.SAME_STEP)
    reference = play(kind.make(task, AutoresetMode.NEXT_STEP), LIMIT)
    trace = play(env, LIMIT)
    running = np.ones(N, bool)
    kept = []
    for want, got in zip(reference[1:], trace[1:], strict=True):
        # Up to the end of each world's first episode both modes do the same.
        np.testing.assert_array_equal(got[1][running], want[1][running])
        np.testing.assert_array_equal(got[2][running], want[2][running])
        np.testing.assert_array_equal(got[3][running], want[3][running])
        check_infos(env, got[4])
        ended = got[2] | got[3]
        assert ("final_obs" in got[4]) == ended.any()
        if ended.any():
            assert (got[4]["_final_obs"] == ended).all() and (got[4]["_final_info"] == ended).all()
            for i in np.flatnonzero(ended):
                final = got[4]["final_obs"][i]
                assert final in env.single_observation_space
                if running[i]:
                    np.testing.assert_array_equal(final, want[0][i])
                    kept.append((got[4], i, want))
        np.testing.assert_array_equal(got[0][running & ~ended], want[0][running & ~ended])
        running &= ~ended
    assert not running.any()
    # What was kept is what the other mode's infos said, and later resets have not touched it.
    assert len(kept) == N
    for infos, i, want in kept:
        np.testing.assert_array_equal(infos["final_obs"][i], want[0][i])
        for name, values in want[4].items():
            if not name.startswith("_") and want[4][f"_{name}"][i]:
                np.testing.assert_array_equal(infos["final_info"][name][i], values[i])
                assert infos["final_info"][f"_{name}"][i]


def test_same_step_shows_the_next_episode(kind, task):
    """The observation of a step that ended an episode is the one that NEXT_STEP shows a step later."""
    same = play(kind.make(task, AutoresetMode.SAME_STEP), LIMIT)
    after = play(kind.make(task, AutoresetMode.NEXT_STEP), LIMIT + 1)
    for i in range(N):
        end = next(k for k in range(1, len(same)) if same[k][2][i] or same[k][3][i])
        np.testing.assert_array_equal(same[end][0][i], after[end + 1][0][i])
        names = {name for name, values in after[end + 1][4].items() if name.startswith("_") and values[i]}
        begins = {name for name, values in same[end][4].items() if name.startswith("_") and values[i]}
        assert begins - {"_final_obs", "_final_info"} == names


def test_disabled_wants_a_reset(kind, task):
    env = kind.make(task, AutoresetMode.DISABLED)
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
    env = kind.make("HalfCheetah-v5", AutoresetMode.NEXT_STEP)
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
    env = kind.make("HalfCheetah-v5", AutoresetMode.DISABLED)
    env.reset(seed=4)
    with pytest.raises((TypeError, ValueError), match="reset_mask"):
        env.reset(options={"reset_mask": mask})


def test_seeds(kind, task):
    env = kind.make(task, AutoresetMode.NEXT_STEP)
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


def test_equal_seeds_give_equal_runs(kind, task):
    a, b = (play(kind.make(task, AutoresetMode.SAME_STEP), 2 * LIMIT) for _ in range(2))
    for left, right in zip(a, b, strict=True):
        for x, y in zip(left[:4], right[:4], strict=True):
            np.testing.assert_array_equal(x, y)


def test_termination_is_not_truncation(kind):
    """The pendulum falls by itself: terminated. The cheetah cannot: truncated at the limit."""
    falls = play(kind.make("InvertedPendulum-v5", AutoresetMode.SAME_STEP, limit=1000), 60)
    terminations, truncations = (np.array([step[k] for step in falls[1:]]) for k in (2, 3))
    assert terminations.any(axis=0).all() and not truncations.any()
    runs = play(kind.make("HalfCheetah-v5", AutoresetMode.SAME_STEP), 2 * LIMIT)
    terminations, truncations = (np.array([step[k] for step in runs[1:]]) for k in (2, 3))
    assert not terminations.any()
    assert (truncations.sum(axis=0) == 2).all() and truncations[LIMIT - 1].all() and truncations[2 * LIMIT - 1].all()


def test_both_ends_at_once(kind):
    """A world that terminates in its last step is terminated and truncated."""
    falls = play(kind.make("InvertedPendulum-v5", AutoresetMode.NEXT_STEP, limit=1000, n=1), 60)
    end = next(k for k, step in enumerate(falls) if k and step[2][0])
    both = play(kind.make("InvertedPendulum-v5", AutoresetMode.NEXT_STEP, limit=end, n=1), 60)
    assert both[end][2][0] and both[end][3][0]


def test_a_step_before_the_first_reset_is_refused(kind):
    env = kind.make("HalfCheetah-v5", AutoresetMode.NEXT_STEP)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros((N, 6), np.float32))


def test_a_first_reset_of_some_is_not_enough(kind):
    env = kind.make("HalfCheetah-v5", AutoresetMode.DISABLED)
    with pytest.raises((gymnasium.error.ResetNeeded, ValueError)):  # SyncVectorEnv stacks what is not there
        env.reset(seed=1, options={"reset_mask": np.arange(N) < 2})
        env.step(np.zeros((N, 6), np.float32))
    env.reset(seed=1)
    env.step(np.zeros((N, 6), np.float32))


def test_a_closed_environment_is_refused(kind):
    env = kind.make("HalfCheetah-v5", AutoresetMode.NEXT_STEP)
    env.reset(seed=1)
    env.close()
    env.close()
    if isinstance(env.unwrapped, SyncVectorEnv):
        return  # theirs goes on where the single ones do
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        env.step(np.zeros((N, 6), np.float32))
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        env.reset()


def test_gymnasiums_wrappers_work(kind):
    env = kind.make("InvertedPendulum-v5", AutoresetMode.NEXT_STEP)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped = gymnasium.wrappers.vector.ClipReward(wrapped, 0, 0.5)
    told = 0
    wrapped.reset(seed=2)
    for action in actions_for(env, 3 * LIMIT):
        _, rewards, _, _, infos = wrapped.step(action)
        assert ((rewards == 0.5) | (rewards == 0)).all()
        told += "episode" in infos
    assert told > 0
