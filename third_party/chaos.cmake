# What `cmake --workflow --preset chaos` runs: everything at once, while processes are killed, disks are filled and
# connections break. CHAOS_MINUTES and CHAOS_SEED of the environment say how long and from which seed; without them it
# is an hour from seed 1. With the environment of the peers, Ray takes part.
polyrhythm_python_environment(test ${CMAKE_SOURCE_DIR}/third_party/python/test.txt ${CMAKE_BINARY_DIR}/venv
  CHAOS_PYTHON)
polyrhythm_test(chaos ${CHAOS_PYTHON} python/tests_chaos/chaos.py --log ${CMAKE_BINARY_DIR}/chaos.jsonl)
set_tests_properties(chaos PROPERTIES TIMEOUT 10800)
