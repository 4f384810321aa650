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

/// How many dimensions of a matrix, from the first one on, panels have whole in all blocks. With the next dimension
/// they are one run of cells, where memory has them so.
std::size_t num_whole_dims(const KernelTilePrinter& tiles, const Buffer& panel, const Matrix& matrix) {
  const RegionAccess& access = tiles.rule().inputs[panel.input];
  const std::size_t walked = walked_dim(tiles, panel);
  std::size_t out = 0;
  while (out + 1 < panel.extents.size() && out != walked && out + 1 != panel.contiguous && out != panel.contiguous) {
    const auto* begin = std::get_if<IntLiteral>(&access.lo[out].node);
    if (begin == nullptr || begin->value != 0 || access.hi[out] != matrix.extents[out]) break;
    ++out;
  }
  return out;
}

/// Prints copies to a panel. A work-item copies runs of cells that are neighbours in the matrix. Of whole blocks it
/// reads a run at once, if its length and its place allow it.
///
/// Where the first dimensions of the matrix are whole, runs go on in the next one, and `pb_t0` is the place in all of
/// them. Neighbours in the panel then lie along another dimension. There a work-item copies as many runs as each is
/// long, side by side, so that it also writes neighbours at once; not if it copies ahead, for want of registers.
class PanelCopyPrinter {
 public:
  PanelCopyPrinter(Writer& out, const KernelTilePrinter& tiles, const Copy& copy, bool is_ahead = false)
      : out_(out),
        tiles_(tiles),
        copy_(copy),
        panel_(tiles.lowered().tree[copy.to]),
        names_(tiles.names_of(panel_)),
        run_(cell_vector(instance_in_blocks(tiles.lowered().tree)->blocks->find(panel_.input)->element)),
        last_(num_whole_dims(tiles, panel_, tiles.matrix_of(panel_))),
        is_ahead_(is_ahead) {
    PB_CHECK(copy.outside == CopyOutside::Nearest && copy.by == CopyBy::AllItems, "all work-items fill a panel");
  }

