# Prints what changed in the Go API since the last release, the newest tag v*:
#   cmake -D APIDIFF=program -D WORK=folder -P api.cmake
# From 1.0 on, it fails where a change is incompatible.
cmake_minimum_required(VERSION 3.25)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source)
set(module github.com/polyrhythm-rl/polyrhythm)

execute_process(COMMAND git -C ${source} describe --tags --abbrev=0 --match v*
  OUTPUT_VARIABLE release OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE unreleased)
if(unreleased)
  message(STATUS "There is no release to compare with.")
  return()
endif()

# The engines' headers are where the set-up has put them.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/${release})
execute_process(COMMAND git -C ${source} archive --output=${WORK}/release.tar ${release} COMMAND_ERROR_IS_FATAL ANY)
file(ARCHIVE_EXTRACT INPUT ${WORK}/release.tar DESTINATION ${WORK}/${release})
file(CREATE_LINK ${source}/third_party/mujoco ${WORK}/${release}/third_party/mujoco SYMBOLIC)
configure_file(${source}/physics/mujoco/mujoco_installed.h ${WORK}/${release}/physics/mujoco/ COPYONLY)
foreach(tree ${WORK}/${release} ${source})
  cmake_path(GET tree FILENAME name)
  execute_process(COMMAND ${APIDIFF} -m -w ${WORK}/${name}.api ${module} WORKING_DIRECTORY ${tree}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND apis ${WORK}/${name}.api)
endforeach()
execute_process(COMMAND ${APIDIFF} -m ${apis} OUTPUT_VARIABLE changes COMMAND_ERROR_IS_FATAL ANY)
message("Since ${release}:\n${changes}")
string(SUBSTRING ${release} 1 -1 version)
if(version VERSION_GREATER_EQUAL 1 AND changes MATCHES "Incompatible changes")
  message(FATAL_ERROR "The API changed incompatibly since ${release}.")
endif()
