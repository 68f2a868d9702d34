# Builds the linters of Go and of the workflows, and what compares APIs, into build/tools, from the versions and
# hashes in third_party/tools. The rules of staticcheck are in staticcheck.conf.
set(linters github.com/rhysd/actionlint/cmd/actionlint)
if(POLYRHYTHM_SLOW)
  list(APPEND linters honnef.co/go/tools/cmd/staticcheck golang.org/x/exp/cmd/apidiff)
endif()
foreach(package IN LISTS linters)
  get_filename_component(name ${package} NAME)
  string(TOUPPER ${name} variable)
  set(${variable} ${CMAKE_BINARY_DIR}/tools/${name})
  execute_process(COMMAND ${GO} build -buildvcs=false -o ${${variable}} ${package}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/third_party/tools
    OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    polyrhythm_download_failed(${name} third_party/tools/go.sum "${why}")
  endif()
  message(STATUS "${name}: built")
endforeach()
