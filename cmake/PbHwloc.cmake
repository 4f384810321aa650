# SPDX-License-Identifier: MIT
# pb_hwloc: hwloc, static where it is installed so, because what is linked with it is carried to other machines.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PB_HWLOC REQUIRED IMPORTED_TARGET hwloc)
find_library(PB_HWLOC_STATIC NAMES libhwloc.a)
add_library(pb_hwloc INTERFACE)
if(PB_HWLOC_STATIC)
  add_library(pb_no_udev STATIC ${CMAKE_CURRENT_LIST_DIR}/no_udev.c)
  target_include_directories(pb_hwloc SYSTEM INTERFACE ${PB_HWLOC_INCLUDE_DIRS})
  target_link_libraries(pb_hwloc INTERFACE ${PB_HWLOC_STATIC} pb_no_udev)
else()
  target_link_libraries(pb_hwloc INTERFACE PkgConfig::PB_HWLOC)
endif()
