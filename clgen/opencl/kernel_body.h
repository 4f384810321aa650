// SPDX-License-Identifier: MIT
// The body of a rule as OpenCL C, printed from the typed tree.
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/divided_fold.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Defines the functions that the bodies call and that kernels lack, or understand in another way than C++. `head`
/// stands before each.
void print_kernel_functions(Writer& out, const std::vector<const Rule*>& rules, const std::string& head);

/// What the text around a body says.
struct BodyWords {
  std::string result;  ///< where a returned value is stored: what stands before ` = `
  std::string done;    ///< the label behind the body
  DividedFoldWords folds;
  const LineScans* scans = nullptr;  ///< the scans that the body continues; null: it is no part of a scan
  bool gives_factors = false;        ///< it also says the factors of its recurrences
};

/// Prints the statements of the body. A cell of a region `in` is `pb_from_in[pb_at_in + i * pb_at_in_s0 + …]`. Of
/// staged and shared cells `pb_at_in` is a pointer, and a cell is `pb_at_in[i * pb_at_in_s0 + …]`. The sizes of the
/// region are `pb_at_in_size0`, …. An output that is one element is a variable of its name.
///
/// In divided folds `pb_lane` is the lane in the group, `pb_worker` that in all groups of the instance, `pb_local` the
/// place of the work-item in its group, and neighbouring lanes are `pb_lane_distance` apart there. The group is number
/// `pb_fold_group` of those that run `pb_instance`.
///
/// Of an instance in parts, carried values lie in their arrays at `pb_own`, and `pb_r` is the round in its block.
///
/// In a scan, the variables `pb_new0`, … get what each value becomes, and `pb_factor0`, … the factors of recurrences.
///
/// Post: returns whether the text jumps to the label `done`, which the caller must then define
[[nodiscard]] bool print_kernel_body(Writer& out, const Rule& rule, const KernelTree& kernel,
                                     const RuleInstance& instance, const BodyWords& words);

/// The loops of a contraction whose outermost one runs in blocks of rounds.
struct BlockLoopTexts {
  std::string first, last;         ///< limits of the outermost loop
  std::string count;               ///< how many rounds it has, where these are `pb_first` and `pb_last`
  std::string variable;            ///< the declaration of its variable in round `pb_r` of the block from `pb_block` on
  std::vector<std::string> heads;  ///< of the loops inside: what stands between the parentheses of `for`
  /// The last ones of them, which have few rounds together: compilers should write all of them out.
  std::size_t num_unrolled = 0;
};
[[nodiscard]] BlockLoopTexts block_loop_texts(const Rule& rule, const KernelTree& kernel, const RuleInstance& instance);

/// Whether the body uses sizes of the region bound to `binding`.
[[nodiscard]] bool uses_sizes(const Rule& rule, const std::string& binding);

}  // namespace pb
