// SPDX-License-Identifier: MIT
// The matrices of one call. A matrix of the caller is used where it lies if its layout permits that; else the call has
// a copy, and results are copied back. What lies in resident memory may stay on a device.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/embed/given_matrix.h"
#include "runtime/embed/library_desc.h"
#include "runtime/matrix/any_matrix.h"

namespace pbrt {

class CallArguments {
 public:
  /// Takes the first `num` of the transform's inputs and outputs, without looking at their contents: all, or the
  /// inputs alone for a question about sizes. They live longer than this object.
  ///
  /// Errors:  UserError if one is null, or of another rank or element type than the header says, if GivenMatrix refuses
  ///          it, or if the cells of an output overlap
  CallArguments(const TransformDesc& transform, const pb_matrix* const* arguments, int num);

  /// Computes the size variables that the matrices determine, and compares their extents with the header's, which
  /// it returns: those of all inputs and outputs, one after the other. Values of other variables stand in `values` and
  /// are marked in `is_known`.
  ///
  /// Errors:  UserError naming matrix, formula, expected and actual size, or the variable that nothing determines
  [[nodiscard]] std::vector<std::int64_t> solve_sizes(const RunContext& context, std::int64_t* values,
                                                      bool* is_known) const;

  // For calls, in this order. All matrices were given.

  /// Finds out where the call works. `for_device`: matrices in place must suit devices that use the host's memory.
  ///
  /// Errors:  UserError if one lies partly in resident memory; RuntimeError if there is no memory for copies
  void place(bool for_device);
  [[nodiscard]] bool may_be_on_device() const;
  [[nodiscard]] bool has_resident_output() const;
  /// Called first: the call makes anew what earlier ones lost of its outputs with a device, unless it reads that.
  void forget_lost_outputs() const;
  /// Makes the copies that the call works on. May wait for a device.
  void make_copies(Frame& root) const;
  [[nodiscard]] const AnyMatrix* inputs() const { return matrices_.data(); }
  [[nodiscard]] const AnyMatrix* outputs() const { return matrices_.data() + transform_.num_inputs; }
  /// Brings results to where the caller has them: to the host's memory, but for those that work in resident memory.
  void bring_results(Frame& root) const;

 private:
  [[nodiscard]] bool is_output(std::size_t argument) const;
  [[nodiscard]] const MatrixDesc& desc_of(std::size_t argument) const;
  [[nodiscard]] bool overlaps_another(std::size_t output) const;

  struct Argument {
    explicit Argument(const GivenMatrix& of) : given(of) {}
    /// Whether what the call writes stays in resident memory.
    [[nodiscard]] bool stays() const { return !resident.is_empty() && !is_copied; }

    GivenMatrix given;
    AnyMatrix resident;      ///< the matrix in whose memory it lies; empty: in memory of the caller
    bool is_copied = false;  ///< the call works on a copy
  };
  const TransformDesc& transform_;
  std::vector<Argument> arguments_;
  std::vector<AnyMatrix> matrices_;  // what the call works on
};

}  // namespace pbrt
