# SPDX-License-Identifier: MIT
# pb_hwloc: hwloc, static where it is installed so, because what is linked with it is carried to other machines.
# PB_HWLOC_FILES is then what it is made of, for archives that hold it; pb_hwloc_files makes them.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PB_HWLOC REQUIRED IMPORTED_TARGET hwloc)
find_library(PB_HWLOC_STATIC NAMES libhwloc.a)
add_library(pb_hwloc INTERFACE)
set(PB_HWLOC_FILES)
if(PB_HWLOC_STATIC)
  set(renamed)
  foreach(name stderr stdout program_invocation_name dlopen)
    list(APPEND renamed --redefine-sym ${name}=pbrt_hwloc_${name})
  endforeach()
  set(hwloc_copy ${PROJECT_BINARY_DIR}/libhwloc_renamed.a)
  add_custom_command(OUTPUT ${hwloc_copy}
    COMMAND ${CMAKE_OBJCOPY} ${renamed} ${PB_HWLOC_STATIC} ${hwloc_copy}
    DEPENDS ${PB_HWLOC_STATIC} ${CMAKE_CURRENT_LIST_FILE}
    VERBATIM)
  add_library(pb_hwloc_surroundings STATIC ${CMAKE_CURRENT_LIST_DIR}/hwloc_surroundings.c)
  add_custom_target(pb_hwloc_files DEPENDS ${hwloc_copy})
  add_dependencies(pb_hwloc_files pb_hwloc_surroundings)
  add_dependencies(pb_hwloc pb_hwloc_files)
  set(PB_HWLOC_FILES ${hwloc_copy} $<TARGET_FILE:pb_hwloc_surroundings>)
  target_include_directories(pb_hwloc SYSTEM INTERFACE ${PB_HWLOC_INCLUDE_DIRS})
  target_link_libraries(pb_hwloc INTERFACE ${hwloc_copy} pb_hwloc_surroundings)
else()
  target_link_libraries(pb_hwloc INTERFACE PkgConfig::PB_HWLOC)
  target_compile_definitions(pb_hwloc INTERFACE PB_HWLOC_HAS_PLUGINS)
endif()
