// SPDX-License-Identifier: MIT
// One instance of a transform to run: its sizes, inputs and outputs. Sizes come from files,
// --n and --size (docs/reference/language.md 4.3, 11.4); contents from files, a generator or random numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/main/program/program_desc.h"
#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/files/matrix_file.h"

namespace pbrt {

/// The sizes that the command line or a request asks for.
struct SizeWishes {
  std::optional<std::int64_t> n;  ///< the value of every variable that is not named
  std::vector<std::pair<std::string, std::int64_t>> named;
};

/// Thrown for sizes for which there is no problem: negative ones, or fixed sizes that do not fit. Measurements skip
/// them.
class NoSuchSizes : public UserError {
 public:
  using UserError::UserError;
};

struct Problem {
  const TransformDesc* transform = nullptr;
  std::vector<std::int64_t> sizes;  ///< the value of each size variable
  std::vector<AnyMatrix> inputs;
  std::vector<AnyMatrix> outputs;

  /// The largest size variable, at least 1. Selectors choose by it.
  [[nodiscard]] std::int64_t largest_size() const;
};

/// `In[w, h]`
[[nodiscard]] std::string header_of(const MatrixDesc& matrix);
/// ` for n = 5, m = 2`; empty if the transform has no size variables.
[[nodiscard]] std::string for_sizes_text(const TransformDesc& transform, const std::vector<std::int64_t>& sizes);
/// Says that a matrix has another size in a dimension than its header's formula has; `for_sizes` is for_sizes_text.
[[nodiscard]] std::string wrong_size_text(const MatrixDesc& matrix, int dim, std::int64_t found, std::int64_t expected,
                                          const std::string& for_sizes);
[[nodiscard]] MatrixSpec spec_of(const MatrixDesc& matrix);

/// Sizes of all variables from wishes alone, when no matrix is known yet.
///
/// Errors:  UserError if a variable stays unknown, or if a name is not that of a variable of `transform`
[[nodiscard]] std::vector<std::int64_t> sizes_from_wishes(const RunContext& ctx, const TransformDesc& transform,
                                                          const SizeWishes& wishes);

/// Sizes of all variables from the inputs, then from wishes.
///
/// Errors:  UserError naming matrix, formula, expected and actual size
[[nodiscard]] std::vector<std::int64_t> sizes_from_inputs(const RunContext& ctx, const TransformDesc& transform,
                                                          const std::vector<AnyMatrix>& inputs,
                                                          const std::vector<std::string>& input_names,
                                                          const SizeWishes& wishes);

/// Refuses inputs and outputs that do not fit into memory. Files, generators and rules touch every page of them, so
/// that the system would end the process without a word.
///
/// Errors:  UserError if more is needed than there is
void check_memory(const TransformDesc& transform, double needed_bytes, double memory);

/// Matrices of the header for these sizes, content undefined.
///
/// Errors:  NoSuchSizes if an extent is negative; UserError if inputs and outputs do not fit into memory
[[nodiscard]] std::vector<AnyMatrix> allocate_inputs(const RunContext& ctx, const TransformDesc& transform,
                                                     const std::vector<std::int64_t>& sizes);
[[nodiscard]] std::vector<AnyMatrix> allocate_outputs(const RunContext& ctx, const TransformDesc& transform,
                                                      const std::vector<std::int64_t>& sizes);

/// Whether these are the outputs' extents for these sizes: configuration values may be part of them.
[[nodiscard]] bool are_outputs_of(const RunContext& ctx, const TransformDesc& transform,
                                  const std::vector<std::int64_t>& sizes, const std::vector<AnyMatrix>& outputs);

/// Fills an output with its first contents: uniform random numbers in (-2^31, 2^31) if a rule may read them, else NaN
/// (integers: random). The same stream gives the same numbers.
void fill_initial_output(const MatrixDesc& desc, const AnyMatrix& matrix, std::uint64_t seed);

/// Checks that every name in `wishes` is a size variable of one of the transforms.
void check_size_names(const SizeWishes& wishes, const std::vector<const TransformDesc*>& transforms);

}  // namespace pbrt
