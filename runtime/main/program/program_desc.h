// SPDX-License-Identifier: MIT
// What generated code tells the runtime about a program: plain constant tables with pointers
// to functions. Written by clgen, read by program_main. Light: generated code includes it.
#pragma once

#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/wide_sum.h"

namespace pbrt {

class Frame;
class RunContext;

/// The value of `in LO..HI` after an input, for the sizes of a run: the range of generated data.
struct ValueRange {
  bool is_given = false;
  bool is_real = false;
  std::int64_t lo = 0, hi = 0;      ///< integers: both belong
  double real_lo = 0, real_hi = 0;  ///< real numbers: [real_lo, real_hi)

  static ValueRange of_integers(std::int64_t lo, std::int64_t hi) { return {true, false, lo, hi, 0, 0}; }
  static ValueRange of_reals(double lo, double hi) { return {true, true, 0, 0, lo, hi}; }
};

/// One `from` or `to` matrix of a transform.
struct MatrixDesc {
  const char* name;
  ElementKind element;
  int num_dims;
  /// num_dims formulas as written in the header, dimension 0 first; null if num_dims is 0.
  const char* const* formulas;
  /// For a `to` matrix: whether some rule may read what the caller passed (in-place transforms). If not, the matrix is
  /// filled with NaN first in tests and measurements. For a `from` matrix it is true.
  bool is_read_initially;
  /// `0..n-1` of a `from` matrix with a range, as written; else null.
  const char* range = nullptr;
};

/// An output whose cells are sums, and what computes one of them in wider numbers.
struct CheckedSumDesc {
  int output;
  /// `sizes`: by size variable; `cell`: the coordinates.
  SumOfTerms (*compute)(const AnyMatrix* inputs, const std::int64_t* sizes, const std::int64_t* cell);
};

/// One transform. Matrices are numbered `from` first, then `to`, in header order, wherever one
/// function sees both.
struct TransformDesc {
  const char* name;
  const MatrixDesc* inputs;
  int num_inputs;
  const MatrixDesc* outputs;
  int num_outputs;

  /// Size variables in the order in which a call solves them; without configuration values.
  const char* const* size_vars;
  int num_size_vars;
  /// The first words of the command line, by index into size_vars, in order.
  const int* params;
  int num_params;

  /// Solves for the size variables that are not known, as far as the known matrices tell
  /// (docs/reference/language.md 4.3). `sizes[m]`: the sizes of matrix m (inputs, then outputs), null if not known.
  /// `values[v]`, `is_known[v]`: by size variable; both read and written.
  void (*solve)(const RunContext& ctx, const IndexT* const* sizes, std::int64_t* values, bool* is_known);
  /// Writes the header's extents: all dimensions of all inputs, then of all outputs, one after the other.
  void (*extents)(const RunContext& ctx, const std::int64_t* values, std::int64_t* out);

  /// Runs the transform. Arguments have the header's types and dimensions; sizes are checked here.
  void (*run)(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs);

  /// Index of the generator transform; -1 if there is none.
  int generator;

  /// The name of the template of an instance, and `Power_tmpl_3_1`; null for others.
  const char* template_name = nullptr;
  const char* instance_name = nullptr;
  /// Index of the transform that computes the accuracy of a result: from outputs, then inputs, to one number. -1: none.
  int metric = -1;
  /// Index of the transform that judges whether outputs agree with reference outputs: from outputs, reference
  /// outputs, inputs, to one number that is not 0 if they do. -1: none.
  int verifier = -1;
  /// The number of params that are in no size formula; they are the last ones of size_vars.
  int num_mere_numbers = 0;
  /// Writes the ranges of the inputs that have one, by input, for the values of the size variables; null if none has.
  void (*ranges)(const RunContext& ctx, const std::int64_t* values, ValueRange* out) = nullptr;
  /// Outputs that are held to sums in wider numbers (docs/reference/language.md 20.5).
  const CheckedSumDesc* checked_sums = nullptr;
  int num_checked_sums = 0;
};

/// The name of a rule, or of a transform, in messages.
struct BodyName {
  /// The end of the names of its functions: `Fib_0`, `Fib`.
  const char* name;
  /// "rule `F#1` of transform `Fib` (fib.pbcc:5)"
  const char* text;
  bool is_rule;
};

struct ProgramDesc {
  const char* name;
  /// Training information, as in the `.info` file.
  const char* info_json;
  const TransformDesc* transforms;
  int num_transforms;
  int main_transform;
  /// False if no body and no prefix block can draw random numbers. Tasks then carry no random streams.
  bool uses_random = true;
  const BodyName* bodies = nullptr;
  int num_bodies = 0;
  /// True in programs of `pbc --checked-copies`, which check the host's accesses to matrices that a device uses.
  bool watches_accesses = false;
  bool is_checked = false;  ///< the program was made by `pbc --checked`
  bool is_debug = false;    ///< the program was made by `pbc --debug`: its times say nothing
};

/// `main` of every compiled program. Never throws.
///
/// Post:    returns 0; 1 for usage errors, bad files, failed runs; 66 for an aborted run. A crash ends the process by its signal.
int program_main(int argc, char** argv, const ProgramDesc& program);

}  // namespace pbrt
