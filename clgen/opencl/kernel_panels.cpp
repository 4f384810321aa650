// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_panels.h"

#include <algorithm>
#include <set>

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

std::string padded(const std::string& length, const std::string& gap) {
  const std::string unit = std::to_string(kPanelUnit);
  return "(" + length + " + " + std::to_string(kPanelUnit - 1) + ") / " + unit + " * " + unit + " + " + gap;
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

void print_pitches(Writer& out, const Names& names, const Buffer& panel, const std::string& gap) {
  out.line("const int " + pitch(names, panel.contiguous) + " = 1;");
  std::string next = padded(tile(names, panel.contiguous), gap);
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

/// The elements of a panel.
std::string panel_size(const KernelTilePrinter& tiles, BufferId id) {
  const std::vector<BufferId> all = panels_of(tiles.lowered().tree);
  return "PB_PANEL" + std::to_string(std::find(all.begin(), all.end(), id) - all.begin());
}

/// Prints copies to a panel. A work-item copies runs of cells that are neighbours in the matrix. Of whole blocks it
/// reads a run at once.
class PanelCopyPrinter {
 public:
  PanelCopyPrinter(Writer& out, const KernelTilePrinter& tiles, const Copy& copy)
      : out_(out),
        tiles_(tiles),
        copy_(copy),
        panel_(tiles.lowered().tree[copy.to]),
        names_(tiles.names_of(panel_)),
        run_(cell_vector(instance_in_blocks(tiles.lowered().tree)->blocks->find(panel_.input)->element)) {
    PB_CHECK(copy.outside == CopyOutside::Nearest && copy.by == CopyBy::AllItems, "all work-items fill a panel");
  }

  void print_copy(bool is_whole) {
    out_.open("");
    declare_runs();
    open_runs();
    out_.line(tiles_.type_of(panel_) + " pb_run[" + std::to_string(run_.length) + "];");
    print_reads("pb_run", "", is_whole);
    print_writes("pb_run", "", "pb_panel");
    close_runs();
    out_.close();
  }

  void declare_cells() {
    const std::string most = std::to_string(run_.length);
    out_.line(tiles_.type_of(panel_) + " " + cells() + "[(" + panel_size(tiles_, copy_.to) + " / (PB_GROUP_ITEMS * " +
              most + ") + 1) * " + most + "];");
  }

  void print_fetch(bool is_whole) {
    out_.open("");
    declare_runs();
    open_runs();
    print_reads(cells(), "pb_u / PB_GROUP_ITEMS * pb_wide + ", is_whole);
    close_runs();
    out_.close();
  }

  /// The runs of all whole blocks are aligned if those of the first one are, because their distance is a multiple of
  /// their length.
  void print_wholeness() {
    const std::size_t walked = walked_dim(tiles_, panel_);
    const std::string length = std::to_string(run_.length), stride = names_.matrix + "_s";
    std::string first = names_.matrix + "_offset", whole = "pb_is_whole";
    if (run_.length > 1) whole += " && " + tile(names_, 0) + " % " + length + " == 0 && " + stride + "0 == 1";
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::string dim = std::to_string(d), begin = from(names_, d);
      first += " + " + begin + (d == 0 ? "" : " * " + stride + dim);
      if (d > 0 && run_.length > 1) whole += " && " + stride + dim + " % " + length + " == 0";
      const std::string end =
          d == walked ? begin + " + pb_count / PB_BLOCK_ROUNDS * PB_BLOCK_ROUNDS" : begin + " + " + tile(names_, d);
      if (copy_.edges[d].may_exceed) whole += " && " + end + " <= " + names_.binding + "_last" + dim + " + 1";
      if (copy_.edges[d].may_precede) whole += " && " + begin + " >= " + names_.binding + "_least" + dim;
    }
    if (run_.length > 1) whole += " && (ulong)(" + names_.matrix + "_data + (" + first + ")) % 16 == 0";
    out_.line("pb_is_whole = " + whole + ";");
  }

  void print_store() {
    out_.open("");
    declare_runs();
    open_runs();
    print_writes(cells(), "pb_u / PB_GROUP_ITEMS * pb_wide + ", "(1 - pb_panel)");
    close_runs();
    out_.close();
  }

 private:
  [[nodiscard]] std::string cells() const { return "pb_next_" + names_.binding.substr(names_.binding.find('_') + 1); }
  [[nodiscard]] std::size_t rank() const { return panel_.extents.size(); }

  [[nodiscard]] std::string wide_text() const {
    const std::string length = std::to_string(run_.length);
    return run_.length == 1 ? "1" : tile(names_, 0) + " % " + length + " == 0 ? " + length + " : 1";
  }
  void declare_runs() {
    out_.line("const int pb_wide = " + wide_text() + ";");
    std::string runs = tile(names_, 0) + " / pb_wide";
    for (std::size_t d = 1; d < rank(); ++d) runs += " * " + tile(names_, d);
    out_.line("const int pb_runs = " + runs + ";");
  }

  /// Opens the loop over the runs of a work-item, and declares where a run begins in the panel.
  void open_runs() {
    print_unrolling(out_, "#pragma unroll\n");
    out_.open("for (int pb_u = 0; pb_u < pb_runs; pb_u += PB_GROUP_ITEMS)");
    out_.line("const uint pb_t = (uint)(pb_u + pb_flat);");
    // Only the last run of a work-item needs a test, so that compilers can move the reads of the others together.
    out_.open("if (pb_u + PB_GROUP_ITEMS <= pb_runs || pb_t < (uint)pb_runs)");
    // Where the number of work-items is a multiple of the length, all runs of a work-item have the same place along it.
    std::string rest = "pb_t";
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::string dim = std::to_string(d), length = "(uint)" + tile(names_, d) + (d == 0 ? " / pb_wide" : "");
      const std::string width = d == 0 ? " * pb_wide" : "";
      if (d + 1 == rank()) {
        out_.line("const int pb_t" + dim + " = (int)" + rest + width + ";");
        continue;
      }
      const std::string number = "pb_length" + dim, same = "pb_same" + dim;
      out_.line("const uint " + number + " = " + length + ";");
      if (d == 0) {
        out_.line("const bool " + same + " = PB_GROUP_ITEMS % " + number + " == 0;");
        out_.line("const int pb_t0 = (int)((" + same + " ? (uint)pb_flat : pb_t) % " + number + ")" + width + ";");
        out_.line("const uint pb_rest0 = " + same + " ? (uint)pb_flat / " + number + " + (uint)pb_u / " + number +
                  " : pb_t / " + number + ";");
      } else {
        out_.line("const int pb_t" + dim + " = (int)(" + rest + " % " + number + ");");
        out_.line("const uint pb_rest" + dim + " = " + rest + " / " + number + ";");
      }
      rest = "pb_rest" + dim;
    }
  }
  void close_runs() {
    out_.close();
    out_.close();
  }

  void print_reads(const std::string& to, const std::string& base, bool is_whole) {
    const std::string matrix = names_.matrix;
    std::string cell = "(PB_INDEX)" + matrix + "_offset";
    if (is_whole) {
      for (std::size_t d = 0; d < rank(); ++d)
        cell += " + (" + from(names_, d) + " + pb_t" + std::to_string(d) + ")" +
                (d == 0 ? "" : " * " + matrix + "_s" + std::to_string(d));
      if (run_.length == 1) return out_.line(to + "[" + base + "0] = " + matrix + "_data[" + cell + "];");
      out_.line("const " + run_.type + " pb_read = *(" + tiles_.dialect().global + "const " + run_.type + "*)(" +
                matrix + "_data + (" + cell + "));");
      for (int e = 0; e < run_.length; ++e)
        out_.line(to + "[" + base + std::to_string(e) + "] = pb_read." + "xyzw"[e] + ";");
      return;
    }
    print_unrolling(out_, "#pragma unroll\n");
    out_.open("for (int pb_e = 0; pb_e < pb_wide; ++pb_e)");
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::string dim = std::to_string(d);
      std::string at = from(names_, d) + " + pb_t" + dim + (d == 0 ? " + pb_e" : "");
      if (copy_.edges[d].may_exceed) at = "PB_MIN(" + at + ", " + names_.binding + "_last" + dim + ")";
      if (copy_.edges[d].may_precede) at = "PB_MAX(" + at + ", " + names_.binding + "_least" + dim + ")";
      out_.line("const int pb_at" + dim + " = " + at + ";");
      cell += " + pb_at" + dim + " * " + matrix + "_s" + dim;
    }
    out_.line(to + "[" + base + "pb_e] = " + matrix + "_data[" + cell + "];");
    out_.close();
  }

  void print_writes(const std::string& of, const std::string& base, const std::string& panel) {
    const std::string begin = panel + " * " + panel_size(tiles_, copy_.to);
    std::string place;
    for (std::size_t d = 1; d < rank(); ++d)
      place += " + pb_t" + std::to_string(d) + (d == panel_.contiguous ? "" : " * " + pitch(names_, d));
    const bool has_runs = panel_.contiguous == 0 && run_.length > 1;
    if (has_runs) {
      out_.open("if (pb_wide == " + std::to_string(run_.length) + ")");
      out_.line(run_.type + " pb_written;");
      for (int e = 0; e < run_.length; ++e)
        out_.line(std::string("pb_written.") + "xyzw"[e] + " = " + of + "[" + base + std::to_string(e) + "];");
      out_.line("*(" + tiles_.dialect().local + run_.type + "*)(" + names_.memory + " + " + begin + " + pb_t0" + place +
                ") = pb_written;");
      out_.reopen("else");
    }
    print_unrolling(out_, "#pragma unroll\n");
    out_.line("for (int pb_e = 0; pb_e < pb_wide; ++pb_e)");
    out_.line("  " + names_.memory + "[" + begin + " + (pb_t0 + pb_e)" +
              (panel_.contiguous == 0 ? "" : " * " + pitch(names_, 0)) + place + "] = " + of + "[" + base + "pb_e];");
    if (has_runs) out_.close();
  }

  Writer& out_;
  const KernelTilePrinter& tiles_;
  const Copy& copy_;
  const Buffer& panel_;
  const Names names_;
  const CellVector run_;  ///< cells that are read or written at once
};

}  // namespace

