# Builds the linter into build/tools, from the version and hashes in
# third_party/tools. Its rules are in staticcheck.conf.
set(STATICCHECK ${CMAKE_BINARY_DIR}/tools/staticcheck)
execute_process(COMMAND ${GO} build -buildvcs=false -o ${STATICCHECK} honnef.co/go/tools/cmd/staticcheck
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/third_party/tools
  OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
if(failed)
  polyrhythm_download_failed(staticcheck third_party/tools/go.sum "${why}")
endif()
message(STATUS "staticcheck: built")
