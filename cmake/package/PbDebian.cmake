# SPDX-License-Identifier: MIT
# Packages for Debian 12 and what is close to it: `cpack -G DEB` in the build folder writes them to packages/. Each is a
# component of PbPackage.cmake:
#   polybricks         tools: on a machine where programs are compiled and tuned
#   libpolybricks-dev  host: where programs are compiled that call libraries, which may have been made elsewhere
#   libpbrt0           runtime: where these run
#   python3-polybricks python: where NumPy's arrays go through transforms; made where the package is built
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL tools host runtime)
if(TARGET pb_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
# Sets the version, which belongs to the commit that was built.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/frontend/driver/package_version.cmake)
# Nothing is built: the tests of `all` are no part of a package.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Polybricks authors")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What was made by one version does not fit another one.
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_COMPONENT_TOOLS_DEPENDS host)
set(CPACK_COMPONENT_HOST_DEPENDS runtime)
set(CPACK_COMPONENT_PYTHON_DEPENDS tools)

# pb_debian_package(<component> NAME <name> SECTION <section> SUMMARY <line> TEXT <paragraph>)
macro(pb_debian_package component)
  cmake_parse_arguments(ARG "" "NAME;SECTION;SUMMARY;TEXT" "" ${ARGN})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${ARG_NAME})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${ARG_SECTION})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${ARG_SUMMARY}\n${ARG_TEXT}")
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/copyright DESTINATION share/doc/${ARG_NAME} COMPONENT ${component})
endmacro()

pb_debian_package(tools NAME polybricks SECTION devel SUMMARY "compiler and tuner of programs with algorithmic choice"
  TEXT "A program of Polybricks says several ways to compute the same thing. pbc
compiles all of them, for CPUs and OpenCL devices. pbtune measures which one is
fastest on this machine, and from which size on.")
# pbc runs a C++ compiler for each program, and objcopy and ar for static libraries.
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "g++ (>= 4:11) | c++-compiler, binutils")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS
  "cmake, gdb, pocl-opencl-icd | opencl-icd, libopenblas-dev, liblapacke-dev, libfftw3-dev")

pb_debian_package(host NAME libpolybricks-dev SECTION libdevel SUMMARY "headers for callers of libraries made by Polybricks"
  TEXT "Contexts, matrices and errors in C99 and C++20, for programs that call the
functions of libraries of `pbc --library`, and a file for pkg-config.")

pb_debian_package(runtime NAME libpbrt0 SECTION libs SUMMARY "runtime of libraries made by Polybricks"
  TEXT "Workers and managers of devices, which the shared libraries of
`pbc --library` in one process have in common. A library needs the version with
which it was made.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)

if(TARGET pb_python)
  # The extension is of one minor version of Python.
  get_property(python_version TARGET pb_python PROPERTY PB_PYTHON_VERSION)
  list(GET python_version 0 major)
  list(GET python_version 1 minor)
  math(EXPR next_minor "${minor} + 1")
  pb_debian_package(python NAME python3-polybricks SECTION python SUMMARY "transforms of Polybricks on NumPy arrays"
    TEXT "Compiles programs of Polybricks, or loads their libraries, and calls and tunes
their transforms from Python.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= ${major}.${minor}), python3 (<< ${major}.${next_minor}~), python3-numpy")
endif()

include(CPack)
