# Leaves in dist/ what a release has: the wheel, the source, bills of materials, notes and checksums. Wheels of the same
# version for other processors that lie there count, too. The test checks the files.
polyrhythm_python_environment(release ${pins}/release.txt ${CMAKE_BINARY_DIR}/venv-release RELEASE_PYTHON)

add_custom_target(release ALL
  COMMAND ${RELEASE_PYTHON} python/wheel/release.py --dist ${CMAKE_SOURCE_DIR}/dist
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "python/wheel/release.py" VERBATIM)
add_dependencies(release wheel)

polyrhythm_pytest(release ${WHEEL_PYTHON} "POLYTEST_WHEELS=${CMAKE_SOURCE_DIR}/dist;POLYTEST_RELEASE=${RELEASE_PYTHON}"
  python/tests_wheel/test_release.py)
