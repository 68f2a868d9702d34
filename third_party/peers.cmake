# What `cmake --workflow --preset peers` runs: tests against packages whose
# download is gigabytes. --no-deps because one dependency is left out on purpose
# (see peers.in); the lock file names all others.
polyrhythm_python_environment(peers ${CMAKE_SOURCE_DIR}/third_party/python/peers.txt ${CMAKE_BINARY_DIR}/venv-peers PEERS_PYTHON
  --no-deps)

polyrhythm_test(peers ${PEERS_PYTHON} -m pytest -p no:cacheprovider python/tests_peers)
set_tests_properties(peers PROPERTIES LABELS peers ENVIRONMENT
  "POLYTEST_TRAIN=${CMAKE_BINARY_DIR}/bin/train;HF_HUB_OFFLINE=1;PYTHONPYCACHEPREFIX=${CMAKE_BINARY_DIR}/pycache;PYTHONPATH=${CMAKE_SOURCE_DIR}/python")

# Ray has an environment of its own, too: it pins much.
polyrhythm_python_environment(ray ${CMAKE_SOURCE_DIR}/third_party/python/ray.txt ${CMAKE_BINARY_DIR}/venv-ray RAY_PYTHON)
polyrhythm_test(ray ${RAY_PYTHON} -m pytest -p no:cacheprovider python/tests_ray)
set_tests_properties(ray PROPERTIES LABELS peers ENVIRONMENT
  "POLYTEST_TRAIN=${CMAKE_BINARY_DIR}/bin/train;RAY_USAGE_STATS_ENABLED=0;PYTHONPYCACHEPREFIX=${CMAKE_BINARY_DIR}/pycache;PYTHONPATH=${CMAKE_SOURCE_DIR}/python")