  void print_copy(bool is_whole) {
    out_.open("");
    declare_runs();
    open_runs();
    out_.line(tiles_.type_of(panel_) + " pb_run[" + std::to_string(run_.length * (has_beside() ? run_.length : 1)) +
              "];");
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

  /// The runs of all whole blocks are aligned if those of the first one are, and if the blocks lie multiples of a run's
  /// length apart. The last one ends where the panel does that it fills, which has more than its rounds where instances
  /// move along the rounds.
  void print_wholeness() {
    const std::size_t walked = walked_dim(tiles_, panel_);
    const std::string length = std::to_string(run_.length);
    const auto stride = [&](std::size_t d) { return stride_name(names_.matrix, d); };
    std::string first = names_.matrix + "_offset", whole = "pb_is_whole";
    // Bit by bit, because clang warns of a logical operator beside a number.
    std::string aligned = "(" + stride(0) + " == 1)";
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::string dim = std::to_string(d), begin = from(names_, d);
      first += " + " + begin + (d == 0 ? "" : " * " + stride(d));
      if (d > last_)
        aligned += " & (" + stride(d) + " % " + length + " == 0)";
      else if (d == walked)
        aligned += " & (PB_BLOCK_ROUNDS * " + stride(d) + " % " + length + " == 0)";
      const std::string last = d == walked ? " + (pb_count / PB_BLOCK_ROUNDS - 1) * PB_BLOCK_ROUNDS" : "";
      const std::string end = begin + last + " + " + tile(names_, d);
      if (copy_.edges[d].may_exceed) whole += " && " + end + " <= " + names_.binding + "_last" + dim + " + 1";
      if (copy_.edges[d].may_precede) whole += " && " + begin + " >= " + names_.binding + "_least" + dim;
    }
    for (std::size_t d = 1; d <= last_; ++d)
      whole += (d == 1 ? " && " + stride(0) + " == 1" : "") + " && " + stride(d) + " == " + stride(d - 1) + " * " +
               tile(names_, d - 1);
    if (run_.length > 1)
      whole += " && ((" + wide_text() + " == 1) | (" + aligned + " & ((ulong)(" + names_.matrix + "_data + (" + first +
               ")) % 16 == 0)))";
    out_.line("pb_is_whole = " + whole + ";");
    // LLVM 15 (PoCL) breaks off where kernels for CPUs copy cells one by one in loops of their own for whole blocks.
    if (run_.length == 1 || !tiles_.dialect().may_run_on_cpus) return;
    out_.verbatim("#ifdef PB_CPU\n");
    out_.line("pb_is_whole = pb_is_whole && " + wide_text() + " == " + length + ";");
    out_.verbatim("#endif\n");
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
  /// Whether work-items may copy runs side by side.
  [[nodiscard]] bool has_beside() const { return is_spread() && run_.length > 1 && !is_ahead_; }
  /// Whether runs go on in further dimensions. Neighbours in the panel lie along a later one.
  [[nodiscard]] bool is_spread() const { return last_ > 0; }

  /// The cells of a whole run of memory.
  [[nodiscard]] std::string row() const {
    std::string out = tile(names_, 0);
    for (std::size_t d = 1; d <= last_; ++d) out += " * " + tile(names_, d);
    return out;
  }
  [[nodiscard]] std::string wide_text() const {
    const std::string length = std::to_string(run_.length);
    return run_.length == 1 ? "1" : "(" + row() + " % " + length + " == 0 ? " + length + " : 1)";
  }
  void declare_runs() {
    const std::string length = std::to_string(run_.length), across = tile(names_, panel_.contiguous);
    out_.line("const int pb_wide = " + wide_text() + ";");
    std::string runs = row() + " / pb_wide";
    for (std::size_t d = last_ + 1; d < rank(); ++d) runs += " * " + tile(names_, d);
    if (has_beside())
      out_.line("const int pb_beside = pb_wide > 1 && " + across + " % " + length + " == 0 && " + pitch(names_, 0) +
                " % " + length + " == 0 ? " + length + " : 1;");
    out_.line("const int pb_runs = " + runs + (has_beside() ? " / pb_beside;" : ";"));
    if (!is_spread()) return;
    // Neighbouring work-items take some runs side by side, so that they write to different banks, and then the next
    // ones in the same rows, so that they read neighbours.
    const std::string side_by_side = has_beside() ? across + " / pb_beside" : across;
    const std::string wanted = has_beside() ? "(pb_wide > pb_beside ? 8 : 4)" : "(pb_wide > 1 ? 8 : 4)";
    out_.line("const uint pb_spread = (" + side_by_side + ") % " + wanted + " == 0 ? " + wanted + " : 1;");
  }

  /// Opens the loop over the runs of a work-item, and declares where a run begins in the panel.
  void open_runs() {
    print_unrolling(out_, "#pragma unroll\n");
    out_.open("for (int pb_u = 0; pb_u < pb_runs; pb_u += PB_GROUP_ITEMS)");
    out_.line("const uint pb_t = (uint)(pb_u + pb_flat);");
    // Only the last run of a work-item needs a test, so that compilers can move the reads of the others together.
    out_.open("if (pb_u + PB_GROUP_ITEMS <= pb_runs || pb_t < (uint)pb_runs)");
    if (is_spread()) return declare_spread_place();
    // Where the number of work-items is a multiple of the length, all runs of a work-item have the same place along it.
    std::string rest = "pb_t";
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::string dim = std::to_string(d);
      const std::string length = "(uint)" + tile(names_, d) + (d == 0 ? " / pb_wide" : "");
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

  void declare_spread_place() {
    const std::string across = has_beside() ? " / pb_beside" : "";
    out_.line("const uint pb_length0 = (uint)(" + row() + ") / pb_wide;");
    out_.line("const int pb_t0 = (int)(pb_t / pb_spread % pb_length0) * pb_wide;");
    std::string rest = "pb_t / pb_spread / pb_length0";
    for (std::size_t d = last_ + 1; d < rank(); ++d) {
      const std::string dim = std::to_string(d), begin = "const int pb_t" + dim + " = (int)(";
      const bool is_beside = d == panel_.contiguous;
      const std::string length = "((uint)" + tile(names_, d) + (is_beside ? across + " / pb_spread)" : ")");
      out_.line("const uint pb_rest" + dim + " = " + rest + ";");
      const std::string at = "pb_rest" + dim + (d + 1 == rank() ? "" : " % " + length);
      out_.line(begin + (is_beside ? "(" + at + ") * pb_spread + pb_t % pb_spread" : at) + ")" +
                (is_beside && has_beside() ? " * pb_beside;" : ";"));
      rest = "pb_rest" + dim + " / " + length;
    }
  }

  /// Opens the loop over runs that are side by side.
  void open_beside() {
    if (!has_beside()) return out_.open("");
    print_unrolling(out_, kUnroll);
    out_.open("for (int pb_a = 0; pb_a < pb_beside; ++pb_a)");
  }
  [[nodiscard]] std::string of_run(const std::string& base) const {
    return base + (has_beside() ? "pb_a * pb_wide + " : "");
  }

  /// The cell at the beginning of a run. In a vector, and where the first dimensions are whole, it is known that memory
  /// has neighbours as such.
  [[nodiscard]] std::string whole_cell(bool is_vector) const {
    std::string out = "(PB_INDEX)" + names_.matrix + "_offset";
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::string dim = std::to_string(d);
      std::string at = d == 0 && !is_spread() ? from(names_, 0) + " + pb_t0"
                       : d <= last_           ? from(names_, d)
                                              : from(names_, d) + " + pb_t" + dim;
      if (d == panel_.contiguous && has_beside()) at += " + pb_a";
      const bool is_sum = d > last_ || !is_spread();
      out += " + " + (is_sum ? "(" + at + ")" : at) +
             (d == 0 && (is_vector || is_spread()) ? "" : " * " + stride_name(names_.matrix, d));
    }
    return out + (is_spread() ? " + pb_t0" : "");
  }

  void print_whole_reads(const std::string& to, const std::string& base) {
    const std::string data = names_.matrix + "_data", one = to + "[" + of_run(base) + "0] = " + data;
    open_beside();
    if (run_.length > 1) {
      out_.open("if (pb_wide == " + std::to_string(run_.length) + ")");
      out_.line("const " + run_.type + " pb_read = *(" + tiles_.dialect().global + "const " + run_.type + "*)(" + data +
                " + (" + whole_cell(true) + "));");
      for (int e = 0; e < run_.length; ++e)
        out_.line(to + "[" + of_run(base) + std::to_string(e) + "] = pb_read." + "xyzw"[e] + ";");
      out_.reopen("else");
    }
    out_.line(one + "[" + whole_cell(false) + "];");
    if (run_.length > 1) out_.close();
    out_.close();
  }

  void print_reads(const std::string& to, const std::string& base, bool is_whole) {
    if (is_whole) return print_whole_reads(to, base);
    const std::string matrix = names_.matrix;
    std::string cell = "(PB_INDEX)" + matrix + "_offset", rest = "(pb_t0 + pb_e)";
    open_beside();
    print_unrolling(out_, "#pragma unroll\n");
    out_.open("for (int pb_e = 0; pb_e < pb_wide; ++pb_e)");
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::string dim = std::to_string(d);
      std::string place = d > last_    ? "pb_t" + dim
                          : d == last_ ? rest
                                       : "(int)((uint)" + rest + " % " + tile(names_, d) + ")";
      if (d < last_) rest = "(int)((uint)" + rest + " / " + tile(names_, d) + ")";
      if (d == panel_.contiguous && has_beside()) place += " + pb_a";
      std::string at = from(names_, d) + " + " + place;
      if (copy_.edges[d].may_exceed) at = "PB_MIN(" + at + ", " + names_.binding + "_last" + dim + ")";
      if (copy_.edges[d].may_precede) at = "PB_MAX(" + at + ", " + names_.binding + "_least" + dim + ")";
      out_.line("const int pb_at" + dim + " = " + at + ";");
      cell += " + pb_at" + dim + " * " + stride_name(matrix, d);
    }
    out_.line(to + "[" + of_run(base) + "pb_e] = " + matrix + "_data[" + cell + "];");
    out_.close();
    out_.close();
  }

