# SPDX-License-Identifier: MIT
# pb_find_headers(<variable> <repository> [CONFIGURE_DEPENDS]): lists the headers that generated code may include, in a
# fixed order, relative to the repository.
function(pb_find_headers variable repository)
  file(GLOB_RECURSE headers RELATIVE ${repository} ${ARGN} ${repository}/runtime/*.h ${repository}/base/*.h)
  list(FILTER headers EXCLUDE REGEX "/testing/|^runtime/python/")
  list(SORT headers)
  set(${variable} ${headers} PARENT_SCOPE)
endfunction()
