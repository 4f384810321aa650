// SPDX-License-Identifier: MIT
// The text of a kernel whose folds run in blocks of rounds. Such a build has PB_BLOCK_ROUNDS, PB_BLOCK_STAGES,
// PB_GROUP0 to PB_GROUP2, PB_GROUP_ITEMS, their product, and PB_PANEL0 and so on, the elements of the panels.
// PB_MATRIX_UNITS says that matrix units run the rounds (runtime/config/matrix_unit_text.h). Private to this folder.
//
// A carried value `s` of the instances of a work-item lies in `pb_carried_s`, an array with an element for each of
// them. All loops over them are unrolled, so that the elements lie in registers. Where several groups divide the
// rounds, builds have more (clgen/opencl/parts/block_parts.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clgen/opencl/kernel_operands.h"
#include "clgen/opencl/kernel_tiles.h"
#include "clgen/opencl/parts/block_parts.h"
#include "clgen/opencl/parts/run_stores.h"
#include "clgen/writer/writer.h"

namespace pb {

class KernelBlockPrinter {
 public:
  /// Pre: all arguments outlive this object
  KernelBlockPrinter(Writer& out, const Program& program, const KernelTree& lowered, const KernelDialect& dialect,
                     KernelTilePrinter& tiles, KernelOperandPrinter& operands)
      : out_(out),
        program_(program),
        rule_(program.transforms[lowered.transform].rules[lowered.rule]),
        lowered_(lowered),
        dialect_(dialect),
        tiles_(tiles),
        operands_(operands),
        conditions_(instance_in_blocks(lowered.tree)->conditions),
        run_stores_(conditions_.empty() ? find_run_stores(program, lowered) : std::nullopt) {
    if (instance_in_blocks(lowered.tree)->blocks->has_parts) parts_.emplace(out, lowered, dialect);
  }

  /// Prints what a work-group does.
  void print(const TreeBlock& block);

 private:
  [[nodiscard]] int num_loops() const { return static_cast<int>(lowered_.vars.size()); }
  void declare_group();
  void declare_group_place();
  void declare_squares();
  void print_node(const TreeNode& node);
  void print_with_parts(const TreeBlock& block);
  void print_branch(const TreeBranch& branch);
  void print_blocks(const RoundBlocks& blocks);
  void print_wholeness(const RoundBlocks& blocks);
  void print_first_copies(const RoundBlocks& blocks);
  void print_block(const RoundBlocks& blocks, bool is_whole);
  void print_block_ahead(const RoundBlocks& blocks, bool is_whole);
  void print_rounds(const RuleInstance& instance);
  void print_round(const RuleInstance& instance);
  void print_instances(const RuleInstance& instance);
  void open_instances();
  [[nodiscard]] std::string group_id(int dim) const;
  void declare_place(bool is_whole = false);
  void print_last_parts(const RuleInstance& instance);
  void print_end(const RuleInstance& instance);

  Writer& out_;
  const Program& program_;
  const Rule& rule_;
  const KernelTree& lowered_;
  const KernelDialect& dialect_;
  KernelTilePrinter& tiles_;
  KernelOperandPrinter& operands_;
  const std::vector<IndexExpr>& conditions_;    ///< there is an instance only where each is >= 0
  const std::optional<CellVector> run_stores_;  ///< cells that a work-item stores at once
  std::optional<BlockPartPrinter> parts_;       ///< none: a group runs all rounds of its instances
};

}  // namespace pb
