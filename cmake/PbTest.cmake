# SPDX-License-Identifier: MIT
# pb_add_test(<name> LABEL <folder> SOURCES <files…> LIBS <targets…>): one GoogleTest program, one ctest entry per test case.
include(GoogleTest)
if(PB_BUILD_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
endif()

set(PB_TEST_LABELS "" CACHE STRING "Folders whose unit tests are built, all if empty; for builds with sanitizers")
add_custom_target(unit_tests)

function(pb_add_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBS" ${ARGN})
  if(NOT PB_BUILD_TESTS OR (PB_TEST_LABELS AND NOT ARG_LABEL IN_LIST PB_TEST_LABELS))
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE pb_warnings ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  # Tests need not be fast themselves, but they should be quick to compile.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  add_dependencies(unit_tests ${name})
  gtest_discover_tests(${name} PROPERTIES LABELS ${ARG_LABEL} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120)
endfunction()
