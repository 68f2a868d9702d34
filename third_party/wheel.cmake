# Builds the wheel into dist/, with the tools that wheel.txt pins, and tries it in a fresh
# environment with the system's libraries hidden. The normal programs are built too: the
# wheel's must give the same bits. The tests take a minute on two quiet cores.
set(pins ${CMAKE_SOURCE_DIR}/third_party/python)
polyrhythm_python_environment(wheel ${pins}/wheel.txt ${CMAKE_BINARY_DIR}/venv-wheel WHEEL_PYTHON)

add_custom_target(wheel ALL
  COMMAND ${WHEEL_PYTHON} python/wheel/build.py --go ${GO} --work ${CMAKE_BINARY_DIR}/wheel
    --dist ${CMAKE_SOURCE_DIR}/dist
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "python/wheel/build.py" VERBATIM)
add_dependencies(wheel binaries library)

set(variables "POLYTEST_GO=${GO};POLYTEST_WHEELS=${CMAKE_SOURCE_DIR}/dist;POLYTEST_WHEEL_USER=${pins}/user.txt")
if(POLYRHYTHM_PEERS)
  string(APPEND variables ";POLYTEST_HEAVY=1") # the extra that brings torch
endif()
polyrhythm_pytest(wheel ${WHEEL_PYTHON} "${variables}" python/tests_wheel)
