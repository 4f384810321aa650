# SPDX-License-Identifier: MIT
# What `find_package(Polybricks)` and `pkg-config polybricks` read: made in the build folder, which has the shape of an
# installation, and installed. The files of `package` are the same for all builds, but for the version and what
# libpbrt.flags says.
include(CMakePackageConfigHelpers)

set(package_folder lib/cmake/Polybricks)
foreach(file PolybricksConfig.cmake PolybricksFunctions.cmake)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/package/${file} ${PROJECT_BINARY_DIR}/${package_folder}/${file} COPYONLY)
endforeach()
# Before version 1, each minor version may change what a program means.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package_folder}/PolybricksConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
file(STRINGS ${PROJECT_BINARY_DIR}/lib/libpbrt.flags runtime_flags)
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/polybricks.pc.in ${PROJECT_BINARY_DIR}/lib/pkgconfig/polybricks.pc @ONLY)

install(DIRECTORY ${PROJECT_BINARY_DIR}/${package_folder} DESTINATION lib/cmake)
install(FILES ${PROJECT_BINARY_DIR}/lib/pkgconfig/polybricks.pc DESTINATION lib/pkgconfig)
