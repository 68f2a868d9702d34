"""A Ray cluster of this machine, until its input ends. It prints its address.

python -m chaos.rays FOLDER
"""

from __future__ import annotations

import os
import sys

os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
# By itself Ray gives its workers the niceness 15 and ends those that need a minute to start, on a busy machine.
os.environ |= {"RAY_worker_niceness": "0", "RAY_worker_register_timeout_seconds": "600"}
# Nor may it take a node for dead that has no processor for a while.
os.environ |= {"RAY_health_check_timeout_ms": "60000", "RAY_health_check_failure_threshold": "20"}

from ray.cluster_utils import Cluster


def main() -> None:
    there = Cluster(initialize_head=True, head_node_args={
        "num_cpus": 4, "object_store_memory": 80 << 20, "include_dashboard": False, "temp_dir": sys.argv[1] + "/ray",
    })  # fmt: skip
    print(there.address, flush=True)
    sys.stdin.read()
    there.shutdown()


if __name__ == "__main__":
    main()
