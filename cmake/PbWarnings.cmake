# SPDX-License-Identifier: MIT
# pb_warnings: what every target of this repository is compiled with. Includes begin at the repository's root.
add_library(pb_warnings INTERFACE)
target_include_directories(pb_warnings INTERFACE ${PROJECT_SOURCE_DIR})
# -Wno-restrict: gcc 12 sees overlap in `"x" + std::string` (gcc bug 105651).
target_compile_options(pb_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wswitch-enum
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${PB_WERROR}>:-Werror>)
if(PB_SANITIZE)
  target_compile_options(pb_warnings INTERFACE -fsanitize=${PB_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(pb_warnings INTERFACE -fsanitize=${PB_SANITIZE})
endif()
