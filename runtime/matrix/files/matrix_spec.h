// SPDX-License-Identifier: MIT
// What the reader of a matrix file knows of the matrix before it reads.
#pragma once

#include <string>

#include "runtime/matrix/element_kind.h"

namespace pbrt {

/// The matrix that a file is expected to hold.
struct MatrixSpec {
  std::string name;  ///< the matrix as in the header, for messages: `In[w, h]`
  ElementKind element = ElementKind::Double;
  int num_dims = 0;
};

}  // namespace pbrt
