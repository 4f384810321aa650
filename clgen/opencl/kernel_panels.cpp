// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_panels.h"

#include "base/panel_rows.h"
#include "clgen/facts/names.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"

namespace pb {
namespace {

using Names = KernelTilePrinter::Names;

std::string tile(const Names& names, std::size_t dim) { return names.binding + "_tile" + std::to_string(dim); }
std::string pitch(const Names& names, std::size_t dim) { return names.binding + "_pitch" + std::to_string(dim); }
std::string from(const Names& names, std::size_t dim) { return names.binding + "_from" + std::to_string(dim); }

std::string padded(const std::string& length) {
  const std::string unit = std::to_string(kPanelUnit);
  return "(" + length + " + " + std::to_string(kPanelUnit - 1) + ") / " + unit + " * " + unit + " + " + unit;
}

std::vector<BufferId> panels_of(const LoopTree& tree) {
  std::vector<BufferId> out;
  for (std::size_t b = 0; b < tree.buffers.size(); ++b)
    if (tree.buffers[b].space == BufferSpace::Panel) out.emplace_back(b);
  return out;
}

/// The dimension along which the rounds walk.
std::size_t walked_dim(const KernelTilePrinter& tiles, const Buffer& panel) {
  return instance_in_blocks(tiles.lowered().tree)->blocks->find(panel.input)->walked;
}

void print_pitches(Writer& out, const Names& names, const Buffer& panel) {
  out.line("const int " + pitch(names, panel.contiguous) + " = 1;");
  std::string next = padded(tile(names, panel.contiguous));
  for (std::size_t d = 0; d < panel.extents.size(); ++d) {
    if (d == panel.contiguous) continue;
    out.line("const int " + pitch(names, d) + " = " + next + ";");
    next = pitch(names, d) + " * " + tile(names, d);
  }
}

/// Declares the last, or the first, coordinate along a dimension of what all instances of the launch read.
void print_bound(Writer& out, const KernelTilePrinter& tiles, const Buffer& panel, std::size_t dim, bool is_last) {
  const KernelTree& kernel = tiles.lowered();
  const RegionAccess& access = tiles.rule().inputs[panel.input];
  const std::string name = tiles.names_of(panel).binding + (is_last ? "_last" : "_least") + std::to_string(dim);
  out.line("int " + name + ";");
  out.open("");
  for (std::size_t l = 0; l < kernel.vars.size(); ++l) {
    const std::string loop = std::to_string(l);
    const bool is_end = (panel.extents[dim].step[l] >= 0) == is_last;
    out.line("const int " + opencl_name(kernel.vars[l]) + " = pb_lo" + loop +
             (is_end ? " + pb_extent" + loop + " - 1;" : ";"));
  }
  const std::string value = kernel_formula((is_last ? access.hi : access.lo)[dim]);
  out.line(name + " = (int)(" + value + ")" + (is_last ? " - 1;" : ";"));
  out.close();
}

}  // namespace

void print_panel_arrays(Writer& out, const KernelTilePrinter& tiles, const LoopTree& tree, const std::string& head) {
  out.verbatim("#ifdef PB_BLOCK_ROUNDS\n");
  int number = 0;
  for (const BufferId id : panels_of(tree))
    out.line(head + tiles.type_of(tree[id]) + " " + tiles.names_of(tree[id]).memory + "[PB_PANEL" +
             std::to_string(number++) + "] __attribute__((aligned(16)));");
  out.verbatim("#endif\n");
}

void print_panel_shapes(Writer& out, const KernelTilePrinter& tiles) {
  const LoopTree& tree = tiles.lowered().tree;
  for (const BufferId id : panels_of(tree)) {
    const Buffer& panel = tree[id];
    const Names names = tiles.names_of(panel);
    const std::size_t walked = walked_dim(tiles, panel);
    for (std::size_t d = 0; d < panel.extents.size(); ++d) {
      out.line("const int " + tile(names, d) + " = " + tiles.length_text(panel.extents[d]) + ";");
      if (d != walked) out.line("const int " + from(names, d) + " = " + tiles.begin_text(panel.extents[d]) + ";");
    }
    print_pitches(out, names, panel);
  }
  walk(tree.root, [&](const TreeNode& node) {
    const auto* copy = std::get_if<Copy>(&node.node);
    if (copy == nullptr || tree[copy->to].space != BufferSpace::Panel) return;
    for (std::size_t d = 0; d < copy->edges.size(); ++d) {
      if (copy->edges[d].may_exceed) print_bound(out, tiles, tree[copy->to], d, true);
      if (copy->edges[d].may_precede) print_bound(out, tiles, tree[copy->to], d, false);
    }
  });
}

void print_panel_begins(Writer& out, const KernelTilePrinter& tiles) {
  const LoopTree& tree = tiles.lowered().tree;
  for (const BufferId id : panels_of(tree)) {
    const std::size_t walked = walked_dim(tiles, tree[id]);
    out.line("const int " + from(tiles.names_of(tree[id]), walked) + " = " +
             tiles.begin_text(tree[id].extents[walked]) + ";");
  }
}

void print_panel_copy(Writer& out, const KernelTilePrinter& tiles, const Copy& copy) {
  PB_CHECK(copy.outside == CopyOutside::Nearest && copy.by == CopyBy::AllItems, "all work-items fill a panel");
  const Buffer& panel = tiles.lowered().tree[copy.to];
  const Names names = tiles.names_of(panel);
  std::vector<std::string> lengths;
  for (std::size_t d = 0; d < panel.extents.size(); ++d) lengths.push_back(tile(names, d));
  out.open("");
  out.line("const int pb_cells = " + joined(lengths, " * ") + ";");
  print_unrolling(out, "#pragma unroll\n");
  out.open("for (int pb_u = 0; pb_u < pb_cells; pb_u += PB_GROUP_ITEMS)");
  out.line("const uint pb_t = (uint)(pb_u + pb_flat);");
  out.open("if (pb_cells % PB_GROUP_ITEMS == 0 || pb_t < (uint)pb_cells)");
  std::string rest = "pb_t", to, cell = "(PB_INDEX)" + names.matrix + "_offset";
  for (std::size_t d = 0; d < panel.extents.size(); ++d) {
    const std::string dim = std::to_string(d), length = "(uint)" + tile(names, d);
    const bool is_last = d + 1 == panel.extents.size();
    out.line("const int pb_t" + dim + " = (int)(" + rest + (is_last ? "" : " % " + length) + ");");
    if (!is_last) {
      out.line("const uint pb_rest" + dim + " = " + rest + " / " + length + ";");
      rest = "pb_rest" + dim;
    }
    std::string at = from(names, d) + " + pb_t" + dim;
    if (copy.edges[d].may_exceed) at = "PB_MIN(" + at + ", " + names.binding + "_last" + dim + ")";
    if (copy.edges[d].may_precede) at = "PB_MAX(" + at + ", " + names.binding + "_least" + dim + ")";
    out.line("const int pb_at" + dim + " = " + at + ";");
    to += (d == 0 ? "" : " + ") + ("pb_t" + dim) + (d == panel.contiguous ? "" : " * " + pitch(names, d));
    cell += " + pb_at" + dim + " * " + names.matrix + "_s" + dim;
  }
  out.line(names.memory + "[" + to + "] = " + names.matrix + "_data[" + cell + "];");
  for (int i = 0; i < 3; ++i) out.close();
}

void print_panel_region(Writer& out, const KernelTilePrinter& tiles, BufferId id,
                        const std::vector<std::size_t>& dims) {
  const Buffer& panel = tiles.lowered().tree[id];
  const Names names = tiles.names_of(panel);
  std::string at = names.memory;
  for (std::size_t d = 0; d < panel.extents.size(); ++d)
    for (std::size_t l = 0; l < tiles.lowered().vars.size(); ++l) {
      const std::int64_t step = panel.extents[d].step[l];
      if (step == 0) continue;
      const std::string loop = std::to_string(l);
      at += " + " + (step > 0 ? "pb_place" + loop : "(PB_SPAN" + loop + " - 1 - pb_place" + loop + ")");
      if (step != 1 && step != -1) at += " * " + std::to_string(step < 0 ? -step : step);
      if (d != panel.contiguous) at += " * " + pitch(names, d);
    }
  const std::string name = "pb_at_" + tiles.rule().inputs[panel.input].binding;
  out.line(tiles.dialect().local + "const " + tiles.type_of(panel) + "* const " + name + " = " + at + ";");
  for (std::size_t k = 0; k < dims.size(); ++k)
    out.line("const int " + name + "_s" + std::to_string(k) + " = " + pitch(names, dims[k]) + ";");
}

}  // namespace pb
