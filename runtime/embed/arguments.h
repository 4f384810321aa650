// SPDX-License-Identifier: MIT
// The matrices of one call. A matrix of the caller is used where it lies if its layout permits that; else the call has
// a copy, and results are copied back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/embed/library_desc.h"
#include "runtime/matrix/any_matrix.h"

namespace pbrt {

class CallArguments {
 public:
  /// Takes the first `num` of the transform's inputs and outputs, without looking at their contents: all, or the
  /// inputs alone for a question about sizes. They live longer than this object.
  ///
  /// Errors:  UserError if one is null, or of another rank or element type than the header says, if an extent is
  ///          negative or no index holds it, or if the cells of an output overlap
  CallArguments(const TransformDesc& transform, const pb_matrix* const* arguments, int num);

  /// Computes the size variables that the matrices determine, and compares their extents with the header's, which
  /// it returns: those of all inputs and outputs, one after the other. Values of other variables stand in `values` and
  /// are marked in `is_known`.
  ///
  /// Errors:  UserError naming matrix, formula, expected and actual size, or the variable that nothing determines
  [[nodiscard]] std::vector<std::int64_t> solve_sizes(const RunContext& context, std::int64_t* values,
                                                      bool* is_known) const;

  /// Makes the copies that the call needs. `for_device`: matrices in place must suit devices that use the host's
  /// memory.
  void make_copies(bool for_device);
  /// Copies results back.
  void copy_results() const;

  // Pre: make_copies was called, and all matrices were given.
  [[nodiscard]] const AnyMatrix* inputs() const { return matrices_.data(); }
  [[nodiscard]] std::span<const AnyMatrix> outputs() const {
    return std::span(matrices_).subspan(static_cast<std::size_t>(transform_.num_inputs));
  }

 private:
  [[nodiscard]] bool is_output(std::size_t argument) const;
  [[nodiscard]] const MatrixDesc& desc_of(std::size_t argument) const;
  [[nodiscard]] bool overlaps_another(std::size_t output) const;

  struct Given {
    Given(const MatrixDesc& desc, const pb_matrix& of);
    pb_matrix matrix;  ///< with its strides filled in
    IndexT sizes[PB_MAX_RANK] = {};
    // The memory in which its cells lie.
    const char* begin = nullptr;
    const char* end = nullptr;
    bool is_copied = false;
  };
  const TransformDesc& transform_;
  std::vector<Given> given_;
  std::vector<AnyMatrix> matrices_;
};

}  // namespace pbrt
