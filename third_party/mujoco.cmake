# Puts MuJoCo's headers and library into ${THIRD_PARTY}/mujoco:
#   include/mujoco/*.h   lib/libmujoco.so.VERSION   lib/libmujoco.so   plugin/*.so
# from the pinned wheel, or as links to another installation of the same version
# that MUJOCO_DIR (-D, else the environment) names. For another processor,
# POLYRHYTHM_PROCESSOR, it is always the wheel.
set(mujoco_pin ${CMAKE_SOURCE_DIR}/third_party/mujoco.txt)
set(mujoco_root ${THIRD_PARTY}/mujoco)
polyrhythm_pinned_version(${mujoco_pin} mujoco_version)
set(mujoco_library libmujoco.so.${mujoco_version})

if(POLYRHYTHM_PROCESSOR)
  set(MUJOCO_DIR "")
elseif(NOT MUJOCO_DIR AND DEFINED ENV{MUJOCO_DIR})
  set(MUJOCO_DIR $ENV{MUJOCO_DIR})
endif()

# Stops unless `dir` is an installation of the pinned version; sets ${library}
# to its shared library.
function(mujoco_check_installation dir library)
  set(header ${dir}/include/mujoco/mujoco.h)
  if(NOT EXISTS ${header})
    message(FATAL_ERROR "MUJOCO_DIR is ${dir}, and there is no ${header}.")
  endif()
  file(STRINGS ${header} line REGEX "#define mjVERSION_HEADER")
  string(REGEX MATCH "[0-9]+$" found "${line}")
  string(REGEX MATCH "([0-9]+)\\.([0-9]+)\\.([0-9]+)" _ ${mujoco_version})
  math(EXPR wanted "${CMAKE_MATCH_1} * 1000000 + ${CMAKE_MATCH_2} * 1000 + ${CMAKE_MATCH_3}")
  if(NOT found STREQUAL wanted)
    message(FATAL_ERROR "MUJOCO_DIR is ${dir}, whose mjVERSION_HEADER is ${found};"
      " MuJoCo ${mujoco_version} (${wanted}) is wanted.")
  endif()
  find_file(path ${mujoco_library} PATHS ${dir}/lib ${dir} NO_DEFAULT_PATH NO_CACHE)
  if(NOT path)
    message(FATAL_ERROR "MUJOCO_DIR is ${dir}, and there is no ${mujoco_library} in it or in its lib folder.")
  endif()
  set(${library} ${path} PARENT_SCOPE)
endfunction()

# The stamp says where it came from. It is written last, so that
# an interrupted set-up starts again.
if(MUJOCO_DIR)
  file(REAL_PATH ${MUJOCO_DIR} mujoco_dir BASE_DIRECTORY ${CMAKE_SOURCE_DIR} EXPAND_TILDE)
  cmake_path(IS_PREFIX mujoco_root ${mujoco_dir} inside)
  if(inside)
    message(FATAL_ERROR "MUJOCO_DIR is ${mujoco_dir}, which is where the set-up would put its links.")
  endif()
  mujoco_check_installation(${mujoco_dir} mujoco_dir_library)
  find_path(mujoco_dir_plugins libactuator.so NO_DEFAULT_PATH NO_CACHE
    PATHS ${mujoco_dir}/plugin ${mujoco_dir}/bin/mujoco_plugin)
  set(mujoco_stamp "MuJoCo ${mujoco_version} in ${mujoco_dir_library}, plugins in ${mujoco_dir_plugins}\n")
else()
  file(SHA256 ${mujoco_pin} hash)
  set(mujoco_stamp "MuJoCo ${mujoco_version} by pin file ${hash}, with plugins\n")
endif()

set(found "")
if(EXISTS ${mujoco_root}/stamp AND EXISTS ${mujoco_root}/include/mujoco/mujoco.h
   AND EXISTS ${mujoco_root}/lib/libmujoco.so)
  file(READ ${mujoco_root}/stamp found)
endif()

if(found STREQUAL mujoco_stamp)
  message(STATUS "MuJoCo ${mujoco_version}: already in place")
else()
  set(new ${mujoco_root}.new)
  if(MUJOCO_DIR)
    file(REMOVE_RECURSE ${new})
    file(MAKE_DIRECTORY ${new}/include ${new}/lib)
    file(CREATE_LINK ${mujoco_dir}/include/mujoco ${new}/include/mujoco SYMBOLIC)
    file(CREATE_LINK ${mujoco_dir_library} ${new}/lib/${mujoco_library} SYMBOLIC)
    if(mujoco_dir_plugins)
      file(CREATE_LINK ${mujoco_dir_plugins} ${new}/plugin SYMBOLIC)
    endif()
    message(STATUS "MuJoCo ${mujoco_version}: linked to ${mujoco_dir}")
  else()
    message(STATUS "MuJoCo ${mujoco_version}: downloading")
    polyrhythm_fetch_wheel("MuJoCo ${mujoco_version}" ${mujoco_pin} ${new}.wheel
      "mujoco/include/*" "mujoco/${mujoco_library}" "mujoco/plugin/*.so" "*/licenses/*")
    file(REMOVE_RECURSE ${new})
    file(MAKE_DIRECTORY ${new}/lib)
    file(RENAME ${new}.wheel/mujoco/include ${new}/include)
    file(RENAME ${new}.wheel/mujoco/${mujoco_library} ${new}/lib/${mujoco_library})
    file(RENAME ${new}.wheel/mujoco/plugin ${new}/plugin)
    file(RENAME ${new}.wheel/mujoco_core-${mujoco_version}.dist-info/licenses ${new}/licenses)
    file(REMOVE_RECURSE ${new}.wheel)
    message(STATUS "MuJoCo ${mujoco_version}: hash checked, unpacked")
  endif()
  file(CREATE_LINK ${mujoco_library} ${new}/lib/libmujoco.so SYMBOLIC)
  file(WRITE ${new}/stamp "${mujoco_stamp}")
  file(REMOVE_RECURSE ${mujoco_root})
  file(RENAME ${new} ${mujoco_root})
endif()

# Go's build cache watches a package's own headers and not those that an include
# path leads to. This one changes with MuJoCo's, so that every build, with
# whatever flags, is made anew when they do. A module cache cannot be written.
if(NOT CMAKE_SCRIPT_MODE_FILE AND NOT POLYRHYTHM_PROCESSOR)
  file(GLOB headers ${mujoco_root}/include/mujoco/*.h)
  list(SORT headers)
  set(digests "")
  foreach(header IN LISTS headers)
    file(SHA256 ${header} hash)
    string(APPEND digests ${hash})
  endforeach()
  string(SHA256 digest "${digests}")
  file(WRITE ${CMAKE_SOURCE_DIR}/physics/mujoco/mujoco_installed.h
    "// Written by the set-up (third_party/mujoco.cmake); nothing includes it.\n"
    "// ${mujoco_stamp}"
    "// Headers: ${digest}\n")
endif()
