# SPDX-License-Identifier: MIT
# cmake -DSOURCE=<repository> -DTARGET=<file> -P ExportedNames.cmake: writes what libpbrt.so exports, as the linker reads
# it. The version of the names is made of all headers that generated code may include, because code that was compiled
# with other ones does not fit.
include(${CMAKE_CURRENT_LIST_DIR}/PbHeaders.cmake)
pb_find_headers(headers ${SOURCE})
set(state "")
foreach(header IN LISTS headers)
  file(SHA256 ${SOURCE}/${header} hash)
  string(APPEND state "${header} ${hash}\n")
endforeach()
string(SHA256 version "${state}")
string(SUBSTRING ${version} 0 16 version)
# Functions, variables, and what C++ keeps of types: those of pbrt, and of the two classes of old programs.
file(CONFIGURE OUTPUT ${TARGET} CONTENT "PBRT_${version} {
global:
  _ZN4pbrt*;
  _ZNK4pbrt*;
  _ZT[IVS]N4pbrt*;
  _ZN17PetabricksRuntime*;
  _ZN8MatrixIO*;
  _ZNK8MatrixIO*;
local:
  *;
};
")
