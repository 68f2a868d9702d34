# What `cmake --workflow --preset arm64` adds, on x86_64: compilers and QEMU for arm64, Debian's libraries and MuJoCo
# for it below build/arm64, all programs and the C library, and tests that QEMU runs; `arm64-short` has fewer. Where
# arm64 is the machine's own processor, the other presets are.
cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
if(NOT machine STREQUAL "x86_64")
  message(FATAL_ERROR "The preset arm64 emulates arm64 on x86_64, and this is ${machine}; want the preset test here.")
endif()
set(arm64 ${CMAKE_BINARY_DIR}/arm64)
set(sysroot ${arm64}/sysroot)
set(emulate ${CMAKE_SOURCE_DIR}/third_party/arm64/emulate ${sysroot})

foreach(program aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64-static qemu-arm-static)
  find_program(path ${program} NO_CACHE)
  if(NOT path)
    polyrhythm_install_packages(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user-static)
    break()
  endif()
  unset(path)
endforeach()

# Debian's libraries, and a Python for the wheel: the C and C++ libraries' headers are the cross-compilers'. As of the
# machine's own, the newest of its release are taken.
set(packages libopenblas-dev libbox2d-dev libembree-dev libstdc++6 python3-minimal libpython3-stdlib)
file(SHA256 ${CMAKE_SOURCE_DIR}/third_party/arm64/sysroot rules)
set(stamp "${packages}, unpacked by ${rules}\n")
set(found "")
if(EXISTS ${sysroot}/stamp)
  file(READ ${sysroot}/stamp found)
endif()
if(found STREQUAL stamp)
  message(STATUS "Debian's libraries for arm64: already in place")
else()
  message(STATUS "Debian's libraries for arm64: downloading")
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/third_party/arm64/sysroot ${sysroot} ${packages}
    OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    polyrhythm_download_failed("Debian's libraries for arm64" "apt's lists" "${why}")
  endif()
  file(WRITE ${sysroot}/stamp "${stamp}")
endif()

# In a function, so that what it sets for arm64 ends with it.
function(polyrhythm_arm64_mujoco)
  set(THIRD_PARTY ${arm64}/third_party)
  set(POLYRHYTHM_PROCESSOR aarch64)
  file(MAKE_DIRECTORY ${THIRD_PARTY})
  include(${CMAKE_SOURCE_DIR}/third_party/mujoco.cmake)
endfunction()
polyrhythm_arm64_mujoco()
file(CREATE_LINK ${gymnasium_root} ${arm64}/third_party/gymnasium SYMBOLIC)

# Compilers that know where these libraries are. Go's cache keeps what they compile under their names, so that other
# checkouts have it too: flags with the path of this one in CGO_LDFLAGS would build Go's own `net` for each.
foreach(compiler gcc g++)
  set(file ${arm64}/tools/polyrhythm-arm64-${compiler})
  file(WRITE ${file} "#!/bin/sh\nexec aarch64-linux-gnu-${compiler} --sysroot=${sysroot}"
    " -I${arm64}/third_party/mujoco/include -L${arm64}/third_party/mujoco/lib"
    " \${ARM64_RPATH--Wl,-rpath,${arm64}/third_party/mujoco/lib} \"$@\"\n") # of a wheel, empty
  file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(variables GOARCH=arm64 CGO_ENABLED=1 CC=polyrhythm-arm64-gcc CXX=polyrhythm-arm64-g++
  "PATH=${arm64}/tools:$ENV{PATH}")
set(go ${CMAKE_COMMAND} -E env ${variables} ${GO})

add_custom_target(arm64 ALL
  COMMAND ${go} build -buildvcs=false -o ${arm64}/bin/ ./cmd/...
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "go build ./cmd/... for arm64" VERBATIM)

# All of it runs in emulate's namespace, so that tests that start programs run too. No time is measured here.
function(polyrhythm_arm64_test name)
  add_test(NAME ${name} COMMAND ${emulate} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 7200 ENVIRONMENT "${variables}")
