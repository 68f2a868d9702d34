# What the machine must offer: Go, make, a C and a C++ compiler, Python 3 with pip,
# OpenBLAS, Box2D 2.4, and Embree 3, which casts the rays of pictures. Sets GO and PYTHON3 to their programs. Missing system
# packages are installed where apt-get may be used without asking (root, or sudo that
# wants no password); elsewhere the one command to run is printed and the set-up stops.

# Go is not taken from the system's packages: they are too old for go.mod.
function(polyrhythm_check_go)
  file(STRINGS ${CMAKE_SOURCE_DIR}/go.mod line REGEX "^go [0-9]")
  string(REPLACE "go " "" wanted "${line}")
  find_program(go go NO_CACHE)
  if(NOT go)
    message(FATAL_ERROR "Go ${wanted} or newer is needed (go.mod), and no go was found in PATH.")
  endif()
  # Asked inside the module, so that Go may choose another toolchain for it.
  execute_process(COMMAND ${go} env GOVERSION WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    OUTPUT_VARIABLE version ERROR_VARIABLE why RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX MATCH "[0-9]+\\.[0-9]+(\\.[0-9]+)?" found "${version}${why}")
  if(failed)
    message(FATAL_ERROR "Go ${wanted} or newer is needed (go.mod). ${go} says:\n  ${why}")
  elseif(found VERSION_LESS wanted)
    message(FATAL_ERROR "Go ${wanted} or newer is needed (go.mod); ${go} is ${version}.")
  endif()
  message(STATUS "Go ${found}: ${go}")
  set(GO ${go} PARENT_SCOPE)
endfunction()

# Appends the Debian names of what is missing to ${out}: `tools` where the compiler of Go's variable `variable`,
# with the flags that cgo will use, builds nothing, and the package of `library` where it does not build `source`.
function(polyrhythm_check_compiler out variable extension tools library source)
  execute_process(COMMAND ${GO} env ${variable} OUTPUT_VARIABLE command OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${GO} env CGO_LDFLAGS OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(command UNIX_COMMAND "${command}")
  separate_arguments(flags UNIX_COMMAND "${flags}")
  list(GET command 0 compiler)
  find_program(path ${compiler} NO_CACHE)
  set(probe ${CMAKE_BINARY_DIR}/probe)
  file(WRITE ${probe}_plain.${extension} "#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n")
  file(WRITE ${probe}.${extension} "${source}")
  set(plain_failed 1)
  set(failed 1)
  if(path)
    execute_process(COMMAND ${command} ${probe}_plain.${extension} -o ${probe}
      RESULT_VARIABLE plain_failed OUTPUT_QUIET ERROR_QUIET)
    execute_process(COMMAND ${command} ${probe}.${extension} -o ${probe} ${flags} -l${library}
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  endif()
  file(REMOVE ${probe}_plain.${extension} ${probe}.${extension} ${probe})
  if(plain_failed)
    list(APPEND ${out} ${tools})
  endif()
  if(failed)
    list(APPEND ${out} lib${library}-dev)
  endif()
  set(${out} ${${out}} PARENT_SCOPE)
endfunction()

# Sets ${out} to the Debian names of the packages that are missing.
function(polyrhythm_missing_packages out)
  set(missing "")

  find_program(make NAMES gmake make NO_CACHE)
  if(NOT make)
    list(APPEND missing make)
  endif()

  find_program(python python3 NO_CACHE)
  if(NOT python)
    list(APPEND missing python3 python3-pip python3-venv)
  else()
    execute_process(COMMAND ${python} -m pip --version RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
      list(APPEND missing python3-pip)
    endif()
    execute_process(COMMAND ${python} -c "import ensurepip, venv" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
      list(APPEND missing python3-venv)
    endif()
  endif()

  # Handles of user data came with Box2D 2.4.
  polyrhythm_check_compiler(missing CC c "gcc;libc6-dev" openblas "int main(void) { return 0; }\n")
  polyrhythm_check_compiler(missing CXX cpp g++ box2d "#include <box2d/box2d.h>\n\
int main() { b2BodyDef def; def.userData.pointer = 1; b2World(b2Vec2_zero).CreateBody(&def); }\n")

  # Opened at run time, as this does.
  set(embree_failed 1)
  if(python)
    execute_process(COMMAND ${python} -c "import ctypes; ctypes.CDLL('libembree3.so.3')"
      RESULT_VARIABLE embree_failed OUTPUT_QUIET ERROR_QUIET)
  endif()
  # With its headers, with which the tests compare what physics/cast states of it.
  if(embree_failed)
    list(APPEND missing libembree-dev)
  endif()

  set(PYTHON3 ${python} PARENT_SCOPE)
  set(${out} ${missing} PARENT_SCOPE)
endfunction()

function(polyrhythm_install_packages)
  list(JOIN ARGN " " names)
  find_program(apt apt-get NO_CACHE)
  if(NOT apt)
    message(FATAL_ERROR "Missing on this machine (under their Debian names): ${names}\n"
      "Install them, then run this again.")
  endif()
  execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(as_root "")
  if(NOT user STREQUAL "0")
    set(as_root sudo -n)
    execute_process(COMMAND ${as_root} true RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
    if(refused)
      message(FATAL_ERROR "Missing on this machine: ${names}\n"
        "Install them with this command, then run this again:\n"
        "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}\n")
    endif()
  endif()
  message(STATUS "System packages: installing ${names}")
  set(apt ${as_root} ${CMAKE_COMMAND} -E env DEBIAN_FRONTEND=noninteractive ${apt} -qq -o DPkg::Lock::Timeout=300)
  # A stale package list is only a problem if the installation then fails.
  execute_process(COMMAND ${apt} update OUTPUT_QUIET ERROR_VARIABLE update_why)
  execute_process(COMMAND ${apt} install -y --no-install-recommends ${ARGN}
    OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "apt-get could not install ${names}:\n${update_why}${why}")
  endif()
endfunction()

polyrhythm_check_go()
polyrhythm_missing_packages(missing)
if(missing)
  polyrhythm_install_packages(${missing})
  polyrhythm_missing_packages(still_missing)
  if(still_missing)
    list(JOIN still_missing " " names)
    message(FATAL_ERROR "Installed, but still not usable: ${names}.\n"
      "Check PATH, CC and CXX: cgo would use the compilers that `go env CC CXX` names.")
  endif()
endif()
message(STATUS "System packages: all there")
