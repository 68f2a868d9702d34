# Builds the wheel into dist/, with the tools that wheel.txt pins, and tries it in a fresh
# environment with the system's libraries hidden. The normal programs are built too: the
# wheel's must give the same bits. The tests take a minute on two quiet cores.
polyrhythm_python_environment(wheel ${CMAKE_SOURCE_DIR}/third_party/python/wheel.txt ${CMAKE_BINARY_DIR}/venv-wheel WHEEL_PYTHON)

add_custom_target(wheel ALL
  COMMAND ${WHEEL_PYTHON} python/wheel/build.py --go ${GO} --work ${CMAKE_BINARY_DIR}/wheel --dist ${CMAKE_SOURCE_DIR}/dist
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "python/wheel/build.py" VERBATIM)
add_dependencies(wheel binaries library)

polyrhythm_test(wheel ${WHEEL_PYTHON} -m pytest -p no:cacheprovider python/tests_wheel)
set_tests_properties(wheel PROPERTIES LABELS wheel ENVIRONMENT
  "POLYTEST_GO=${GO};POLYTEST_TRAIN=${CMAKE_BINARY_DIR}/bin/train;POLYTEST_WHEELS=${CMAKE_SOURCE_DIR}/dist;POLYTEST_WHEEL_USER=${CMAKE_SOURCE_DIR}/third_party/python/user.txt;PYTHONPYCACHEPREFIX=${CMAKE_BINARY_DIR}/pycache")