endfunction()

# What a robot has: the policy alone, without C.
foreach(processor arm64 arm)
  polyrhythm_arm64_test(policy_${processor}
    ${CMAKE_COMMAND} -E env CGO_ENABLED=0 GOARCH=${processor} GOARM=7
    ${GO} test -vet=off -short ./policy/...)
endforeach()
# Emulation takes some 25 times the processor's time, so of the tests of the same bits those that take seconds of it.
# Of MuJoCo's conformance suite two models: each model that is opened is a fork, whose code is translated again.
set(left_out "DeterminismOf(Parts|SAC|ContinueOfSAC|TD3BC|Seeing|Retries)$"
  "DeterminismOverWorkersAndBlocks$" "Conformance/^(full|state_only|rk4|rk4_computed|computed|plugin|small_memory)$")
list(JOIN left_out "|" left_out)
polyrhythm_arm64_test(arm64_core ${GO} test -vet=off -short -timeout 90m
  -run "Determin|Conformance|SameBits|Oracle" -skip "${left_out}"
  ./runners ./sim ./rl ./rl/nn ./physics/mujoco ./physics/box2d)
polyrhythm_arm64_test(arm64_runs_short ${PYTHON3} internal/tests/arm64/runs.py --short
  --emulated ${arm64}/bin/train --native ${CMAKE_BINARY_DIR}/bin/train --work ${arm64}/runs-short)

if(POLYRHYTHM_ARM64 STREQUAL "SHORT")
  return()
endif()

# The long form: every package, a whole training, x86_64 beside it, and a wheel.
include(third_party/robots.cmake)
# left_out.txt has the tests that are left out, each with its reason.
file(STRINGS ${CMAKE_SOURCE_DIR}/third_party/arm64/left_out.txt left_out REGEX "^Test")
list(TRANSFORM left_out REPLACE " .*" "")
list(JOIN left_out "|" left_out)
# Those of the same bits for any workers run whole, beside the others.
set(determinism "Determin|RepeatsForAny")
polyrhythm_arm64_test(arm64_determinism ${GO} test -vet=off -timeout 110m -run "${determinism}"
  ./env/... ./rl/... ./tasks/... ./training/... ./sim ./cli)
polyrhythm_arm64_test(arm64_go ${GO} test -vet=off -short -timeout 110m -skip "^(${left_out})$|${determinism}" ./...)

set(functions internal/tests/arm64/functions.go)
add_custom_target(functions ALL
  COMMAND ${GO} build -o ${arm64}/functions-x86_64 ${functions}
  COMMAND ${go} build -o ${arm64}/functions-arm64 ${functions}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
polyrhythm_arm64_test(arm64_runs ${PYTHON3} internal/tests/arm64/runs.py
  --emulated ${arm64}/bin/train --native ${CMAKE_BINARY_DIR}/bin/train --work ${arm64}/runs
  --functions ${arm64}/functions-x86_64 ${arm64}/functions-arm64)

set(pins ${CMAKE_SOURCE_DIR}/third_party/python)
polyrhythm_python_environment(wheel ${pins}/wheel.txt ${CMAKE_BINARY_DIR}/venv-wheel WHEEL_PYTHON)
add_custom_target(arm64_wheel ALL
  COMMAND ${CMAKE_COMMAND} -E env ${variables} ARM64_RPATH= ${WHEEL_PYTHON} python/wheel/build.py --go ${GO}
    --work ${arm64}/wheel --dist ${arm64}/dist --third-party ${arm64}/third_party --root ${sysroot}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "python/wheel/build.py for arm64" VERBATIM)
polyrhythm_arm64_test(arm64_wheel ${WHEEL_PYTHON} internal/tests/arm64/wheel.py
  --python ${sysroot}/usr/bin/python3 --dist ${arm64}/dist --beside ${pins}/user.txt --work ${arm64}/wheel-user)
