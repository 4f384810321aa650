# SPDX-License-Identifier: MIT
# What an installation holds, as components (package/PbDebian.cmake makes a package of each), and the target `dist`, which
# is an installation in the build folder. The build folder itself has the shape of one, too.
#   tools    makes programs and libraries: pbc, pbtune, what they give to the C++ compiler, find_package(Polybricks)
#   host     compiles programs that call libraries: polybricks.h, polybricks.hpp, pkg-config
#   runtime  runs these: libpbrt.so.0
#   python   the Python package, where it is built
include(CMakePackageConfigHelpers)
include(PbHeaders)

# The files of `package` are the same for all builds, but for the version and what libpbrt.flags says.
set(package_folder lib/cmake/Polybricks)
foreach(file PolybricksConfig.cmake PolybricksFunctions.cmake)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/package/${file} ${PROJECT_BINARY_DIR}/${package_folder}/${file} COPYONLY)
endforeach()
# Before version 1, each minor version may change what a program means.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package_folder}/PolybricksConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
file(STRINGS ${PROJECT_BINARY_DIR}/lib/libpbrt.flags runtime_flags)
configure_file(${CMAKE_CURRENT_LIST_DIR}/package/polybricks.pc.in ${PROJECT_BINARY_DIR}/lib/pkgconfig/polybricks.pc @ONLY)

set(tools pbc)
if(TARGET pbtune)
  list(APPEND tools pbtune)
endif()
install(TARGETS ${tools} RUNTIME DESTINATION bin COMPONENT tools)
install(FILES ${PROJECT_BINARY_DIR}/lib/libpbrt.a ${PROJECT_BINARY_DIR}/lib/libpbrt.flags DESTINATION lib COMPONENT tools)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/matrix/matrix_printers.py DESTINATION share/polybricks COMPONENT tools)
install(DIRECTORY ${PROJECT_BINARY_DIR}/${package_folder} DESTINATION lib/cmake COMPONENT tools)
pb_find_headers(headers ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS)
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION include/polybricks/${folder} COMPONENT tools)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/runtime/embed/polybricks.h ${PROJECT_SOURCE_DIR}/runtime/embed/polybricks.hpp
  DESTINATION include COMPONENT host)
install(FILES ${PROJECT_BINARY_DIR}/lib/pkgconfig/polybricks.pc DESTINATION lib/pkgconfig COMPONENT host)
install(TARGETS pbrt_shared LIBRARY DESTINATION lib COMPONENT runtime NAMELINK_SKIP)

# Headers that are gone must not stay. Those that are copied again keep their times.
set(dist ${PROJECT_BINARY_DIR}/dist)
set(install_components)
foreach(component tools host runtime)
  list(APPEND install_components
    COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${dist} --component ${component} > ${PROJECT_BINARY_DIR}/dist_${component}.log)
endforeach()
if(TARGET pb_python)
  list(APPEND install_components COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_BINARY_DIR}/python ${dist}/python)
endif()
add_custom_target(dist ALL
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${dist}/include
  ${install_components}
  # Without them the first compilation of each user takes longer, no more.
  COMMAND ${dist}/bin/pbc --precompile ${PROJECT_SOURCE_DIR}/examples/test_picture.pbcc || ${CMAKE_COMMAND} -E true
  DEPENDS ${tools} pbrt $<TARGET_NAME_IF_EXISTS:pb_python>
  COMMENT "Laying out dist"
  VERBATIM)
