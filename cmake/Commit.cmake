# SPDX-License-Identifier: MIT
# cmake -DSOURCE=<repository> -DTARGET=<folder> -DVERSION=<version> -P Commit.cmake: writes which commit is being built,
# to commit.cpp for `pbc --version`, and to package_version.cmake as a version that Debian compares. Files that would not
# change keep their time. Outside of a repository there is no commit.
function(run_git variable)
  execute_process(COMMAND git -C ${SOURCE} ${ARGN} OUTPUT_VARIABLE out ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(out "")
  endif()
  set(${variable} "${out}" PARENT_SCOPE)
endfunction()

run_git(commit rev-parse --short=12 HEAD)
run_git(date log -1 --format=%cd --date=format:%Y%m%d)
run_git(changes status --porcelain --untracked-files=no)
set(package_version ${VERSION})
if(commit)
  string(APPEND package_version "+${date}.${commit}")
endif()
if(changes)
  string(APPEND commit "+changes")
  string(APPEND package_version "+changes")
endif()

file(CONFIGURE OUTPUT ${TARGET}/commit.cpp CONTENT "// Made by cmake/Commit.cmake.
#include \"frontend/driver/commit.h\"

namespace pb {
const char* const kCommit = \"${commit}\";
}
")
file(CONFIGURE OUTPUT ${TARGET}/package_version.cmake CONTENT "set(CPACK_DEBIAN_PACKAGE_VERSION \"${package_version}\")\n")
