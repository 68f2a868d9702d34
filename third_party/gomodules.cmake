# Downloads the Go modules of go.mod now, so that a missing network is one
# message here and not a page of them in the build. go.sum holds their hashes.
execute_process(COMMAND ${GO} mod download WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
if(failed)
  polyrhythm_download_failed("Go modules" go.sum "${why}")
endif()
message(STATUS "Go modules: all there")
