// SPDX-License-Identifier: MIT
#include "clgen/lower/tree/loop_tree.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lang/check.h"

namespace pb {
namespace {

std::string numbered(const char* stem, int dim) { return stem + std::to_string(dim); }

/// The distance of a group's last instance from its first along loop `dim`.
IndexExpr last_of_group(int dim) { return index_sub(group_span(dim), index_const(1)); }

IndexExpr times(std::int64_t factor, IndexExpr expr) { return index_mul(index_const(factor), std::move(expr)); }

}  // namespace

IndexExpr box_lo(int dim) { return index_symbol(numbered("pb_lo", dim)); }
IndexExpr box_extent(int dim) { return index_symbol(numbered("pb_extent", dim)); }
IndexExpr group_size(int dim) { return index_symbol(numbered("pb_group_size", dim)); }
IndexExpr group_span(int dim) { return index_symbol(numbered("pb_span", dim)); }
IndexExpr loop_begin(const std::string& var) { return index_symbol("pb_lo_" + var); }
IndexExpr loop_end(const std::string& var) { return index_symbol("pb_hi_" + var); }
IndexExpr inside_begin(const std::string& var) { return index_symbol("pb_first_" + var); }
IndexExpr inside_end(const std::string& var) { return index_symbol("pb_last_" + var); }
IndexExpr tile_begin(std::size_t dim) { return index_symbol("pb_tile.lo[" + std::to_string(dim) + "]"); }
IndexExpr tile_end(std::size_t dim) { return index_symbol("pb_tile.hi[" + std::to_string(dim) + "]"); }
IndexExpr item_run(int dim) { return index_symbol(numbered("pb_run", dim)); }
IndexExpr item_leap(int dim) { return index_symbol(numbered("pb_leap", dim)); }
IndexExpr block_rounds() { return index_symbol("pb_block_rounds"); }
std::string block_var() { return "pb_block"; }
std::string group_var(int dim) { return numbered("pb_first", dim); }
std::string item_var(int dim) { return numbered("pb_item", dim); }
std::string lane_var() { return "pb_lane"; }
IndexExpr num_lanes() { return index_symbol("pb_lanes"); }
std::string fold_group_var() { return "pb_fold_group"; }
IndexExpr num_fold_groups() { return index_symbol("pb_fold_groups"); }

IndexExpr begin_of(const GroupExtent& extent, const std::vector<std::string>& vars) {
  std::vector<std::pair<std::string, IndexExpr>> of_group;
  for (std::size_t l = 0; l < vars.size(); ++l) {
    const int dim = static_cast<int>(l);
    const IndexExpr first = index_symbol(group_var(dim));
    of_group.emplace_back(vars[l], extent.step[l] < 0 ? index_add(first, last_of_group(dim)) : first);
  }
  return substitute(extent.begin_of_one, of_group);
}

IndexExpr length_of(const GroupExtent& extent) {
  IndexExpr out = extent.extent_of_one;
  for (int dim = 0; dim < kMaxItemDims; ++dim) {
    const std::int64_t step = extent.step[static_cast<std::size_t>(dim)];
    if (step != 0) out = index_add(std::move(out), times(step < 0 ? -step : step, last_of_group(dim)));
  }
  return out;
}

IndexExpr place_of(const GroupExtent& extent, const std::vector<std::string>& vars) {
  IndexExpr out = index_const(0);
  for (std::size_t l = 0; l < vars.size(); ++l) {
    const int dim = static_cast<int>(l);
    const std::int64_t step = extent.step[l];
    if (step == 0) continue;
    const IndexExpr local = index_sub(index_symbol(vars[l]), index_symbol(group_var(dim)));
    out = index_add(std::move(out), step > 0 ? times(step, local) : times(-step, index_sub(last_of_group(dim), local)));
  }
  return out;
}

const char* to_string(OperandKind kind) {
  switch (kind) {
    case OperandKind::Number:
      return "number";
    case OperandKind::Value:
      return "value";
    case OperandKind::BorderCell:
      return "border cell";
    case OperandKind::Cells:
      return "cells";
    case OperandKind::SharedCells:
      return "shared cells";
    case OperandKind::Staged:
      return "staged";
    case OperandKind::Result:
      return "result";
    case OperandKind::NewValue:
      return "new value";
    case OperandKind::OldValue:
      return "old value";
    case OperandKind::Continued:
      return "one step back";
  }
  PB_CHECK(false, "every kind of operand has a word");
  return "";
}

// Written out: clang 14 recurses without end in a defaulted comparison of a type that contains itself.
bool TreeNode::operator==(const TreeNode& other) const { return node == other.node; }
bool TreeLoop::operator==(const TreeLoop&) const = default;
bool TreeBranch::operator==(const TreeBranch&) const = default;
bool RowBlocks::operator==(const RowBlocks&) const = default;
bool Strips::operator==(const Strips&) const = default;
bool RoundBlocks::operator==(const RoundBlocks&) const = default;
bool InsideBox::operator==(const InsideBox&) const = default;

const RuleInstance& instance_of(const LoopTree& tree) {
  const RuleInstance* found = nullptr;
  walk(tree.root, [&](const TreeNode& node) {
    const auto* instance = std::get_if<RuleInstance>(&node.node);
    if (instance == nullptr || !instance->divided.empty() || instance->part != InstancePart::Whole) return;
    PB_CHECK(found == nullptr, "the tree has one instance");
    found = instance;
  });
  PB_CHECK(found != nullptr, "the tree has an instance");
  return *found;
}

const RuleInstance* instance_with_lanes(const LoopTree& tree) {
  const RuleInstance* found = nullptr;
  walk(tree.root, [&](const TreeNode& node) {
    const auto* instance = std::get_if<RuleInstance>(&node.node);
    if (instance != nullptr && !instance->divided.empty() && instance->kept.empty()) found = instance;
  });
  return found;
}

const RuleInstance* instance_that_keeps(const LoopTree& tree) {
  const RuleInstance* found = nullptr;
  walk(tree.root, [&](const TreeNode& node) {
    const auto* instance = std::get_if<RuleInstance>(&node.node);
    if (instance != nullptr && !instance->kept.empty()) found = instance;
  });
  return found;
}

bool keeps_values(const RuleInstance& instance) {
  return std::any_of(instance.outputs.begin(), instance.outputs.end(),
                     [](const Operand& output) { return output.kind == OperandKind::OldValue; });
}

bool has_running_places(const LoopTree& tree) {
  const RuleInstance* const instance = instance_with_lanes(tree);
  return instance != nullptr && std::any_of(instance->divided.begin(), instance->divided.end(),
                                            [](const DividedFold& divided) { return divided.num_running > 0; });
}

bool may_differ_in_bins(const Rule& rule, const RuleInstance& instance) {
  const auto moves = [](const Formula& end) { return !symbols_of(end, SymbolKind::RuleVar).empty(); };
  for (const DividedFold& divided : instance.divided) {
    for (const Accumulator& bins : divided.bins) {
      const RegionAccess& access = rule.outputs[bins.binding.index];
      for (std::size_t d = 0; d < access.lo.size(); ++d)
        if (!access.is_fixed_dim(d) && (moves(access.lo[d]) || moves(access.hi[d]))) return true;
    }
  }
  return false;
}

bool has_ordered_bins(const LoopTree& tree) {
  const RuleInstance* const instance = instance_with_lanes(tree);
  return instance != nullptr && std::any_of(instance->divided.begin(), instance->divided.end(),
                                            [](const DividedFold& divided) { return divided.is_ordered; });
}

bool has_stages(const RuleInstance& instance) {
  return std::any_of(instance.divided.begin(), instance.divided.end(),
                     [](const DividedFold& divided) { return divided.stage > 0; });
}

const RuleInstance* instance_in_blocks(const LoopTree& tree) {
  const RuleInstance* found = nullptr;
  walk(tree.root, [&](const TreeNode& node) {
    const auto* instance = std::get_if<RuleInstance>(&node.node);
    if (instance != nullptr && instance->part == InstancePart::Rounds) found = instance;
  });
  return found;
}

const LineScans* scans_of(const LoopTree& tree) {
  return tree.root.empty() ? nullptr : std::get_if<LineScans>(&tree.root.front().node);
}

const Waves* waves_of(const LoopTree& tree) {
  return tree.root.empty() ? nullptr : std::get_if<Waves>(&tree.root.front().node);
}

const RuleInstance* instance_of_launch(const LoopTree& tree) {
  if (const LineScans* scans = scans_of(tree)) return &scans->instance;
  const Waves* waves = waves_of(tree);
  return waves == nullptr ? nullptr : &waves->instance;
}

int scanned_bytes(const LineScans& scans) {
  int out = scan_part_bytes(scans);
  for (std::size_t k = 0; k < scans.types.size(); ++k)
    if (scans.same_factors[k]) out -= size_bytes(scans.types[k]);
  return out;
}

int scan_part_bytes(const LineScans& scans) {
  int out = 0;
  for (std::size_t k = 0; k < scans.types.size(); ++k)
    out += size_bytes(scans.types[k]) * (has_factor(scans.scan.values[k]) ? 2 : 1);
  return out;
}

int record_words(const LineScans& scans) {
  int out = 0;
  for (std::size_t k = 0; k < scans.types.size(); ++k)
    out += (size_bytes(scans.types[k]) + 3) / 4 * (has_factor(scans.scan.values[k]) ? 2 : 1);
  return out;
}

bool may_copy_ahead(const LoopTree& tree) {
  bool found = false;
  walk(tree.root, [&](const TreeNode& node) {
    const auto* blocks = std::get_if<RoundBlocks>(&node.node);
    found = found || (blocks != nullptr && blocks->copies_ahead);
  });
  return found;
}

bool has_barrier(const LoopTree& tree) {
  int in_all = 0, in_blocks = 0;
  walk(tree.root, [&](const TreeNode& node) {
    in_all += std::holds_alternative<Barrier>(node.node) ? 1 : 0;
    const auto* blocks = std::get_if<RoundBlocks>(&node.node);
    if (blocks == nullptr) return;
    walk(blocks->body,
         [&](const TreeNode& inner) { in_blocks += std::holds_alternative<Barrier>(inner.node) ? 1 : 0; });
  });
  return in_all > in_blocks;
}

std::vector<Buffer> parameter_buffers(const LoopTree& tree) {
  std::vector<Buffer> out;
  std::copy_if(tree.buffers.begin(), tree.buffers.end(), std::back_inserter(out),
               [](const Buffer& buffer) { return buffer.space != BufferSpace::Panel; });
  return out;
}

}  // namespace pb
