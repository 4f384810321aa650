// SPDX-License-Identifier: MIT
// Where the runtime's headers and library are: relative to pbc itself, so that a built
// tree, an installed prefix and a copied folder all work.
#pragma once

#include <string>
#include <vector>

namespace pb {

struct RuntimeHome {
  std::string include;                  ///< holds runtime/generated.h
  std::string library;                  ///< path of libpbrt.a
  std::string shared_library;           ///< path of libpbrt.so.0; need not exist
  std::string headers;                  ///< folder of precompiled headers, beside the library; need not exist
  std::string printers;                 ///< Python script for gdb; need not exist
  std::vector<std::string> link_flags;  ///< further flags for linking a program, from libpbrt.flags
};

/// Looks in $POLYBRICKS_HOME if that is set, else beside the folder of the running executable.
///
/// Errors:  throws IoError that names what is missing where
[[nodiscard]] RuntimeHome find_runtime();

}  // namespace pb