void print_panel_arrays(Writer& out, const KernelTilePrinter& tiles, const LoopTree& tree, const std::string& head) {
  out.verbatim("#ifdef PB_BLOCK_ROUNDS\n");
  for (const BufferId id : panels_of(tree))
    out.line(head + tiles.type_of(tree[id]) + " " + tiles.names_of(tree[id]).memory + "[" + panel_size(tiles, id) +
             " * PB_BLOCK_STAGES] __attribute__((aligned(16)));");
  out.verbatim("#endif\n");
}

void print_panel_shapes(Writer& out, const KernelTilePrinter& tiles) {
  const LoopTree& tree = tiles.lowered().tree;
  const auto& products = instance_in_blocks(tree)->blocks->products;
  const bool has_split_floats = products && products->element == ElementType::Float;
  const std::string gap = has_split_floats ? "PB_PANEL_GAP" : std::to_string(kPanelGap);
  for (const BufferId id : panels_of(tree)) {
    const Buffer& panel = tree[id];
    const Names names = tiles.names_of(panel);
    const std::size_t walked = walked_dim(tiles, panel);
    for (std::size_t d = 0; d < panel.extents.size(); ++d) {
      out.line("const int " + tile(names, d) + " = " + tiles.length_text(panel.extents[d]) + ";");
      if (d != walked) out.line("const int " + from(names, d) + " = " + tiles.begin_text(panel.extents[d]) + ";");
    }
    print_pitches(out, names, panel, gap);
  }
  std::set<BufferId> done;
  walk(tree.root, [&](const TreeNode& node) {
    const auto* copy = std::get_if<Copy>(&node.node);
    if (copy == nullptr || tree[copy->to].space != BufferSpace::Panel || !done.insert(copy->to).second) return;
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

void print_panel_wholeness(Writer& out, const KernelTilePrinter& tiles, const Copy& copy) {
  PanelCopyPrinter(out, tiles, copy).print_wholeness();
}

void print_panel_copy(Writer& out, const KernelTilePrinter& tiles, const Copy& copy, bool is_whole) {
  PanelCopyPrinter(out, tiles, copy).print_copy(is_whole);
}

void print_fetched_cells(Writer& out, const KernelTilePrinter& tiles, const Copy& copy) {
  PanelCopyPrinter(out, tiles, copy).declare_cells();
}

void print_panel_fetch(Writer& out, const KernelTilePrinter& tiles, const Copy& copy, bool is_whole) {
  PanelCopyPrinter(out, tiles, copy).print_fetch(is_whole);
}

void print_panel_store(Writer& out, const KernelTilePrinter& tiles, const Copy& copy) {
  PanelCopyPrinter(out, tiles, copy).print_store();
}

void print_panel_region(Writer& out, const KernelTilePrinter& tiles, BufferId id,
                        const std::vector<std::size_t>& dims) {
  const Buffer& panel = tiles.lowered().tree[id];
  const Names names = tiles.names_of(panel);
  std::string at = names.memory + " + pb_panel * " + panel_size(tiles, id);
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

std::string panel_step(const KernelTilePrinter& tiles, BufferId id, std::size_t loop) {
  const Buffer& panel = tiles.lowered().tree[id];
  std::string out;
  for (std::size_t d = 0; d < panel.extents.size(); ++d) {
    const std::int64_t step = panel.extents[d].step[loop];
    if (step == 0) continue;
    out += (out.empty() ? "" : " + ") + std::to_string(step);
    if (d != panel.contiguous) out += " * " + pitch(tiles.names_of(panel), d);
  }
  return out;
}

}  // namespace pb
