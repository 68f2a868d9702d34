# Builds the C library of the Python package into the package, with what it needs
# to be installed elsewhere: libmujoco beside it, where $ORIGIN finds it, and its
# plugins and Gymnasium's model files below it.
set(library_folder ${CMAKE_SOURCE_DIR}/python/polyrhythm/_lib)
set(library_files
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${mujoco_root}/lib/${mujoco_library} ${library_folder}/${mujoco_library}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${gymnasium_root}/assets ${library_folder}/third_party/gymnasium/assets)
if(EXISTS ${mujoco_root}/plugin)
  list(APPEND library_files COMMAND ${CMAKE_COMMAND} -E copy_directory ${mujoco_root}/plugin ${library_folder}/plugin)
endif()
foreach(folder mujoco gymnasium)
  if(EXISTS ${CMAKE_SOURCE_DIR}/third_party/${folder}/licenses)
    list(APPEND library_files COMMAND ${CMAKE_COMMAND} -E copy_directory
      ${CMAKE_SOURCE_DIR}/third_party/${folder}/licenses ${library_folder}/third_party/${folder}/licenses)
  endif()
endforeach()

# -trimpath, so that the build of the wheel finds in Go's cache what is compiled here.
add_custom_target(library ALL
  COMMAND ${GO} build -buildvcs=false -trimpath -buildmode=c-shared -o ${library_folder}/libpolyrhythm.so ./python/capi
  ${library_files}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMENT "go build ./python/capi" VERBATIM)