  void print_writes(const std::string& of, const std::string& base, const std::string& panel) {
    const std::string begin = panel + " * " + panel_size(tiles_, copy_.to);
    std::string place;
    for (std::size_t d = last_ + 1; d < rank(); ++d)
      place += " + pb_t" + std::to_string(d) + (d == panel_.contiguous ? "" : " * " + pitch(names_, d));
    const std::string vector =
        "*(" + tiles_.dialect().local + run_.type + "*)(" + names_.memory + " + " + begin + " + ";
    const bool has_runs = panel_.contiguous == 0 && run_.length > 1;
    if (has_runs) {
      out_.open("if (pb_wide == " + std::to_string(run_.length) + ")");
      print_vector([&](int e) { return of + "[" + base + std::to_string(e) + "]"; });
      out_.line(vector + "pb_t0" + place + ") = pb_written;");
      out_.reopen("else");
    } else if (has_beside()) {
      out_.open("if (pb_beside == " + std::to_string(run_.length) + ")");
      for (int e = 0; e < run_.length; ++e) {
        out_.open("");
        print_vector([&](int a) { return of + "[" + std::to_string(a * run_.length + e) + "]"; });
        out_.line(vector + "(pb_t0 + " + std::to_string(e) + ") * " + pitch(names_, 0) + place + ") = pb_written;");
        out_.close();
      }
      out_.reopen("else");
    }
    print_unrolling(out_, "#pragma unroll\n");
    out_.line("for (int pb_e = 0; pb_e < pb_wide; ++pb_e)");
    out_.line("  " + names_.memory + "[" + begin + " + (pb_t0 + pb_e)" +
              (panel_.contiguous == 0 ? "" : " * " + pitch(names_, 0)) + place + "] = " + of + "[" + base + "pb_e];");
    if (has_runs || has_beside()) out_.close();
  }

