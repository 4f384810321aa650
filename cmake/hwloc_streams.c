/* SPDX-License-Identifier: MIT */
/* What hwloc uses of the C library's data, under names of our own. Debian's libhwloc.a is not compiled for shared
 * libraries: there, code may refer directly only to data of the library itself. The build renames the symbols in a copy
 * of libhwloc.a (runtime/library/CMakeLists.txt). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

FILE* pbrt_hwloc_stderr;
FILE* pbrt_hwloc_stdout;
char* pbrt_hwloc_program_invocation_name;

__attribute__((constructor)) static void copy_streams(void) {
  pbrt_hwloc_stderr = stderr;
  pbrt_hwloc_stdout = stdout;
  pbrt_hwloc_program_invocation_name = program_invocation_name;
}
