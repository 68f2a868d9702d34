"""Worker processes of polyrhythm.cluster, or actors of Ray, which are killed in some of their calls.

    python -m chaos.team '{"what": "train", "out": "run", "moments": [3, 7], "executor": "cluster", …}'

`moments` are numbers of calls of workers, counted from 1. It ends with a line of how many were killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from polyrhythm import _team, cluster


def disturbed(executor: type, moments: set[int], pid: Callable[[Any], int | None], **options: Any) -> Any:
    """An executor that kills workers in some of their calls."""

    class Disturbed(executor):  # type: ignore[misc]
        calls = killed = 0

        def start(self, maker: str, *arguments: Any) -> Any:
            worker = super().start(maker, *arguments)
            plain = worker.call

            def call(method: str, *arguments: Any) -> Any:
                self.calls += method != "facts"
                process = pid(worker) if method != "facts" and self.calls in moments else None
                called = plain(method, *arguments)
                if process is not None:
                    os.kill(process, signal.SIGKILL)
                    Disturbed.killed += 1
                return called

            worker.call = call
            return worker

    return Disturbed(**options)


def main() -> None:
    asked = json.loads(sys.argv[1])
    what, executor, moments = asked.pop("what"), asked.pop("executor"), set(asked.pop("moments"))
    asked["slices"] = [tuple(one) for one in asked["slices"]]
    _team.TRIES = len(moments) + 2  # all may be workers of one slice
    if executor == "ray":
        os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
        import ray
        from polyrhythm import ray as polyrhythm_ray

        ray.init(address=asked.pop("address"), log_to_driver=False, logging_level="error")

        def of_actor(worker: Any) -> int | None:
            try:
                return ray.get(worker._actor.pid.remote(), timeout=120)
            except ray.exceptions.RayError:
                return None

        team = disturbed(polyrhythm_ray.Actors, moments, of_actor, num_cpus=1, timeout=900)
    else:
        team = disturbed(cluster.Processes, moments, lambda worker: worker.process.pid, timeout=900)
    try:
        if what == "train":
            cluster.train(executor=team, progress=False, **asked)
        else:
            cluster.rollout(executor=team, **asked)
    except (OSError, cluster.Lost, cluster.Failed, RuntimeError) as error:
        print(f"team: {type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(1)
    finally:
        print(json.dumps({"killed": type(team).killed, "calls": team.calls}), flush=True)


if __name__ == "__main__":
    main()
