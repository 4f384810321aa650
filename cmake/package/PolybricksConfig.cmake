# SPDX-License-Identifier: MIT
# find_package(Polybricks): the functions polybricks_add_program and polybricks_add_library (docs/library.md), and
#   Polybricks::pbc, Polybricks::pbtune  the tools
#   Polybricks::runtime                  libpbrt.so.0, which shared libraries use, for those who install them elsewhere
#   Polybricks::headers                  polybricks.h and polybricks.hpp, for hosts that load libraries at run time
if(CMAKE_VERSION VERSION_LESS 3.21)
  set(Polybricks_FOUND FALSE)
  set(Polybricks_NOT_FOUND_MESSAGE "Polybricks needs CMake 3.21, and this is ${CMAKE_VERSION}")
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/PolybricksFunctions.cmake")
_polybricks_find_prefix(Polybricks_PREFIX)

foreach(file IN ITEMS bin/pbc bin/pbtune lib/libpbrt.a lib/libpbrt.flags lib/libpbrt.so.0 include/polybricks.h)
  if(NOT EXISTS "${Polybricks_PREFIX}/${file}")
    set(Polybricks_FOUND FALSE)
    set(Polybricks_NOT_FOUND_MESSAGE "the installation lacks `${Polybricks_PREFIX}/${file}`; install Polybricks again")
    return()
  endif()
endforeach()

if(NOT TARGET Polybricks::pbc)
  foreach(tool IN ITEMS pbc pbtune)
    add_executable(Polybricks::${tool} IMPORTED)
    set_target_properties(Polybricks::${tool} PROPERTIES IMPORTED_LOCATION "${Polybricks_PREFIX}/bin/${tool}")
  endforeach()
  add_library(Polybricks::runtime SHARED IMPORTED)
  set_target_properties(Polybricks::runtime PROPERTIES IMPORTED_LOCATION "${Polybricks_PREFIX}/lib/libpbrt.so.0")
  add_library(Polybricks::headers INTERFACE IMPORTED)
  set_target_properties(Polybricks::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Polybricks_PREFIX}/include")
endif()
