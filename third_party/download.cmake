# Fetches pinned wheels. A pin is a requirements file with a single
# requirement, `name==version`, and the SHA-256 of every wheel it may be.

# Stops because `what`, pinned in the file `pins`, did not arrive. `why` is what
# pip or Go wrote: retries and progress first, the reason last.
function(polyrhythm_download_failed what pins why)
  string(REGEX MATCH "Expected sha256[^\n]*.*Got +[0-9a-f]+|verifying [^\n]*checksum mismatch" hashes "${why}")
  if(hashes)
    message(FATAL_ERROR "${what}: what was downloaded does not have the hash in ${pins}."
      " It was thrown away.\n  ${hashes}\n")
  endif()
  string(STRIP "${why}" why)
  string(REGEX MATCH "[^\n]*$" reason "${why}")
  message(FATAL_ERROR "${what}: could not be downloaded; is there a network?\n  ${reason}\n")
endfunction()

# Sets ${out} to the version that the pin file asks for.
function(polyrhythm_pinned_version pin out)
  file(STRINGS ${pin} line REGEX "==")
  string(REGEX REPLACE ".*==([0-9.]+).*" "\\1" version "${line}")
  set(${out} ${version} PARENT_SCOPE)
endfunction()

# Downloads the wheel of a pin file, checks its hash, and unpacks the members
# that match the patterns in ARGN into `into`, which is made anew. `what` names
# it in messages. The Python version only chooses among wheels: the files taken
# from them are the same in all. The processor is this machine's, or POLYRHYTHM_PROCESSOR.
function(polyrhythm_fetch_wheel what pin into)
  set(download ${into}.download)
  file(REMOVE_RECURSE ${download} ${into})
  set(machine ${POLYRHYTHM_PROCESSOR})
  if(NOT machine)
    cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
  endif()
  if(NOT CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" OR NOT machine MATCHES "^(x86_64|aarch64)$")
    message(FATAL_ERROR "${what}: pinned for Linux on x86_64 and aarch64,"
      " not for ${CMAKE_HOST_SYSTEM_NAME} on ${machine}.")
  endif()
  execute_process(
    COMMAND ${PYTHON3} -m pip --quiet --no-input --disable-pip-version-check --retries 2 --timeout 30
      download --no-deps --only-binary=:all: --require-hashes --dest ${download}
      --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_28_${machine} -r ${pin}
    OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    file(REMOVE_RECURSE ${download})
    polyrhythm_download_failed("${what}" ${pin} "${why}")
  endif()
  file(GLOB wheel ${download}/*.whl)
  file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${into} PATTERNS ${ARGN})
  file(REMOVE_RECURSE ${download})
endfunction()
