# polyrhythm_python_environment(name lock folder interpreter)
# makes a Python environment from the versions and hashes in a lock file and sets
# `interpreter` to its Python. `name` is for messages.
function(polyrhythm_python_environment name lock folder interpreter)
  execute_process(COMMAND ${PYTHON3} -c "import platform; print(platform.python_version())"
    OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(version VERSION_LESS 3.11)
    message(FATAL_ERROR "The Python tests need Python 3.11 or newer; ${PYTHON3} is ${version}.")
  endif()
  set(python ${folder}/bin/python)
  set(${interpreter} ${python} PARENT_SCOPE)

  file(SHA256 ${lock} hash)
  set(stamp "Python ${version} by ${hash}\n")
  set(found "")
  if(EXISTS ${folder}/stamp)
    file(READ ${folder}/stamp found)
  endif()
  if(found STREQUAL stamp)
    message(STATUS "Python ${version} ${name} environment: already in place")
    return()
  endif()

  message(STATUS "Python ${version} ${name} environment: downloading")
  file(REMOVE_RECURSE ${folder})
  execute_process(COMMAND ${PYTHON3} -m venv ${folder}
    OUTPUT_VARIABLE why ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${PYTHON3} could not make a virtual environment:\n${why}")
  endif()
  # Of what is installed little is imported, so the bytecode of all would be made for nothing.
  execute_process(
    COMMAND ${python} ${CMAKE_SOURCE_DIR}/third_party/python/install.py ${lock} --no-compile
    OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    polyrhythm_download_failed("Python ${name} environment" ${lock} "${why}")
  endif()
  file(WRITE ${folder}/stamp "${stamp}")
  message(STATUS "Python ${version} ${name} environment: hashes checked, installed")
endfunction()
