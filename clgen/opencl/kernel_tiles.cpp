// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_tiles.h"

#include <algorithm>
#include <utility>

#include "clgen/index_width.h"
#include "clgen/names.h"
#include "clgen/opencl/kernel_body.h"

namespace pb {

const InputBox* box_of(const Step& step, std::size_t input) {
  for (const InputBox& box : step.input_boxes)
    if (box.input == input) return &box;
  return nullptr;
}

std::string element_word(const Matrix& matrix) {
  return matrix.is_element_t ? "ElementT" : opencl_type(matrix.element);
}

namespace {

class TilePrinter {
 public:
  TilePrinter(Writer& out, const Transform& transform, const Rule& rule, const Step& step)
      : out_(out), transform_(transform), rule_(rule), step_(step) {}

  /// The first instance of the work-group.
  void print_group() {
    for (int d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      out_.line("const int pb_group" + dim + " = (int)get_group_id(" + dim + ") * (int)get_local_size(" + dim + ");");
      out_.line("const int pb_first" + dim + " = pb_lo" + dim + " + pb_group" + dim + ";");
    }
  }

  /// Loads one tile.
  void print_tile(const KernelTile& tile) {
    const RegionAccess& input = rule_.inputs[tile.input];
    const Matrix& matrix = transform_.matrices[input.matrix];
    const InputBox& box = *box_of(step_, tile.input);
    const std::string name = "pb_" + input.binding;
    const std::size_t rank = tile.extent.size();
    for (std::size_t d = 0; d < rank; ++d) {
      const std::string dim = std::to_string(d);
      std::vector<std::pair<std::string, IndexExpr>> first;
      for (const std::string& size : transform_.size_names())
        if (opencl_name(size) != size) first.emplace_back(size, index_symbol(opencl_name(size)));
      std::string extent = to_opencl(substitute(tile.extent[d], first));
      for (int l = 0; l < num_loops(); ++l) {
        const std::string number = std::to_string(l);
        const std::int64_t step = tile.step[d][static_cast<std::size_t>(l)];
        const std::string past = "((int)get_local_size(" + number + ") - 1)";
        if (step != 0)
          extent += " + " + (step == 1 || step == -1 ? past : std::to_string(step < 0 ? -step : step) + " * " + past);
        first.emplace_back(loop(l).var,
                           index_symbol(step < 0 ? "(pb_first" + number + " + " + past + ")" : "pb_first" + number));
      }
      out_.line("const int " + name + "_tile" + dim + " = " + extent + ";");
      out_.line("const int " + name + "_from" + dim + " = " +
                to_index_opencl(substitute(box.lo[d], first), transform_, kEndInside) + ";");
    }
    const TileNames names{name, "pb_" + matrix.name, "pb_tile_" + input.binding};
    // A group's work-items run one after the other on a CPU: the first copies whole rows, without a test per cell.
    out_.verbatim("#ifdef PB_CPU\n");
    print_tile_copy(tile, names);
    out_.verbatim("#else\n");
    print_tile_loops(tile, names);
    out_.verbatim("#endif\n");
  }

 private:
  int num_loops() const { return static_cast<int>(step_.loops.size()); }
  /// Loop `d`, the fastest first.
  const LoopDim& loop(int d) const { return step_.loops[step_.loops.size() - 1 - static_cast<std::size_t>(d)]; }

  struct TileNames {
    std::string binding;  ///< of the tile's first cell and extents
    std::string matrix;
    std::string memory;
  };

  /// How the tile meets the matrix in one dimension.
  struct TileEdge {
    bool may_exceed = false;   ///< beyond the matrix's last index: the tile moves with the group
    bool may_precede = false;  ///< below index 0: it moves down
  };
  static TileEdge edge_of(const KernelTile& tile, std::size_t d) {
    const auto& steps = tile.step[d];
    return {std::any_of(steps.begin(), steps.end(), [](std::int64_t step) { return step != 0; }),
            std::any_of(steps.begin(), steps.end(), [](std::int64_t step) { return step < 0; })};
  }

  /// The tile by one work-item: what lies inside the matrix, which is all that valid instances read.
  void print_tile_copy(const KernelTile& tile, const TileNames& names) {
    out_.open("if (" + flat_local_id() + " == 0)");
    const std::size_t rank = tile.extent.size();
    for (std::size_t d = rank; d-- > 0;) {
      const std::string dim = std::to_string(d);
      const std::string from = names.binding + "_from" + dim;
      const std::string past = names.binding + "_tile" + dim;
      const TileEdge edge = edge_of(tile, d);
      const std::string begin = edge.may_precede ? "PB_MAX(0, -" + from + ")" : "0";
      const std::string end =
          edge.may_exceed ? "PB_MIN(" + past + ", " + names.matrix + "_size" + dim + " - " + from + ")" : past;
      out_.line("const int pb_end" + dim + " = " + end + ";");
      out_.open("for (int pb_t" + dim + " = " + begin + "; pb_t" + dim + " < pb_end" + dim + "; ++pb_t" + dim + ")");
    }
    const auto [to, from] = tile_cell(names, rank);
    out_.line(to + " = " + from + ";");
    for (std::size_t d = 0; d <= rank; ++d) out_.close();
  }

