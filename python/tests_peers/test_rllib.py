"""RLlib trains on our worlds, by the vector entry point."""

import os
import signal

import gymnasium
import numpy as np
import pytest
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

import polyrhythm

WORLDS, STEPS, LIMIT = 4, 40, 15


def config(task, runners=0):
    """PPO on worlds whose episodes end after LIMIT steps. The module's name is for other processes."""
    return (
        PPOConfig()
        .environment(
            f"polyrhythm:Polyrhythm/{task}",
            env_config={"max_episode_steps": LIMIT, "workers": 1},
            normalize_actions=False,
            clip_actions=True,
        )
        .env_runners(
            num_env_runners=runners,
            num_envs_per_env_runner=WORLDS,
            rollout_fragment_length=STEPS // max(1, runners),
            gym_env_vectorize_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT,
        )
        .learners(num_learners=0)
        .training(train_batch_size_per_learner=WORLDS * STEPS, minibatch_size=WORLDS * STEPS // 2, num_epochs=1)
        .debugging(seed=3)
    )


@pytest.mark.parametrize("task", ["Hopper-v5", "LunarLander-v3", "Quadruped-v0"])
def test_episodes_are_what_the_worlds_say(task):
    """What RLlib's runner hands to its learner is what equal worlds do under the same actions."""
    runner = SingleAgentEnvRunner(config=config(task))
    worlds = polyrhythm.make_vec(task, WORLDS, max_episode_steps=LIMIT, workers=1)
    assert runner.env.unwrapped.single_observation_space == worlds.single_observation_space
    assert runner.env.unwrapped.single_action_space == worlds.single_action_space
    episodes = {e.get_observations(0).tobytes(): e for e in runner.sample(num_timesteps=WORLDS * STEPS, explore=True)}
    observations, _ = worlds.reset(seed=runner.config.seed)
    now = [(episodes.pop(observations[w].tobytes()), 0) for w in range(WORLDS)]
    box, seen = isinstance(worlds.single_action_space, gymnasium.spaces.Box), set()
    for _ in range(STEPS):
        actions = np.stack([np.asarray(e.get_actions(min(at, len(e) - 1))) for e, at in now])
        if box:
            actions = np.clip(actions, worlds.action_space.low, worlds.action_space.high)
        observations, rewards, terminations, truncations, _ = worlds.step(actions)
        for w, (e, at) in enumerate(now):
            if at == len(e):  # this step began the next episode
                now[w] = (episodes.pop(observations[w].tobytes()), 0) if e.is_done else (e, at)
                continue
            np.testing.assert_array_equal(e.get_observations(at + 1), observations[w])
            assert e.get_rewards(at) == rewards[w]
            over = at + 1 == len(e)
            assert (over and e.is_terminated, over and e.is_truncated) == (terminations[w], truncations[w])
            now[w] = (e, at + 1)
            seen.add((bool(terminations[w]), bool(truncations[w])))
    assert (False, True) in seen and (False, False) in seen
    runner.stop()


@pytest.fixture(scope="module")
def cluster():
    """Ray, which an algorithm wants even where all of it is in one process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")  # no token in the home folder
        ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.mark.parametrize(("task", "runners"), [("HalfCheetah-v5", 0), ("Quadruped-v0", 1)])
def test_an_iteration_of_ppo(cluster, task, runners):
    """Episodes, their returns and losses arrive, from this process or another one."""
    algorithm = config(task, runners).build_algo()
    result = algorithm.train()
    algorithm.stop()
    sampled, learnt = result["env_runners"], result["learners"]["default_policy"]
    assert sampled["num_env_steps_sampled"] >= WORLDS * STEPS
    assert sampled["num_episodes"] >= WORLDS * (STEPS // (LIMIT + 1))
    assert 1 <= sampled["episode_len_min"] <= sampled["episode_len_max"] == LIMIT
    assert np.isfinite(sampled["episode_return_mean"]) and sampled["episode_return_min"] < sampled["episode_return_max"]
    assert np.isfinite(learnt["total_loss"]) and learnt["num_module_steps_trained"] >= WORLDS * STEPS


def test_runners_that_are_killed_are_replaced(cluster):
    """Whose worlds lived in another process: the next iteration has as many steps as any, from new ones."""
    asked = config("HalfCheetah-v5", 2).fault_tolerance(restart_failed_env_runners=True, max_num_env_runner_restarts=9)
    algorithm = asked.build_algo()
    pids = lambda: algorithm.env_runner_group.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False)
    try:
        algorithm.train()
        before = pids()
        assert len(set(before)) == 2
        for kill in before[:1], before[1:]:
            os.kill(kill[0], signal.SIGKILL)
            for _ in range(20):  # it is seen, and replaced, in one iteration or the next ones
                result = algorithm.train()
                if algorithm.env_runner_group.num_healthy_remote_env_runners() == 2 and kill[0] not in pids():
                    break
        now = pids()
        assert len(set(now)) == 2 and not set(now) & set(before)
        sampled = algorithm.train()["env_runners"]
        assert sampled["num_env_steps_sampled"] >= WORLDS * STEPS
        assert sampled["episode_len_max"] == LIMIT and np.isfinite(sampled["episode_return_mean"])
        assert np.isfinite(result["learners"]["default_policy"]["total_loss"])
    finally:
        algorithm.stop()
