# What `cmake --workflow --preset peers` runs: tests against packages whose
# download is gigabytes. --no-deps because one dependency is left out on purpose
# (see peers.in); the lock file names all others.
set(pins ${CMAKE_SOURCE_DIR}/third_party/python)
polyrhythm_python_environment(peers ${pins}/peers.txt ${CMAKE_BINARY_DIR}/venv-peers PEERS_PYTHON --no-deps)
# RLlib's workers do not give way to other processes (see python/tests_ray/conftest.py).
polyrhythm_pytest(peers ${PEERS_PYTHON}
  "PYTHONPATH=${CMAKE_SOURCE_DIR}/python;RAY_worker_niceness=0;RAY_worker_register_timeout_seconds=300"
  -v python/tests_peers)

# Ray has an environment of its own, too: it pins much.
polyrhythm_python_environment(ray ${pins}/ray.txt ${CMAKE_BINARY_DIR}/venv-ray RAY_PYTHON)
polyrhythm_pytest(ray ${RAY_PYTHON} "PYTHONPATH=${CMAKE_SOURCE_DIR}/python" -v python/tests_ray)
set_tests_properties(ray PROPERTIES RUN_SERIAL TRUE)