  /// Declares what is written at once.
  template <class Cell>
  void print_vector(Cell cell) {
    out_.line(run_.type + " pb_written;");
    for (int e = 0; e < run_.length; ++e) out_.line(std::string("pb_written.") + "xyzw"[e] + " = " + cell(e) + ";");
  }

  Writer& out_;
  const KernelTilePrinter& tiles_;
  const Copy& copy_;
  const Buffer& panel_;
  const Names names_;
  const CellVector run_;    ///< cells that are read or written at once
  const std::size_t last_;  ///< the dimension that the runs of memory end in
  const bool is_ahead_;     ///< cells lie in registers before they are written
};

}  // namespace

void print_panel_arrays(Writer& out, const KernelTilePrinter& tiles, const LoopTree& tree, const std::string& head) {
  const bool has_parts = instance_in_blocks(tree)->blocks->has_parts;
  out.verbatim(has_parts ? "#if defined(PB_BLOCK_ROUNDS) && PB_STAGE != 2\n" : "#ifdef PB_BLOCK_ROUNDS\n");
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
  PanelCopyPrinter(out, tiles, copy, true).declare_cells();
}

void print_panel_fetch(Writer& out, const KernelTilePrinter& tiles, const Copy& copy, bool is_whole) {
  PanelCopyPrinter(out, tiles, copy, true).print_fetch(is_whole);
}

void print_panel_store(Writer& out, const KernelTilePrinter& tiles, const Copy& copy) {
  PanelCopyPrinter(out, tiles, copy, true).print_store();
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
    out.line("const int " + stride_name(name, k) + " = " + pitch(names, dims[k]) + ";");
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