  /// The tile by all work-items of the group, row by row.
  void print_tile_loops(const KernelTile& tile, const TileNames& names) {
    const std::size_t rank = tile.extent.size();
    // size_t: an int made of the local id here and again below the barrier would be one value kept across it.
    for (std::size_t d = rank; d-- > 0;) {
      const std::string at = "pb_t" + std::to_string(d);
      std::string first = "0";
      std::string step = "1";
      if (rank == 1) {
        first = flat_local_id();
        step = flat_local_size();
      } else if (d < 2 && static_cast<int>(d) < num_loops()) {
        first = "get_local_id(" + std::to_string(d) + ")";
        step = "get_local_size(" + std::to_string(d) + ")";
      }
      out_.open("for (size_t " + at + " = " + first + "; " + at + " < " + names.binding + "_tile" + std::to_string(d) +
                "; " + at + " += " + step + ")");
    }
    std::vector<std::string> inside;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::string dim = std::to_string(d);
      const std::string cell = names.binding + "_from" + dim + " + (int)pb_t" + dim;
      const TileEdge edge = edge_of(tile, d);
      if (edge.may_exceed) inside.push_back(cell + " < " + names.matrix + "_size" + dim);
      if (edge.may_precede) inside.push_back(cell + " >= 0");
    }
    const auto [to, from] = tile_cell(names, rank);
    out_.line(to + " = " + (inside.empty() ? from : joined(inside, " && ") + " ? " + from + " : 0") + ";");
    for (std::size_t d = 0; d < rank; ++d) out_.close();
  }

  /// The cell at pb_t0, pb_t1, …, in the tile and in the matrix.
  static std::pair<std::string, std::string> tile_cell(const TileNames& names, std::size_t rank) {
    std::string to;
    std::string from = "(PB_INDEX)" + names.matrix + "_offset";
    std::string pitch;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::string dim = std::to_string(d);
      to += (d == 0 ? "" : " + ") + ("(int)pb_t" + dim) + pitch;
      pitch += " * " + names.binding + "_tile" + dim;
      from += " + (" + names.binding + "_from" + dim + " + (int)pb_t" + dim + ") * " + names.matrix + "_s" + dim;
    }
    return {names.memory + "[" + to + "]", names.matrix + "_data[" + from + "]"};
  }

  std::string flat_local_id() const {
    std::string id = "get_local_id(0)";
    std::string size = "get_local_size(0)";
    for (int d = 1; d < num_loops(); ++d) {
      id += " + get_local_id(" + std::to_string(d) + ") * " + size;
      size += " * get_local_size(" + std::to_string(d) + ")";
    }
    return id;
  }
  std::string flat_local_size() const {
    std::string size = "get_local_size(0)";
    for (int d = 1; d < num_loops(); ++d) size += " * get_local_size(" + std::to_string(d) + ")";
    return size;
  }

  Writer& out_;
  const Transform& transform_;
  const Rule& rule_;
  const Step& step_;
};

}  // namespace

void print_tiles(Writer& out, const Transform& transform, const Rule& rule, const Step& step, const Kernel& kernel) {
  TilePrinter printer(out, transform, rule, step);
  printer.print_group();
  for (const KernelTile& tile : kernel.tiles) printer.print_tile(tile);
}

void print_tile_region(Writer& out, const Transform& transform, const RegionAccess& access, const KernelTile& tile,
                       int num_loops, const std::string& name, const std::vector<std::size_t>& dims) {
  std::string at = "pb_tile_" + access.binding;
  std::vector<std::string> strides;
  std::string pitch;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    for (int l = 0; l < num_loops; ++l) {
      const std::string number = std::to_string(l);
      const std::int64_t step = tile.step[d][static_cast<std::size_t>(l)];
      if (step == 0) continue;
      const std::string id = step > 0 ? "get_local_id(" + number + ")"
                                      : "(get_local_size(" + number + ") - 1 - get_local_id(" + number + "))";
      const std::string factor = step == 1 || step == -1 ? "" : std::to_string(step < 0 ? -step : step) + " * ";
      at += " + " + factor + id + pitch;
    }
    strides.push_back(pitch.empty() ? "1" : pitch.substr(3));
    pitch += " * pb_" + access.binding + "_tile" + std::to_string(d);
  }
  out.line("__local const " + element_word(transform.matrices[access.matrix]) + "* const " + name + " = " + at + ";");
  for (std::size_t k = 0; k < dims.size(); ++k)
    out.line("const int " + name + "_s" + std::to_string(k) + " = " + strides[dims[k]] + ";");
}

}  // namespace pb
