# SPDX-License-Identifier: MIT
# The functions of find_package(Polybricks): targets that pbc makes of .pbcc files. What pbc makes is an imported target
# NAME, which others link or run; the command that makes it belongs to a target NAME_pbcc of `all`.
# Functions belong to the whole project, variables to folders of it: so nothing here needs a variable of find_package.
cmake_policy(VERSION 3.21...3.25)

# Sets the variable to the folder that Polybricks is installed in: paths are relative to this file, so that it can be
# moved.
function(_polybricks_find_prefix variable)
  file(REAL_PATH ../../.. prefix BASE_DIRECTORY "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(${variable} "${prefix}" PARENT_SCOPE)
endfunction()

# _polybricks_compile(<name> <source> OUTPUT <file> BESIDE <file> [FLAG <option>] [ELEMENT double|float]
#   [OPTIONS <options…>]): adds the command that makes the output and the file beside it, and the target of that command.
function(_polybricks_compile name source)
  cmake_parse_arguments(ARG "" "OUTPUT;BESIDE;FLAG;ELEMENT" "OPTIONS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${name}: cannot read `${ARG_UNPARSED_ARGUMENTS}`; behind the source there may be STATIC or "
      "SHARED (of a library), ELEMENT double or float, and OPTIONS with options of pbc")
  endif()
  set(options ${ARG_FLAG})
  if(ARG_ELEMENT OR "ELEMENT" IN_LIST ARG_KEYWORDS_MISSING_VALUES)
    if(NOT ARG_ELEMENT MATCHES "^(double|float)$")
      message(FATAL_ERROR "${name}: ELEMENT `${ARG_ELEMENT}` is neither double nor float")
    endif()
    list(APPEND options --element ${ARG_ELEMENT})
  endif()

  get_filename_component(path "${source}" ABSOLUTE)
  get_property(is_generated SOURCE "${path}" PROPERTY GENERATED)
  if(NOT EXISTS "${path}" AND NOT is_generated)
    message(FATAL_ERROR "${name}: the source `${path}` does not exist")
  endif()

  _polybricks_find_prefix(prefix)
  # Bodies are C++: they are compiled as the rest of the project is, if that has a C++ compiler.
  set(environment)
  if(CMAKE_CXX_COMPILER)
    set(environment ${CMAKE_COMMAND} -E env "CXX=${CMAKE_CXX_COMPILER}")
  endif()
  set(depfile "${CMAKE_CURRENT_BINARY_DIR}/${name}.pbcc.d")
  add_custom_command(OUTPUT "${ARG_OUTPUT}" "${ARG_BESIDE}"
    COMMAND ${environment} "${prefix}/bin/pbc" "${path}" ${options} ${ARG_OPTIONS}
      --depfile "${depfile}" -o "${ARG_OUTPUT}"
    DEPENDS "${path}" "${prefix}/bin/pbc" "${prefix}/lib/libpbrt.a" "${prefix}/lib/libpbrt.so.0"
    DEPFILE "${depfile}"
    COMMENT "Compiling ${source}"
    VERBATIM)
  # Not the output: a file that is called as a target stands for that target here, and the target needs this one.
  add_custom_target(${name}_pbcc ALL DEPENDS "${ARG_BESIDE}")
endfunction()

# polybricks_add_program(<name> <source> [ELEMENT double|float] [OPTIONS <options of pbc…>])
function(polybricks_add_program name source)
  set(program "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  _polybricks_compile(${name} "${source}" OUTPUT "${program}" BESIDE "${program}.info" ${ARGN})
  add_executable(${name} IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${program}")
  add_dependencies(${name} ${name}_pbcc)
endfunction()

# polybricks_add_library(<name> <source> [SHARED|STATIC] [ELEMENT double|float] [OPTIONS <options of pbc…>]): shared if
# nothing is said. It has <name>.h, and the names of its functions begin with <name>_.
function(polybricks_add_library name source)
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "the names of the functions of a library begin with its own, and `${name}` is no C identifier")
  endif()
  cmake_parse_arguments(ARG "STATIC;SHARED" "" "" ${ARGN})
  if(ARG_STATIC AND ARG_SHARED)
    message(FATAL_ERROR "${name}: a library is STATIC or SHARED; add two with different names")
  endif()
  set(kind SHARED)
  if(ARG_STATIC)
    set(kind STATIC)
  endif()

  set(library "${CMAKE_CURRENT_BINARY_DIR}/${CMAKE_${kind}_LIBRARY_PREFIX}${name}${CMAKE_${kind}_LIBRARY_SUFFIX}")
  _polybricks_compile(${name} "${source}" OUTPUT "${library}" BESIDE "${CMAKE_CURRENT_BINARY_DIR}/${name}.h"
    FLAG --library ${ARG_UNPARSED_ARGUMENTS})
  _polybricks_find_prefix(prefix)
  add_library(${name} ${kind} IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_BINARY_DIR};${prefix}/include")
  if(ARG_STATIC)  # a shared library names what it needs itself
    file(STRINGS "${prefix}/lib/libpbrt.flags" flags)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    set_property(TARGET ${name} PROPERTY INTERFACE_LINK_LIBRARIES -lstdc++ -lm ${flags})
  endif()
  add_dependencies(${name} ${name}_pbcc)
endfunction()
