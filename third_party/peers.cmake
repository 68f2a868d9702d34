# What `cmake --workflow --preset peers` runs: tests against packages whose
# download is gigabytes.
polyrhythm_python_environment(peers ${CMAKE_SOURCE_DIR}/third_party/python/peers.txt ${CMAKE_BINARY_DIR}/venv-peers
  PEERS_PYTHON)
polyrhythm_python_environment(mjbatch ${CMAKE_SOURCE_DIR}/third_party/python/mjbatch.txt
  ${CMAKE_BINARY_DIR}/venv-mjbatch MJBATCH_PYTHON)
# RLlib's workers do not give way to other processes (see python/tests_ray/conftest.py).
polyrhythm_pytest(peers ${PEERS_PYTHON}
  "PYTHONPATH=${CMAKE_SOURCE_DIR}/python;RAY_worker_niceness=0;RAY_worker_register_timeout_seconds=300"
  -v python/tests_peers)
polyrhythm_pytest(ray ${PEERS_PYTHON} "PYTHONPATH=${CMAKE_SOURCE_DIR}/python" -v python/tests_ray)
set_tests_properties(ray PROPERTIES RUN_SERIAL TRUE)
