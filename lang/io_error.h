// SPDX-License-Identifier: MIT
// The one exception of the compiler: the environment failed (a file, a child process).
// Caught by the driver only.
#pragma once

#include <stdexcept>

namespace pb {

class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pb
