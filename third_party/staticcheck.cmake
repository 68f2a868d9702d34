# Builds the linter into build/tools, from the version and hashes in
# third_party/tools. Its rules are in staticcheck.conf.
set(STATICCHECK ${CMAKE_BINARY_DIR}/tools/staticcheck)
execute_process(COMMAND ${GO} build -buildvcs=false -o ${STATICCHECK} honnef.co/go/tools/cmd/staticcheck
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/third_party/tools
  OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
if(failed)
  string(REGEX REPLACE "\n.*" "" first_line "${why}")
  message(FATAL_ERROR "staticcheck: could not be built; is there a network? Go says:\n  ${first_line}\n")
endif()
message(STATUS "staticcheck: built")
