// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_blocks.h"

#include <cstddef>
#include <string>

#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_panels.h"
#include "clgen/opencl/kernel_products.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/parts/instance_tests.h"
#include "lang/check.h"

namespace pb {
namespace {

constexpr const char* kDone = "pb_done_block";

/// The instance inside of loops.
const RuleInstance& innermost_instance(const TreeNode& node) {
  const TreeNode* at = &node;
  while (const auto* loop = std::get_if<TreeLoop>(&at->node)) at = &loop->body.front();
  return std::get<RuleInstance>(at->node);
}

std::vector<const Copy*> copies_of(const RoundBlocks& blocks) {
  std::vector<const Copy*> out;
  for (const TreeNode& node : blocks.body)
    if (const auto* copy = std::get_if<Copy>(&node.node)) out.push_back(copy);
  return out;
}

}  // namespace

void KernelBlockPrinter::print(const TreeBlock& block) {
  out_.open("");
  declare_group();
  print_group_exit(out_, dialect_, lowered_.vars, conditions_);
  print_panel_shapes(out_, tiles_);
  for (const CarriedValue& each : instance_in_blocks(lowered_.tree)->blocks->carried)
    out_.line(number_word(each.type) + " " + carried_array(each.name) + "[PB_ITEMS];");
  if (parts_)
    print_with_parts(block);
  else
    for (const TreeNode& node : block) print_node(node);
  out_.close();
}

/// A first launch runs the rounds, and a second one ends the instances. Both begin them.
void KernelBlockPrinter::print_with_parts(const TreeBlock& block) {
  PB_CHECK(block.size() == 3, "blocks of rounds stand between the begin and the end of their instances");
  const auto print_for_instances = [&](const auto& print_one) {
    open_instances();
    declare_place();
    print_one();
    out_.close();
  };
  print_node(block[0]);
  out_.verbatim("#if PB_STAGE > 0\n");
  parts_->declare_records();
  out_.verbatim("#endif\n#if PB_STAGE == 2\n");
  print_for_instances([&] { parts_->combine_records(); });
  out_.verbatim("#else\n#if PB_STAGE == 1\n");
  parts_->print_neutral_values();
  out_.verbatim("#endif\n");
  print_node(block[1]);
  out_.verbatim("#endif\n#if PB_STAGE == 1\n");
  print_for_instances([&] { parts_->keep_record(); });
  out_.verbatim("#else\n#if PB_STAGE == 2\n");
  out_.line("if (pb_part_lane == 0)");
  out_.verbatim("#endif\n");
  out_.open("");
  print_node(block[2]);
  out_.close();
  out_.verbatim("#endif\n");
}

/// Declares the place of the group, and that of the work-item in it.
void KernelBlockPrinter::declare_group() {
  const RoundBlockFacts& blocks = *instance_in_blocks(lowered_.tree)->blocks;
  if (parts_) parts_->declare_range();
  declare_group_place();
  std::string flat, size;
  for (int d = 0; d < num_loops(); ++d) {
    flat += (d == 0 ? "" : " + ") + (d == 0 && parts_ ? "pb_local" : "(int)" + dialect_.local_id(d)) + size;
    size += " * PB_GROUP" + std::to_string(d);
  }
  out_.line("const int pb_flat = " + flat + ";");
  declare_squares();
  for (std::size_t d = 0; d < lowered_.vars.size(); ++d) {
    const std::string dim = std::to_string(d), items = "PB_ITEMS" + dim;
    const bool is_first = d == blocks.loops[0];
    const int wide = is_first ? blocks.wide[0] : d == blocks.loops[1] ? blocks.wide[1] : 1;
    std::string run = wide >= 2 ? items + " % 2 == 0 ? 2 : 1" : "1";
    if (wide >= 4) run = items + " % 4 == 0 ? 4 : " + run;
    if (blocks.products) out_.verbatim("#ifdef PB_MATRIX_UNITS\n");
    if (blocks.products) out_.line("const int pb_run" + dim + " = " + (is_first ? "2;" : "1;"));
    if (blocks.products) out_.verbatim("#else\n");
    out_.line("const int pb_run" + dim + " = " + run + ";");
    if (blocks.products) out_.verbatim("#endif\n");
    out_.line("const int pb_leap" + dim + " = PB_GROUP" + dim + " * pb_run" + dim + ";");
    out_.line("const int pb_item" + dim + " = pb_id" + dim + " * pb_run" + dim + ";");
  }
  out_.line("const int pb_block_rounds = PB_BLOCK_ROUNDS;");
}

/// Declares the first instance of the group. Groups that follow one another stand in columns of 8 rows, so
/// that those that run at once read few different cells, which caches then have. Where one column has all groups, their
/// number is their place.
void KernelBlockPrinter::declare_group_place() {
  const std::string rows = "8";
  const RoundBlockFacts& blocks = *instance_in_blocks(lowered_.tree)->blocks;
  const auto groups = [](const std::string& d) {
    return "((uint)pb_extent" + d + " + PB_SPAN" + d + " - 1) / PB_SPAN" + d;
  };
  const auto id = [&](const std::string& d) { return "(uint)" + group_id(std::stoi(d)); };
  const std::string first = std::to_string(blocks.loops[0]), second = std::to_string(blocks.loops[1]);
  out_.line("const uint pb_columns = " + groups(first) + ", pb_rows = " + groups(second) + ";");
  out_.line("const uint pb_number = " + id(first) + " + " + id(second) + " * pb_columns;");
  out_.line("const uint pb_row = pb_rows <= " + rows + " ? 0 : pb_number / (pb_columns * " + rows + ") * " + rows +
            ";");
  out_.line("const uint pb_near = PB_MIN(pb_rows - pb_row, " + rows + "u);");
  out_.line("const uint pb_in_rows = pb_number - pb_row * pb_columns;");
  for (int d = 0; d < num_loops(); ++d) {
    const std::string dim = std::to_string(d);
    const std::string place = dim == first    ? "(pb_columns == 1 ? 0 : pb_in_rows / pb_near)"
                              : dim == second ? "(pb_columns == 1 ? pb_number : pb_row + pb_in_rows % pb_near)"
                                              : group_id(d);
    out_.line("const int pb_group" + dim + " = (int)" + place + " * PB_SPAN" + dim + ";");
    out_.line("const int pb_first" + dim + " = pb_lo" + dim + " + pb_group" + dim + ";");
  }
}

std::string KernelBlockPrinter::group_id(int dim) const {
  return dim == 0 && parts_ ? "pb_group_id" : group_id_text(lowered_, dialect_, dim);
}

/// Declares the work-item's place in its group. 32 work-items that follow one another stand in a rectangle, because
/// then they read fewer different cells than in a line: 8 along the first of the two loops and 4 along the other one.
/// Matrix units want 4 and 8. All of it is unsigned: compilers then know that no index is negative, and read neighbours
/// at once.
void KernelBlockPrinter::declare_squares() {
  const RoundBlockFacts& blocks = *instance_in_blocks(lowered_.tree)->blocks;
  const std::string first = std::to_string(blocks.loops[0]), second = std::to_string(blocks.loops[1]);
  const std::string groups[] = {"PB_GROUP" + first, "PB_GROUP" + second};
  if (blocks.products) {
    out_.verbatim("#ifdef PB_MATRIX_UNITS\n");
    out_.line("const uint pb_across = 4, pb_down = 8;");
    out_.verbatim("#else\n");
  }
  // Two constants behind one another would be warned of.
  out_.line("const bool pb_has_squares = " + groups[0] + " % 8 + " + groups[1] + " % 4 == 0;");
  out_.line("const uint pb_across = pb_has_squares ? 8 : " + groups[0] +
            ", pb_down = pb_has_squares ? 4 : " + groups[1] + ";");
  if (blocks.products) out_.verbatim("#endif\n");
  out_.line("const uint pb_square = (uint)pb_flat / (pb_across * pb_down);");
  out_.line("const uint pb_in_square = (uint)pb_flat % (pb_across * pb_down);");
  out_.line("const uint pb_squares_across = " + groups[0] + " / pb_across, pb_squares_down = " + groups[1] +
            " / pb_down;");
  for (int d = 0; d < num_loops(); ++d) {
    const std::string dim = std::to_string(d), id = "const int pb_id" + dim + " = (int)";
    if (dim == first) {
      out_.line(id + "(pb_in_square % pb_across + pb_square % pb_squares_across * pb_across);");
    } else if (dim == second) {
      out_.line(id + "(pb_in_square / pb_across + pb_square / pb_squares_across % pb_squares_down * pb_down);");
    } else {
      out_.line(id + "(pb_square / (pb_squares_across * pb_squares_down));");
    }
  }
}

void KernelBlockPrinter::print_node(const TreeNode& node) {
  if (const auto* blocks = std::get_if<RoundBlocks>(&node.node)) return print_blocks(*blocks);
  if (const auto* branch = std::get_if<TreeBranch>(&node.node)) return print_branch(*branch);
  if (std::holds_alternative<Barrier>(node.node)) return out_.line(dialect_.barrier);
  PB_CHECK(std::holds_alternative<TreeLoop>(node.node), "a group waits and runs parts of instances");
  const RuleInstance& instance = innermost_instance(node);
  if (instance.part == InstancePart::Rounds) return print_rounds(instance);
  instance.part == InstancePart::End ? print_last_parts(instance) : print_instances(instance);
}

/// Builds know the conditions of blocks.
void KernelBlockPrinter::print_branch(const TreeBranch& branch) {
  const bool is_ahead = branch.condition == copies_ahead();
  PB_CHECK(is_ahead || branch.condition == on_matrix_units(), "blocks branch on what their build knows");
  out_.verbatim(is_ahead ? "#if PB_BLOCK_STAGES == 2\n" : "#ifdef PB_MATRIX_UNITS\n");
  for (const TreeNode& node : branch.then) print_node(node);
  out_.verbatim("#else\n");
  for (const TreeNode& node : branch.otherwise) print_node(node);
  out_.verbatim("#endif\n");
}

/// The limits of loops are the same for all instances, so they are those of the group's first one.
void KernelBlockPrinter::print_blocks(const RoundBlocks& blocks) {
  const RuleInstance& instance = *instance_in_blocks(lowered_.tree);
  const BlockLoopTexts texts = block_loop_texts(rule_, lowered_, instance);
  out_.open("");
  for (int d = 0; d < num_loops(); ++d)
    out_.line("const int " + opencl_name(lowered_.vars[static_cast<std::size_t>(d)]) + " = " + group_var(d) + ";");
  for (const RegionAccess& input : rule_.inputs) operands_.print_sizes(input);
  const std::string limit = parts_ ? "long " : "const long ";
  out_.line(limit + "pb_first = " + texts.first + ";");
  out_.line("const long pb_last = " + texts.last + ";");
  out_.line(limit + "pb_count = " + texts.count + ";");
  if (parts_) parts_->print_range();
  print_wholeness(blocks);
  out_.line((blocks.copies_ahead ? "" : "const ") + std::string("uint pb_panel = 0;"));
  if (blocks.copies_ahead) print_first_copies(blocks);
  out_.line("long pb_done = 0;");
  // Most blocks are whole and lie inside. In their own loop nothing else keeps registers.
  out_.line("if (pb_is_whole)");
  out_.open(std::string("for (; pb_done + ") + (blocks.copies_ahead ? "2 * " : "") +
            "PB_BLOCK_ROUNDS <= pb_count; pb_done += PB_BLOCK_ROUNDS)");
  out_.line("const int pb_rounds = PB_BLOCK_ROUNDS;");
  print_block(blocks, true);
  out_.close();
  out_.open("for (; pb_done < pb_count; pb_done += PB_BLOCK_ROUNDS)");
  out_.line("const int pb_rounds = (int)PB_MIN((long)PB_BLOCK_ROUNDS, pb_count - pb_done);");
  print_block(blocks, false);
  out_.close();
  out_.close();
}

/// Declares whether copies of whole blocks read only cells inside, and read neighbours at once.
void KernelBlockPrinter::print_wholeness(const RoundBlocks& blocks) {
  out_.line("bool pb_is_whole = true;");
  out_.open("");
  out_.line("const int pb_block = (int)pb_first;");
  print_panel_begins(out_, tiles_);
  for (const Copy* copy : copies_of(blocks)) print_panel_wholeness(out_, tiles_, *copy);
  out_.close();
}

/// Fills the panels of the first block.
void KernelBlockPrinter::print_first_copies(const RoundBlocks& blocks) {
  out_.open("if (pb_count > 0)");
  out_.line("const int pb_block = (int)pb_first;");
  print_panel_begins(out_, tiles_);
  for (const Copy* copy : copies_of(blocks)) print_panel_copy(out_, tiles_, *copy, false);
  out_.line(dialect_.barrier);
  out_.close();
}

void KernelBlockPrinter::print_block(const RoundBlocks& blocks, bool is_whole) {
  if (blocks.copies_ahead) return print_block_ahead(blocks, is_whole);
  out_.line("const int pb_block = (int)(pb_first + pb_done);");
  print_panel_begins(out_, tiles_);
  for (const TreeNode& node : blocks.body) {
    if (const auto* copy = std::get_if<Copy>(&node.node)) {
      print_panel_copy(out_, tiles_, *copy, is_whole);
    } else {
      print_node(node);
    }
  }
}

/// Cells of the next block are on their way to registers while this block runs, and then go to the other panels. There
/// is a next block behind those that are whole.
void KernelBlockPrinter::print_block_ahead(const RoundBlocks& blocks, bool is_whole) {
  const std::string has_next = is_whole ? "" : "if (pb_done + PB_BLOCK_ROUNDS < pb_count)";
  const std::vector<const Copy*> copies = copies_of(blocks);
  for (const Copy* copy : copies) print_fetched_cells(out_, tiles_, *copy);
  out_.open(has_next);
  out_.line("const int pb_block = (int)(pb_first + pb_done + PB_BLOCK_ROUNDS);");
  print_panel_begins(out_, tiles_);
  for (const Copy* copy : copies) print_panel_fetch(out_, tiles_, *copy, is_whole);
  out_.close();
  out_.open("");
  out_.line("const int pb_block = (int)(pb_first + pb_done);");
  for (const TreeNode& node : blocks.body)
    if (std::holds_alternative<TreeLoop>(node.node) || std::holds_alternative<TreeBranch>(node.node)) print_node(node);
  out_.close();
  out_.open(has_next);
  for (const Copy* copy : copies) print_panel_store(out_, tiles_, *copy);
  out_.close();
  for (const TreeNode& node : blocks.body)
    if (std::holds_alternative<Barrier>(node.node)) print_node(node);
  out_.line("pb_panel = 1 - pb_panel;");
}

/// Matrix units run 8 rounds at a time, and work-items what is left of a block.
///
/// Whole blocks of short rounds are unrolled by a number that keeps the text of 64 instances below what compilers still
/// unroll.
void KernelBlockPrinter::print_rounds(const RuleInstance& instance) {
  if (instance.on_matrix_units) {
    print_products(out_, tiles_, rule_, instance);
    print_unrolling(out_, "#pragma unroll 1\n");
    out_.open("for (int pb_r = pb_rounds / 8 * 8; pb_r < pb_rounds; ++pb_r)");
    print_round(instance);
    return out_.close();
  }
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

/// All instances of a work-item run in the innermost loop, so that they share what they read. Short loops are written
/// out, so that rounds share it, too: neighbours of a window mostly read the same cells.
void KernelBlockPrinter::print_round(const RuleInstance& instance) {
  const BlockLoopTexts texts = block_loop_texts(rule_, lowered_, instance);
  out_.line(texts.variable);
  for (std::size_t i = 0; i < texts.heads.size(); ++i) {
    if (i + texts.num_unrolled >= texts.heads.size()) print_unrolling(out_, kUnroll);
    out_.open("for (" + texts.heads[i] + ")");
  }
  print_instances(instance);
  for (std::size_t i = 0; i < texts.heads.size(); ++i) out_.close();
}

/// Opens the loops over the instances of a work-item.
void KernelBlockPrinter::open_instances() {
  for (int d = num_loops(); d-- > 0;) {
    const std::string var = "pb_k" + std::to_string(d);
    print_unrolling(out_, kUnroll);
    out_.line("for (int " + var + " = 0; " + var + " < PB_ITEMS" + std::to_string(d) + "; ++" + var + ")");
  }
  out_.open("");
}

void KernelBlockPrinter::print_instances(const RuleInstance& instance) {
  open_instances();
  declare_place();
  operands_.print(instance);
  out_.open("");
  std::string result = rule_.is_return_form ? "if (pb_is_inside) " + KernelOperandPrinter::cell_at("return") : "";
  if (run_stores_ && rule_.is_return_form) result = std::string(kNewCells) + "[pb_own]";
  const bool jumps = print_kernel_body(out_, rule_, lowered_, instance, {result, kDone, {}});
  out_.close();
  if (jumps) out_.line(std::string(kDone) + ":;");
  if (instance.part == InstancePart::End) print_end(instance);
  out_.close();
}

/// Beyond the end the last instance runs again and stores nothing, and so do places of the box without an instance. A
/// whole group has no end.
void KernelBlockPrinter::declare_place(bool is_whole) {
  std::string inside, number;
  for (int d = 0; d < num_loops(); ++d) {
    const std::string dim = std::to_string(d);
    out_.line("const int pb_place" + dim + " = pb_item" + dim + " + pb_k" + dim + " / pb_run" + dim + " * pb_leap" +
              dim + " + pb_k" + dim + " % pb_run" + dim + ";");
    const std::string at = "pb_group" + dim + " + pb_place" + dim;
    out_.line("const int pb_i" + dim + " = " + (is_whole ? at : "PB_MIN(" + at + ", pb_extent" + dim + " - 1)") + ";");
    inside += (d == 0 ? "" : " && ") + ("pb_group" + dim + " + pb_place" + dim + " < pb_extent" + dim);
  }
  for (int d = num_loops(); d-- > 0;)
    number =
        "pb_k" + std::to_string(d) + (number.empty() ? "" : " + PB_ITEMS" + std::to_string(d) + " * (" + number + ")");
  out_.line("const int pb_own = " + number + ";");
  for (int d = 0; d < num_loops(); ++d)
    out_.line("const int " + opencl_name(lowered_.vars[static_cast<std::size_t>(d)]) + " = pb_lo" + std::to_string(d) +
              " + pb_i" + std::to_string(d) + ";");
  const std::string exists = exists_text(program_.transforms[lowered_.transform], conditions_);
  if (!is_whole) out_.line("const bool pb_is_inside = " + inside + (exists.empty() ? "" : " && ") + exists + ";");
}

/// Instances end, and their cells are stored, one by one or in runs.
void KernelBlockPrinter::print_last_parts(const RuleInstance& instance) {
  if (!run_stores_) return print_instances(instance);
  const Matrix& matrix = program_.transforms[lowered_.transform].matrices[rule_.outputs.front().matrix];
  out_.line(element_word(matrix) + " " + kNewCells + "[PB_ITEMS];");
  print_instances(instance);
  print_run_stores(out_, program_, lowered_, operands_, *run_stores_,
                   [this](bool is_whole) { declare_place(is_whole); });
}

void KernelBlockPrinter::print_end(const RuleInstance& instance) {
  for (std::size_t i = 0; i < rule_.outputs.size(); ++i) {
    const OperandKind kind = instance.outputs[i].kind;
    const std::string& name = rule_.outputs[i].binding;
    if (run_stores_ && kind == OperandKind::NewValue)
      out_.line(std::string(kNewCells) + "[pb_own] = " + opencl_name(name) + ";");
    else if (kind == OperandKind::NewValue || kind == OperandKind::OldValue)
      out_.line("if (pb_is_inside) " + KernelOperandPrinter::cell_at(name) + " = " + opencl_name(name) + ";");
  }
}

}  // namespace pb
