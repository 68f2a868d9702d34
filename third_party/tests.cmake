# What `cmake --workflow --preset test` runs, and the longer tests that
# `--preset slow` adds. Go's own limit of 10 minutes for a package is too short on a busy machine.
polyrhythm_python_environment(test ${CMAKE_SOURCE_DIR}/third_party/python/test.txt ${CMAKE_BINARY_DIR}/venv
  PYTEST_PYTHON)
include(third_party/robots.cmake)

# A browser, in which the page of live runs is tested.
find_program(chromium NAMES chromium chromium-browser google-chrome NO_CACHE)
if(NOT chromium)
  polyrhythm_install_packages(chromium)
  find_program(chromium NAMES chromium NO_CACHE REQUIRED)
endif()
message(STATUS "Chromium: ${chromium}")
# MuJoCo's own renderer, with which pictures are compared; EGL is of use only with a driver.
execute_process(COMMAND ${PYTHON3} -c "import ctypes as c\negl = c.CDLL('libEGL.so.1')\n\
egl.eglGetProcAddress.restype = c.c_void_p\n\
get = egl.eglGetProcAddress(b'eglGetPlatformDisplayEXT')\n\
display = c.CFUNCTYPE(c.c_void_p, c.c_uint, c.c_void_p, c.c_void_p)(get)\n\
raise SystemExit(not egl.eglInitialize(c.c_void_p(display(0x31DD, None, None)), None, None))"
  RESULT_VARIABLE egl_failed OUTPUT_QUIET ERROR_QUIET)
if(egl_failed)
  polyrhythm_install_packages(libegl1 libegl-mesa0 libgl1-mesa-dri)
endif()
find_program(strace strace NO_CACHE) # lists what a program does to the disk, see internal/tests/powercut
if(NOT strace)
  polyrhythm_install_packages(strace)
endif()

