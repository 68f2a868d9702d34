# Makes build/venv, the Python environment of the tests, from the versions and
# hashes in third_party/python/test.txt. Sets PYTEST_PYTHON to its interpreter.
set(python_lock ${CMAKE_SOURCE_DIR}/third_party/python/test.txt)
set(python_venv ${CMAKE_BINARY_DIR}/venv)
set(PYTEST_PYTHON ${python_venv}/bin/python)

execute_process(COMMAND ${PYTHON3} -c "import platform; print(platform.python_version())"
  OUTPUT_VARIABLE python_version OUTPUT_STRIP_TRAILING_WHITESPACE)
if(python_version VERSION_LESS 3.11)
  message(FATAL_ERROR "The Python tests need Python 3.11 or newer; ${PYTHON3} is ${python_version}.")
endif()

file(SHA256 ${python_lock} hash)
set(python_stamp "Python ${python_version} by ${hash}\n")
set(found "")
if(EXISTS ${python_venv}/stamp)
  file(READ ${python_venv}/stamp found)
endif()

if(found STREQUAL python_stamp)
  message(STATUS "Python ${python_version} test environment: already in place")
else()
  message(STATUS "Python ${python_version} test environment: downloading")
  file(REMOVE_RECURSE ${python_venv})
  execute_process(COMMAND ${PYTHON3} -m venv ${python_venv}
    OUTPUT_VARIABLE why ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${PYTHON3} could not make a virtual environment:\n${why}")
  endif()
  execute_process(
    COMMAND ${PYTEST_PYTHON} -m pip --quiet --no-input --disable-pip-version-check --retries 2 --timeout 30
      install --only-binary=:all: --require-hashes -r ${python_lock}
    OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    polyrhythm_download_failed("Python test environment" ${python_lock} "${why}")
  endif()
  file(WRITE ${python_venv}/stamp "${python_stamp}")
  message(STATUS "Python ${python_version} test environment: hashes checked, installed")
endif()
