// SPDX-License-Identifier: MIT
// Cells of outputs that are sums, with their values in wider numbers and with what rounding may do to them
// (docs/reference/language.md 20.5). OutputCheck holds measured outputs to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/main/engine/verify.h"
#include "runtime/main/inputs/problem.h"

namespace pbrt {

/// What one cell of an output may be.
struct CheckedCell {
  int output = 0;
  std::int64_t index = 0;  ///< in the order of memory
  double value = 0;        ///< in wider numbers
  double allowed = 0;      ///< the largest error
  /// What the reference has there, if it errs by more. What is near it may pass then, too.
  std::optional<double> of_reference;

  bool operator==(const CheckedCell&) const = default;
};

struct CheckedCells {
  std::vector<CheckedCell> cells;
  std::vector<bool> is_whole;  ///< by output: all of its cells are among `cells`, so nothing else need hold it

  [[nodiscard]] bool has_bad_reference() const;
  /// Whether nothing but `cells` is needed to hold all outputs.
  [[nodiscard]] bool are_all() const;
};

/// The largest error of a sum, in numbers of `kind`, in whatever order it is added up: 4·d·ε·Σ|terms|, where d is the
/// number of terms, but no more than the share of Σ|terms| that the default tolerance is.
///
/// Pre:     `kind` is a floating-point type
[[nodiscard]] double allowed_error(const SumOfTerms& sum, ElementKind kind);

/// Computes cells of the outputs that are sums: all of them or, of large outputs, some that lie apart. The problem's
/// outputs are the reference. Left out are cells whose sum may overflow.
///
/// Pre:     inputs and outputs are whole in host memory
/// Cost:    some millions of terms beyond the first cell of each output
[[nodiscard]] CheckedCells checked_cells(const Problem& problem);

/// Adds to `difference` by how much the cell of an output differs from what it may be. What is near a reference that
/// errs itself counts as equal.
///
/// Pre:     `output` has the shape of the reference; `name` is for messages
void add_difference(const CheckedCell& cell, const AnyMatrix& output, const std::string& name, Difference& difference);

}  // namespace pbrt
