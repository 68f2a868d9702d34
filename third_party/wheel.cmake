# Fetches one pinned wheel. A pin is a requirements file with a single
# requirement, `name==version`, and the SHA-256 of every wheel it may be.

# Sets ${out} to the version that the pin file asks for.
function(polyrhythm_pinned_version pin out)
  file(STRINGS ${pin} line REGEX "==")
  string(REGEX REPLACE ".*==([0-9.]+).*" "\\1" version "${line}")
  set(${out} ${version} PARENT_SCOPE)
endfunction()

# Downloads the wheel of a pin file, checks its hash, and unpacks the members
# that match the patterns in ARGN into `into`, which is made anew. `what` names
# it in messages. The Python version only chooses among wheels: the files taken
# from them are the same in all.
function(polyrhythm_fetch_wheel what pin into)
  set(download ${into}.download)
  file(REMOVE_RECURSE ${download} ${into})
  cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
  if(NOT CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" OR NOT machine MATCHES "^(x86_64|aarch64)$")
    message(FATAL_ERROR "${what}: pinned for Linux on x86_64 and aarch64, not for ${CMAKE_HOST_SYSTEM_NAME} on ${machine}.")
  endif()
  execute_process(
    COMMAND ${PYTHON3} -m pip --quiet --no-input --disable-pip-version-check --retries 2 --timeout 30
      download --no-deps --only-binary=:all: --require-hashes --dest ${download}
      --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_28_${machine} -r ${pin}
    OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    string(REGEX MATCH "Expected sha256[^\n]*.*Got +[0-9a-f]+" hashes "${why}")
    file(REMOVE_RECURSE ${download})
    if(hashes)
      message(FATAL_ERROR "${what}: the downloaded wheel does not have the hash in ${pin}. Nothing was unpacked.\n  ${hashes}\n")
    endif()
    string(REGEX REPLACE "\n.*" "" first_line "${why}")
    message(FATAL_ERROR "${what}: could not be downloaded; is there a network? Python's pip says:\n  ${first_line}\n")
  endif()
  file(GLOB wheel ${download}/*.whl)
  file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${into} PATTERNS ${ARGN})
  file(REMOVE_RECURSE ${download})
endfunction()
