# SPDX-License-Identifier: MIT
# pb_add_test(<name> LABEL <folder> SOURCES <files…> LIBS <targets…>): one GoogleTest program, one ctest entry per test case.
include(GoogleTest)
if(PB_BUILD_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
endif()

function(pb_add_test name)
  if(NOT PB_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE pb_warnings ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} PROPERTIES LABELS ${ARG_LABEL} DISCOVERY_MODE PRE_TEST)
endfunction()
