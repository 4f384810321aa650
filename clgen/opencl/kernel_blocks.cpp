// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_blocks.h"

#include <cstddef>
#include <string>

#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_panels.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"

namespace pb {
namespace {

constexpr const char* kUnroll = "#pragma unroll\n";
constexpr const char* kDone = "pb_done_block";

/// The instance inside of loops.
const RuleInstance& innermost_instance(const TreeNode& node) {
  const TreeNode* at = &node;
  while (const auto* loop = std::get_if<TreeLoop>(&at->node)) at = &loop->body.front();
  return std::get<RuleInstance>(at->node);
}

}  // namespace

void KernelBlockPrinter::print(const TreeBlock& block) {
  out_.open("");
  declare_group();
  print_panel_shapes(out_, tiles_);
  for (const CarriedValue& each : instance_in_blocks(lowered_.tree)->blocks->carried)
    out_.line(number_word(each.type) + " " + carried_array(each.name) + "[PB_ITEMS];");
  for (const TreeNode& node : block) print_node(node);
  out_.close();
}

/// Declares the place of the group, and that of the work-item in it.
void KernelBlockPrinter::declare_group() {
  tiles_.print_group();
  std::string flat, size;
  for (int d = 0; d < num_loops(); ++d) {
    const std::string dim = std::to_string(d), items = "PB_ITEMS" + dim;
    out_.line("const int pb_run" + dim + " = " + items + " % 4 == 0 ? 4 : " + items + " % 2 == 0 ? 2 : 1;");
    out_.line("const int pb_leap" + dim + " = PB_GROUP" + dim + " * pb_run" + dim + ";");
    out_.line("const int pb_item" + dim + " = (int)" + dialect_.local_id(d) + " * pb_run" + dim + ";");
    flat += (d == 0 ? "" : " + ") + ("(int)" + dialect_.local_id(d)) + size;
    size += " * PB_GROUP" + dim;
  }
  out_.line("const int pb_flat = " + flat + ";");
  out_.line("const int pb_block_rounds = PB_BLOCK_ROUNDS;");
}

void KernelBlockPrinter::print_node(const TreeNode& node) {
  if (const auto* blocks = std::get_if<RoundBlocks>(&node.node)) return print_blocks(*blocks);
  if (const auto* copy = std::get_if<Copy>(&node.node)) return print_panel_copy(out_, tiles_, *copy);
  if (std::holds_alternative<Barrier>(node.node)) return out_.line(dialect_.barrier);
  PB_CHECK(std::holds_alternative<TreeLoop>(node.node), "a group copies panels, waits, and runs parts of instances");
  const RuleInstance& instance = innermost_instance(node);
  instance.part == InstancePart::Rounds ? print_rounds(instance) : print_instances(instance);
}

/// The limits of loops are the same for all instances, so they are those of the group's first one.
void KernelBlockPrinter::print_blocks(const RoundBlocks& blocks) {
  const RuleInstance& instance = *instance_in_blocks(lowered_.tree);
  const BlockLoopTexts texts = block_loop_texts(rule_, lowered_, instance);
  out_.open("");
  for (int d = 0; d < num_loops(); ++d)
    out_.line("const int " + opencl_name(lowered_.vars[static_cast<std::size_t>(d)]) + " = " + group_var(d) + ";");
  for (const RegionAccess& input : rule_.inputs) operands_.print_sizes(input);
  out_.line("const long pb_first = " + texts.first + ";");
  out_.line("const long pb_last = " + texts.last + ";");
  out_.line("const long pb_count = " + texts.count + ";");
  out_.open("for (long pb_done = 0; pb_done < pb_count; pb_done += PB_BLOCK_ROUNDS)");
  out_.line("const int pb_block = (int)(pb_first + pb_done);");
  out_.line("const int pb_rounds = (int)PB_MIN((long)PB_BLOCK_ROUNDS, pb_count - pb_done);");
  print_panel_begins(out_, tiles_);
  for (const TreeNode& node : blocks.body) print_node(node);
  out_.close();
  out_.close();
}

/// Whole blocks of short rounds are unrolled by a number that keeps the text of 64 instances below what compilers still
/// unroll.
void KernelBlockPrinter::print_rounds(const RuleInstance& instance) {
  const bool is_nest = instance.blocks->contraction.loops.size() > 1;
  if (!is_nest) {
    out_.open("if (pb_rounds == PB_BLOCK_ROUNDS)");
    print_unrolling(out_, "#pragma unroll 8\n");
    out_.open("for (int pb_r = 0; pb_r < PB_BLOCK_ROUNDS; ++pb_r)");
    print_round(instance);
    out_.close();
    out_.reopen("else");
  }
  print_unrolling(out_, "#pragma unroll 1\n");
  out_.open("for (int pb_r = 0; pb_r < pb_rounds; ++pb_r)");
  print_round(instance);
  out_.close();
  if (!is_nest) out_.close();
}

/// All instances of a work-item run in the innermost loop, so that they share what they read.
void KernelBlockPrinter::print_round(const RuleInstance& instance) {
  const BlockLoopTexts texts = block_loop_texts(rule_, lowered_, instance);
  out_.line(texts.variable);
  for (const std::string& head : texts.heads) out_.open("for (" + head + ")");
  print_instances(instance);
  for (std::size_t i = 0; i < texts.heads.size(); ++i) out_.close();
}

void KernelBlockPrinter::print_instances(const RuleInstance& instance) {
  for (int d = num_loops(); d-- > 0;) {
    const std::string var = "pb_k" + std::to_string(d);
    print_unrolling(out_, kUnroll);
    out_.line("for (int " + var + " = 0; " + var + " < PB_ITEMS" + std::to_string(d) + "; ++" + var + ")");
  }
  out_.open("");
  declare_place();
  operands_.print(instance);
  out_.open("");
  const std::string result =
      rule_.is_return_form ? "if (pb_is_inside) " + KernelOperandPrinter::cell_at("return") : std::string();
  const bool jumps = print_kernel_body(out_, rule_, lowered_, instance, {result, kDone, {}});
  out_.close();
  if (jumps) out_.line(std::string(kDone) + ":;");
  if (instance.part == InstancePart::End) print_end(instance);
  out_.close();
}

/// Beyond the end the last instance runs again and stores nothing.
void KernelBlockPrinter::declare_place() {
  std::string inside, number;
  for (int d = 0; d < num_loops(); ++d) {
    const std::string dim = std::to_string(d);
    out_.line("const int pb_place" + dim + " = pb_item" + dim + " + pb_k" + dim + " / pb_run" + dim + " * pb_leap" +
              dim + " + pb_k" + dim + " % pb_run" + dim + ";");
    out_.line("const int pb_i" + dim + " = PB_MIN(pb_group" + dim + " + pb_place" + dim + ", pb_extent" + dim +
              " - 1);");
    inside += (d == 0 ? "" : " && ") + ("pb_group" + dim + " + pb_place" + dim + " < pb_extent" + dim);
  }
  for (int d = num_loops(); d-- > 0;)
    number =
        "pb_k" + std::to_string(d) + (number.empty() ? "" : " + PB_ITEMS" + std::to_string(d) + " * (" + number + ")");
  out_.line("const int pb_own = " + number + ";");
  out_.line("const bool pb_is_inside = " + inside + ";");
  for (int d = 0; d < num_loops(); ++d)
    out_.line("const int " + opencl_name(lowered_.vars[static_cast<std::size_t>(d)]) + " = pb_lo" + std::to_string(d) +
              " + pb_i" + std::to_string(d) + ";");
}

void KernelBlockPrinter::print_end(const RuleInstance& instance) {
  for (std::size_t i = 0; i < rule_.outputs.size(); ++i) {
    const OperandKind kind = instance.outputs[i].kind;
    const std::string& name = rule_.outputs[i].binding;
    if (kind == OperandKind::NewValue || kind == OperandKind::OldValue)
      out_.line("if (pb_is_inside) " + KernelOperandPrinter::cell_at(name) + " = " + opencl_name(name) + ";");
  }
}

}  // namespace pb
