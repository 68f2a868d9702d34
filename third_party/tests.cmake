# What `cmake --workflow --preset test` runs, quickest first.
polyrhythm_python_environment(test ${CMAKE_SOURCE_DIR}/third_party/python/test.txt ${CMAKE_BINARY_DIR}/venv PYTEST_PYTHON)

polyrhythm_test(setup ${CMAKE_COMMAND} -D WORK=${CMAKE_BINARY_DIR}/setup_test
  -P ${CMAKE_SOURCE_DIR}/third_party/setup_test.cmake)

# gofmt -l lists the files that it would change, and exits 0.
execute_process(COMMAND ${GO} env GOROOT OUTPUT_VARIABLE goroot OUTPUT_STRIP_TRAILING_WHITESPACE)
polyrhythm_test(gofmt ${goroot}/bin/gofmt -l .)
set_tests_properties(gofmt PROPERTIES FAIL_REGULAR_EXPRESSION "\\.go")
polyrhythm_test(vet ${GO} vet ./...)
polyrhythm_test(staticcheck ${STATICCHECK} ./...)

# With an interpreter named, the recorder's tests also read datasets in Python.
polyrhythm_test(go ${GO} test ./...)
set_tests_properties(go PROPERTIES ENVIRONMENT POLYTEST_PYTHON=${PYTEST_PYTHON})
polyrhythm_test(race ${GO} test -race ./...)
# Bugs planted in copies of the scheduler, each of which the tests must find.
polyrhythm_test(mutants ${GO} test -count=1 -run TestMutants ./runners)
set_property(TEST mutants PROPERTY ENVIRONMENT POLYTEST_MUTANTS=1)
polyrhythm_test(asan ${GO} test -asan ./physics/mujoco/... ./physics/box2d/...)

# The same bits on kernels whose products depend on a row's place in its panel,
# where OpenBLAS would pick others by itself. -count=1 because Go's test cache
# does not see a variable that C reads. Both rooms must have such a test.
polyrhythm_test(determinism_haswell ${GO} test -count=1 -run "Determin|RepeatsForAny" ./env/... ./rl/... ./cli)
set_tests_properties(determinism_haswell PROPERTIES ENVIRONMENT OPENBLAS_CORETYPE=Haswell
  FAIL_REGULAR_EXPRESSION "polyrhythm/(env|rl)[ \t][^\n]*no test")

polyrhythm_test(python ${PYTEST_PYTHON} -m pytest -p no:cacheprovider python/tests)
set_tests_properties(python PROPERTIES ENVIRONMENT
  "POLYTEST_TRAIN=${CMAKE_BINARY_DIR}/bin/train;HF_HUB_OFFLINE=1;PYTHONDONTWRITEBYTECODE=1;PYTHONPATH=${CMAKE_SOURCE_DIR}/python")