if(POLYRHYTHM_TESTS)
  # gofmt -l lists the files that it would change, and exits 0.
  execute_process(COMMAND ${GO} env GOROOT OUTPUT_VARIABLE goroot OUTPUT_STRIP_TRAILING_WHITESPACE)
  polyrhythm_test(gofmt ${goroot}/bin/gofmt -l .)
  set_tests_properties(gofmt PROPERTIES FAIL_REGULAR_EXPRESSION "\\.go")
  polyrhythm_test(vet ${GO} vet ./...)
  file(GLOB workflows ${CMAKE_SOURCE_DIR}/.github/workflows/*.yml)
  polyrhythm_test(actionlint ${ACTIONLINT} -shellcheck= -pyflakes= ${workflows})

  # With an interpreter named, the Go tests also compare with what Python reads and
  # computes.
  # Where there is npm, Foxglove's own client reads what live worlds send, and the libraries
  # of their page are bundled again and compared.
  set(packages "")
  find_program(npm npm NO_CACHE)
  if(npm)
    foreach(folder live/transport/testdata/foxglove live/page/internal/bundle)
      get_filename_component(name ${folder} NAME)
      file(COPY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_BINARY_DIR}
        PATTERN node_modules EXCLUDE PATTERN "*.go" EXCLUDE)
      execute_process(COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund
        WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/${name}
        OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
      if(failed)
        message(WARNING "npm could not install the packages of ${folder}, so its test is left out:\n${why}")
      else()
        string(TOUPPER ${name} switch)
        string(APPEND packages ";POLYTEST_${switch}=${CMAKE_BINARY_DIR}/${name}")
      endif()
    endforeach()
  endif()

  # vet has had all of it, so -vet=off here and below.
  polyrhythm_test(go ${GO} test -vet=off -timeout 30m ./...)
  set_tests_properties(go PROPERTIES DEPENDS vet
    ENVIRONMENT "POLYTEST_PYTHON=${PYTEST_PYTHON};POLYTEST_CHROMIUM=${chromium}${packages}")

  # The same bits on kernels whose products depend on a row's place in its panel,
  # where OpenBLAS would pick others by itself. -count=1 because Go's test cache
  # does not see a variable that C reads. Both packages must have such a test.
  polyrhythm_test(determinism_haswell ${GO} test -vet=off -timeout 30m -count=1 -run "Determin|RepeatsForAny"
    ./env/... ./rl/... ./training ./cli)
  set_tests_properties(determinism_haswell PROPERTIES DEPENDS go ENVIRONMENT OPENBLAS_CORETYPE=Haswell
    FAIL_REGULAR_EXPRESSION "polyrhythm/(env|rl)[ \t][^\n]*no test")

  # Without C, where an int has 32 bits: small robots have such processors. Not every machine runs their programs.
  execute_process(COMMAND ${CMAKE_COMMAND} -E env GOARCH=386 CGO_ENABLED=0 ${GO} test -vet=off -run none errors
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} RESULT_VARIABLE no_32_bits OUTPUT_QUIET ERROR_QUIET)
  if(NOT no_32_bits)
    polyrhythm_test(policy_32_bits ${GO} test -vet=off ./policy)
    set_tests_properties(policy_32_bits PROPERTIES ENVIRONMENT "GOARCH=386;CGO_ENABLED=0")
  endif()

  polyrhythm_pytest(python ${PYTEST_PYTHON} "PYTHONPATH=${CMAKE_SOURCE_DIR}/python" python/tests
    --ignore=python/tests/test_cluster.py --ignore=python/tests/test_team.py) # they wait for processes: slow
endif()

if(POLYRHYTHM_SLOW)
  # The site of docs, in which each link and anchor must lead somewhere.
  polyrhythm_python_environment(site ${CMAKE_SOURCE_DIR}/third_party/python/site.txt ${CMAKE_BINARY_DIR}/venv-site
    SITE_PYTHON)
  polyrhythm_test(site ${SITE_PYTHON} -m mkdocs build --strict)
  set_tests_properties(site PROPERTIES ENVIRONMENT "GO=${GO};NO_MKDOCS_2_WARNING=1")

  polyrhythm_test(setup ${CMAKE_COMMAND} -D WORK=${CMAKE_BINARY_DIR}/setup_test
    -P ${CMAKE_SOURCE_DIR}/third_party/setup_test.cmake)
  polyrhythm_test(staticcheck ${STATICCHECK} ./...)
  polyrhythm_test(api ${CMAKE_COMMAND} -D APIDIFF=${APIDIFF} -D WORK=${CMAKE_BINARY_DIR}/api
    -P ${CMAKE_SOURCE_DIR}/third_party/api.cmake)
  # Long forms of tests: more random cases, more places, more seconds. See internal/polytest.
  # Those of cli alone took half an hour on two cores beside other work, so the limits are far beyond what they need.
  polyrhythm_test(go_slow ${GO} test -vet=off -timeout 110m -run "Long$" ./...)
  set_tests_properties(go_slow PROPERTIES TIMEOUT 7200
    ENVIRONMENT "POLYTEST_PYTHON=${PYTEST_PYTHON};POLYTEST_CHROMIUM=${chromium};POLYTEST_SLOW=1")
  polyrhythm_pytest(python_slow ${PYTEST_PYTHON} "PYTHONPATH=${CMAKE_SOURCE_DIR}/python;POLYTEST_SLOW=1"
    python/tests/test_async.py python/tests/test_cluster.py python/tests/test_team.py python/tests/test_environments.py
    python/tests/test_examples.py)
  # The blocks of the pages that teach: see CONTRIBUTING.md.
  polyrhythm_pytest(pages ${PYTEST_PYTHON} "PYTHONPATH=${CMAKE_SOURCE_DIR}/python;POLYTEST_SLOW=1" python/tests/test_pages.py)
  # Bugs planted in copies of the scheduler, each of which the tests must find.
  polyrhythm_test(mutants ${GO} test -vet=off -timeout 30m -count=1 -run TestMutants ./runners)
  set_property(TEST mutants PROPERTY ENVIRONMENT POLYTEST_MUTANTS=1)
  polyrhythm_test(asan ${GO} test -vet=off -timeout 30m -short -asan ./physics/mujoco/... ./physics/box2d/...
    ./physics/cast)
  # Before GCC 14 it takes what threads keep of libraries for that of an old glibc now and then, and crashes as it
  # looks for leaks: google/sanitizers, issue 1322.
  set_property(TEST asan PROPERTY ENVIRONMENT ASAN_OPTIONS=intercept_tls_get_addr=0)
  # Left out: other programs, and variants of what is not left out, one after the other.
  set(left_out "TestHostile.*" TestSameFilesForAnyWorkersAndKernelLong TestRunsAtTheBoundsLong "TestNew.*Long"
    TestTrainingKilledInTheMiddleLong TestKilledAtAnyMomentLong TestRegenerateKilledLong TestModelThatHasChangedLong
    "TestRender.*" "TestExported.*" TestMotionErrors TestTrackingPresetsLong TestOwnPolicyIsImitated)
  list(JOIN left_out "|" left_out)
  polyrhythm_test(race_slow ${GO} test -vet=off -timeout 110m -short -race
    -skip "^(${left_out})$"
    ./sim ./env/... ./rl/... ./tasks/... ./physics/... ./recorder/... ./live/...
    ./python/capi ./cli ./training ./cli/internal/throughput)
  set_tests_properties(race_slow PROPERTIES TIMEOUT 7200)
endif()
