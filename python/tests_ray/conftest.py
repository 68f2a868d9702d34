"""These tests share what those of python/tests share, also in the processes that they start."""

import os
import sys
from pathlib import Path

SHARED = str(Path(__file__).parents[1] / "tests")
sys.path.insert(0, SHARED)
os.environ["PYTHONPATH"] = os.pathsep.join([SHARED, *filter(None, [os.environ.get("PYTHONPATH")])])
# Their clusters are of this machine alone, and leave no token in the home folder. By itself Ray gives its workers
# the niceness 15 and ends those that need a minute to start, again and again on a busy machine.
os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
os.environ |= {"RAY_worker_niceness": "0", "RAY_worker_register_timeout_seconds": "300"}
