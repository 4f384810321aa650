# SPDX-License-Identifier: MIT
# pb_tool: what the libraries and programs of pbc and pbtune are compiled with. They spend their time in libraries and
# in the programs that they run, so their own code is made quick to compile.
add_library(pb_tool INTERFACE)
target_link_libraries(pb_tool INTERFACE pb_warnings)
target_compile_options(pb_tool INTERFACE $<$<CONFIG:Release>:-O1>)

# With this option, two files of a target cannot use one name for two things in their anonymous namespaces.
option(PB_UNITY "Compile the files of the tools eight at a time: faster from nothing, slower after a change of one file" OFF)
set(CMAKE_UNITY_BUILD ${PB_UNITY})
