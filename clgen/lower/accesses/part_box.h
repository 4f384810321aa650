// SPDX-License-Identifier: MIT
// Parts of matrices as values: what a step reads or writes, and what its host code announces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clgen/lower/analysis/box_bounds.h"
#include "lang/program.h"

namespace pb {

/// A box of a matrix.
struct PartBox {
  std::string variable;  ///< the variable of generated code that holds the box; empty: `bounds` say it
  BoxBounds bounds = {};
  /// The borders that map coordinates of the box into the matrix, per dimension; empty: no input has a border.
  std::vector<std::vector<Border>> borders = {};

  bool operator==(const PartBox&) const = default;
};

/// A matrix, or the part of it that lies in a box.
struct MatrixPart {
  std::string matrix;                         ///< its name
  std::optional<PartBox> box = std::nullopt;  ///< none: all of the matrix

  bool operator==(const MatrixPart&) const = default;
};

}  // namespace pb
