# Prepares this machine for modules that use Polyrhythm as a library, from a checkout
# or from Go's module cache, which it only reads:
#   cmake [-D PREFIX=folder] -P third_party/install.cmake
# MuJoCo and Gymnasium's model files go to a folder of their own, by default
# ~/.local/share/polyrhythm, and `go env -w` tells Go's compiler and linker where that
# is. Run it again after an update of Polyrhythm.
cmake_minimum_required(VERSION 3.25)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH CMAKE_SOURCE_DIR)

if(NOT PREFIX)
  set(PREFIX $ENV{XDG_DATA_HOME})
  if(NOT PREFIX)
    set(PREFIX $ENV{HOME}/.local/share)
  endif()
  string(APPEND PREFIX /polyrhythm)
endif()
file(REAL_PATH ${PREFIX} PREFIX EXPAND_TILDE)
if(PREFIX MATCHES "[ \t'\"]")
  message(FATAL_ERROR "PREFIX is ${PREFIX}; want a folder without blanks and quotes,"
    " which the flags of cgo cannot have.")
endif()
set(THIRD_PARTY ${PREFIX})
set(CMAKE_BINARY_DIR ${PREFIX})
file(MAKE_DIRECTORY ${PREFIX})

include(${CMAKE_CURRENT_LIST_DIR}/host.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/download.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/mujoco.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/gymnasium.cmake)

# Adds flags to a variable of Go's, in place of those of an earlier call.
function(polyrhythm_go_flags name)
  execute_process(COMMAND ${GO} env ${name} WORKING_DIRECTORY ${PREFIX}
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  foreach(flag IN LISTS ARGN)
    string(REPLACE "${flag}" "" flags "${flags}")
    string(APPEND flags " ${flag}")
  endforeach()
  string(REGEX REPLACE " +" " " flags "${flags}")
  string(STRIP "${flags}" flags)
  execute_process(COMMAND ${GO} env -w "${name}=${flags}" WORKING_DIRECTORY ${PREFIX}
    ERROR_VARIABLE why COMMAND_ERROR_IS_FATAL ANY)
  if(why)
    message(FATAL_ERROR "${name} is set in the environment, where go env -w does not reach:"
      " unset it, or set it to\n  ${flags}\n")
  endif()
  message(STATUS "go env ${name}: ${flags}")
endfunction()

polyrhythm_go_flags(CGO_CFLAGS -I${mujoco_root}/include)
polyrhythm_go_flags(CGO_LDFLAGS -L${mujoco_root}/lib -Wl,-rpath,${mujoco_root}/lib)
