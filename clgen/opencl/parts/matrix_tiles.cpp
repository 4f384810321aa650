// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/matrix_tiles.h"

#include <cstddef>
#include <cstdint>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/opencl/kernel_tiles.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/parts/kernel_instance.h"
#include "clgen/opencl/parts/kernel_parts.h"
#include "clgen/opencl/parts/kernel_vectors.h"

namespace pb {
namespace {

/// The most cells of a work-item whose loops are unrolled.
constexpr int kMaxUnrolledCells = 32;

const Matrix& matrix_of(const Program& program, const KernelTree& kernel, const TileStage& stage) {
  return program.transforms[kernel.transform].matrices[stage.matrix];
}

std::string buffer_of(const Program& program, const KernelTree& kernel, const TileStage& stage) {
  return "pb_tiled_" + matrix_of(program, kernel, stage).name;
}

/// Begins the names of parameters that point to vectors, so that these lie where vectors may.
constexpr const char* kVectors = "pb_in_vectors_";

std::string parameter_of(const Program& program, const KernelTree& kernel, const TileStage& stage,
                         const KernelDialect& dialect) {
  const Matrix& matrix = matrix_of(program, kernel, stage);
  const std::string name = buffer_of(program, kernel, stage);
  // Where the dialect has no pointers as parameters, the launch aligns the memory.
  if (!stage.has_vectors || dialect.buffer_pointer) return dialect.buffer_parameter(element_word(matrix), name);
  return dialect.buffer_parameter(vector_word(program, matrix, kernel.vectors->width), kVectors + name);
}

class MatrixTilePrinter {
 public:
  MatrixTilePrinter(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect)
      : out_(out),
        program_(program),
        kernel_(kernel),
        dialect_(dialect),
        transform_(program.transforms[kernel.transform]) {}

  void print() {
    for (const TileStage& stage : kernel_.tiles) print_pointer(stage);
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      out_.line("const int pb_group" + dim + " = (int)" + dialect_.group_id(static_cast<int>(d)) + " * PB_SPAN" + dim +
                ";");
      out_.line("const int pb_items" + dim + " = PB_SPAN" + dim + " / PB_ITEMS" + dim + ";");
    }
    for (std::size_t s = 0; s < kernel_.tiles.size(); ++s) print_stage(s);
    print_instances();
  }

 private:
  std::size_t num_loops() const { return kernel_.vars.size(); }
  std::string element_of(const TileStage& stage) const { return element_word(matrix_of(program_, kernel_, stage)); }
  std::string buffer(const TileStage& stage) const { return buffer_of(program_, kernel_, stage); }
  /// A value of a stage along a dimension.
  static std::string name(const char* what, std::size_t stage, std::size_t d) {
    return "pb_" + std::string(what) + std::to_string(stage) + "_" + std::to_string(d);
  }
  /// How many cells more than instances a group has along a dimension.
  static std::int64_t halo(const TileStage& stage, std::size_t d) { return stage.hi[d] - stage.lo[d] - 1; }

  void print_pointer(const TileStage& stage) {
    if (dialect_.buffer_pointer) return out_.line(dialect_.buffer_pointer(element_of(stage), buffer(stage)));
    const std::string pointer = dialect_.local + element_of(stage) + "*";
    if (stage.has_vectors)
      out_.line(pointer + " const " + buffer(stage) + " = (" + pointer + ")" + kVectors + buffer(stage) + ";");
  }

  // ---- stages

  void print_stage(std::size_t s) {
    const TileStage& stage = kernel_.tiles[s];
    print_unroll_macro(s);
    std::vector<std::string> is_inner;
    const std::size_t box = stage.parts.front().boxes.front();
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d), width = name("width", s, d), from = name("from", s, d);
      out_.line("const int " + width + " = PB_SPAN" + dim + added_text(halo(stage, d)) + ";");
      out_.line("const int " + from + " = pb_lo" + dim + " + pb_group" + dim + added_text(stage.lo[d]) + ";");
      out_.line("const int " + name("pitch", s, d) + " = " +
                (d == 0 ? std::string("1") : name("pitch", s, d - 1) + " * " + name("width", s, d - 1)) + ";");
      is_inner.push_back(from + " >= " + box_bound_name(box, false, d));
      is_inner.push_back(from + " + " + width + " <= " + box_bound_name(box, true, d));
    }
    out_.open("if (" + joined(is_inner, " && ") + ")");
    if (stage.has_vectors) {
      for_each_width(out_, *stage.parts.front().kernel.vectors, "PB_GROUP0 * PB_ITEMS0",
                     [&](int width) { print_vectors_of(s, width); });
      out_.verbatim("#else\n");
    }
    print_cells(s, true);
    if (stage.has_vectors) out_.verbatim("#endif\n");
    out_.reopen("else");
    print_cells(s, false);
    out_.close();
    out_.line(dialect_.barrier);
  }

  static std::string unroll_macro(std::size_t s) { return "PB_UNROLLED" + std::to_string(s); }

  void print_unrolling(std::size_t s) { out_.verbatim("#ifdef " + unroll_macro(s) + "\n#pragma unroll\n#endif\n"); }

  /// Builds that know the shape of their groups unroll loops over few cells, so that loads of all cells are
  /// independent. Compilers for CPUs leave them as they are.
  void print_unroll_macro(std::size_t s) {
    std::string cells;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d), group = "PB_GROUP" + dim;
      cells += (d == 0 ? "" : " * ") + ("((" + group + " * PB_ITEMS" + dim) + added_text(halo(kernel_.tiles[s], d)) +
               " + " + group + " - 1) / " + group + ")";
    }
    out_.verbatim(std::string("#if defined(PB_GROUP0)") + (dialect_.may_run_on_cpus ? " && !defined(PB_CPU)" : "") +
                  "\n#if " + cells + " <= " + std::to_string(kMaxUnrolledCells) + "\n#define " + unroll_macro(s) +
                  "\n#endif\n#endif\n");
  }

  /// Prints the loops over the cells that a work-item makes: rows of the tile by turns, and cells of a row by turns. If
  /// `is_inner`, all cells of the tile are the first part's.
  void print_cells(std::size_t s, bool is_inner) {
    const TileStage& stage = kernel_.tiles[s];
    for (std::size_t d = num_loops(); d-- > 0;) {
      const std::string var = "pb_r" + std::to_string(d), items = "pb_items" + std::to_string(d);
      print_unrolling(s);
      out_.line("for (int " + var + " = 0; " + var + " < (" + name("width", s, d) + " + " + items + " - 1) / " + items +
                "; ++" + var + ")");
    }
    out_.open("");
    std::vector<std::string> tests;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d), at = "pb_t" + dim, width = name("width", s, d);
      out_.line("const int " + at + " = (int)" + dialect_.local_id(static_cast<int>(d)) + " + pb_r" + dim +
                " * pb_items" + dim + ";");
      out_.line("const int pb_c" + dim + " = " + name("from", s, d) + " + " + at + ";");
      // The last turn may have fewer cells than work-items. Compilers that know the shape of groups see that others do
      // not. To say so, by `pb_r0 < width / items || …`, makes LLVM 16 (PoCL 5) take the last turn for a full one.
      if (halo(stage, d) != 0) tests.push_back(at + " < " + width);
    }
    if (!tests.empty()) out_.open("if (" + joined(tests, " && ") + ")");
    for (std::size_t i = 0; i < stage.parts.size(); ++i) {
      if (is_inner && i > 0) break;
      if (!is_inner) {
        const std::string head = "if (" + is_in_part(kernel_, stage.parts[i], "pb_c") + ")";
        i == 0 ? out_.open(head) : out_.reopen("else " + head);
      }
      const std::string done = "pb_done" + std::to_string(s) + (is_inner ? "_inner" : "_" + std::to_string(i));
      print_cell(s, stage.parts[i], done);
    }
    if (!is_inner) out_.close();
    if (!tests.empty()) out_.close();
    out_.close();
  }

  /// Prints the loop over the vectors that a work-item makes, all of which are the first part's. They are dealt out
  /// along rows, and by rows. Builds with vectors know the shape of their groups, so that no division is left. Only the
  /// last turn may have fewer vectors than work-items; it stands apart, so that all loads of the others may come first.
  void print_vectors_of(std::size_t s, int width) {
    std::string item, items, all = name("width", s, 0) + " / " + std::to_string(width);
    const std::string in_row = all;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string id = "(int)" + dialect_.local_id(static_cast<int>(d));
      item += d == 0 ? id : " + " + id + " * " + items;
      items += (d == 0 ? "" : " * ") + ("pb_items" + std::to_string(d));
      if (d > 0) all += " * " + name("width", s, d);
    }
    out_.line("const int pb_item = " + item + ";");
    out_.line("const int pb_turns = " + all + " / (" + items + ");");
    out_.line("const int pb_rest = " + all + " - pb_turns * (" + items + ");");
    print_unrolling(s);
    out_.open("for (int pb_r = 0; pb_r < pb_turns; ++pb_r)");
    out_.line("const int pb_u = pb_item + pb_r * (" + items + ");");
    print_vector_of(s, width, in_row, "pb_done_vector" + std::to_string(s));
    out_.close();
    out_.open("if (pb_item < pb_rest)");
    out_.line("const int pb_u = pb_item + pb_turns * (" + items + ");");
    print_vector_of(s, width, in_row, "pb_done_last" + std::to_string(s));
    out_.close();
  }

  /// Prints what makes the vector number pb_u of the tile, a row of which has `in_row`.
  void print_vector_of(std::size_t s, int width, const std::string& in_row, const std::string& done) {
    const TileStage& stage = kernel_.tiles[s];
    const KernelTree& kernel = stage.parts.front().kernel;
    const Rule& rule = transform_.rules[kernel.rule];
    const std::string row = "(uint)(" + in_row + ")";
    out_.line("const int pb_t0 = (int)((uint)pb_u % " + row + ") * " + std::to_string(width) + ";");
    std::string rest = "(uint)pb_u / " + row;
    for (std::size_t d = 1; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d), rows = "(uint)" + name("width", s, d);
      const bool is_last = d + 1 == num_loops();
      out_.line("const int pb_t" + dim + " = (int)(" + rest + (is_last ? "" : " % " + rows) + ");");
      rest += " / " + rows;
    }
    out_.line("const int pb_x0 = " + name("from", s, 0) + " + pb_t0;");
    for (std::size_t d = 1; d < num_loops(); ++d)
      out_.line("const int " + opencl_name(kernel.vars[d]) + " = " + name("from", s, d) + " + pb_t" +
                std::to_string(d) + ";");
    KernelTilePrinter tiles(out_, transform_, rule, kernel, dialect_);
    KernelOperandPrinter operands(out_, program_, kernel, dialect_, tiles);
    print_vector(out_, program_, kernel, dialect_, operands, width, done);
    const std::string type = vector_word(program_, matrix_of(program_, kernel_, stage), width);
    print_gather(out_, type, new_cells_name(rule, rule.outputs.front()), width);
    out_.line("*(" + dialect_.local + type + "*)&" + buffer(stage) + "[" +
              place(s, std::vector<std::int64_t>(num_loops(), 0)) + "] = pb_vector;");
  }

  /// Prints the instance that makes the cell pb_c0, pb_c1, …, which lies at pb_t0, pb_t1, … of the tile.
  void print_cell(std::size_t s, const KernelPart& part, const std::string& done) {
    const TileStage& stage = kernel_.tiles[s];
    const KernelTree& kernel = part.kernel;
    const Rule& rule = transform_.rules[kernel.rule];
    const RuleInstance& instance = instance_of(kernel.tree);
    const std::string value = buffer(stage) + "[" + place(s, std::vector<std::int64_t>(num_loops(), 0)) + "]";
    for (std::size_t d = 0; d < num_loops(); ++d)
      if (!part.vars[d].empty())
        out_.line("const int " + opencl_name(part.vars[d]) + " = pb_c" + std::to_string(d) + ";");
    KernelTilePrinter tiles(out_, transform_, rule, kernel, dialect_);
    KernelOperandPrinter operands(out_, program_, kernel, dialect_, tiles);
    set_local_cells(operands, kernel.rule, stage.lo);
    for (std::size_t i = 0; i < rule.inputs.size(); ++i) operands.print_input(i, instance.inputs[i]);
    const bool has_name = instance.outputs.front().kind == OperandKind::NewValue;
    const std::string variable = opencl_name(rule.outputs.front().binding);
    if (has_name) out_.line(element_of(stage) + " " + variable + " = 0;");
    out_.open("");
    const bool jumps =
        print_kernel_body(out_, rule, kernel, instance, {has_name ? std::string() : value, done, {}, nullptr});
    out_.close();
    if (jumps) out_.line(done + ":;");
    if (has_name) out_.line(value + " = " + variable + ";");
  }

  /// The place in the memory of a stage of the cell that lies `offset` beside pb_t0, pb_t1, ….
  std::string place(std::size_t s, const std::vector<std::int64_t>& offset) const {
    std::string out;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string at = "pb_t" + std::to_string(d) + added_text(offset[d]);
      if (d == 0)
        out = at;
      else
        out += " + " + (offset[d] == 0 ? at : "(" + at + ")") + " * " + name("pitch", s, d);
    }
    return out;
  }

  /// Says where the rule reads temporaries. `first` is where pb_t0, pb_t1, … begin, beside the group's first instance.
  void set_local_cells(KernelOperandPrinter& operands, RuleId rule, const std::vector<std::int64_t>& first) const {
    const std::vector<std::optional<TileRead>>& reads = kernel_.tile_reads.at(rule);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (!reads[i]) continue;
      const TileStage& from = kernel_.tiles[reads[i]->stage];
      std::vector<std::int64_t> offset;
      LocalCells cells{buffer(from), {}, {}};
      for (std::size_t d = 0; d < num_loops(); ++d) {
        offset.push_back(first[d] + reads[i]->begin[d] - from.lo[d]);
        cells.pitches.push_back(name("pitch", reads[i]->stage, d));
      }
      cells.place = place(reads[i]->stage, offset);
      operands.set_local_cells(i, std::move(cells));
    }
  }

  // ---- the kernel's own instances

  void print_instances() {
    std::vector<std::string> is_whole, is_inside;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      is_whole.push_back("pb_group" + dim + " + PB_SPAN" + dim + " <= pb_extent" + dim);
      is_inside.push_back("pb_i" + dim + " < pb_extent" + dim);
    }
    out_.open("if (" + joined(is_whole, " && ") + ")");
    if (dialect_.may_run_on_cpus) out_.verbatim("#ifndef PB_CPU\n#define PB_UNROLLED\n#endif\n");
    print_instance_loops("pb_done_whole", "");
    out_.reopen("else");
    print_instance_loops("pb_done", joined(is_inside, " && "));
    out_.close();
  }

  /// Prints the loops over the instances of a work-item; with a test those that fulfil it. Without one, they are
  /// unrolled on GPUs.
  void print_instance_loops(const std::string& done, const std::string& test) {
    for (std::size_t d = num_loops(); d-- > 0;) {
      const std::string var = "pb_k" + std::to_string(d);
      if (test.empty())
        out_.verbatim(dialect_.may_run_on_cpus ? "#ifdef PB_UNROLLED\n#pragma unroll\n#endif\n" : "#pragma unroll\n");
      out_.line("for (int " + var + " = 0; " + var + " < PB_ITEMS" + std::to_string(d) + "; ++" + var + ")");
    }
    out_.open("");
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      out_.line("const int pb_t" + dim + " = (int)PB_LOCAL" + dim + ";");
      out_.line("const int pb_i" + dim + " = pb_group" + dim + " + pb_t" + dim + ";");
      out_.line("const int " + opencl_name(kernel_.vars[d]) + " = pb_lo" + dim + " + pb_i" + dim + ";");
    }
    if (!test.empty()) out_.open("if (" + test + ")");
    const Rule& rule = transform_.rules[kernel_.rule];
    KernelTilePrinter tiles(out_, transform_, rule, kernel_, dialect_);
    KernelOperandPrinter operands(out_, program_, kernel_, dialect_, tiles);
    set_local_cells(operands, kernel_.rule, std::vector<std::int64_t>(num_loops(), 0));
    print_kernel_instance(out_, transform_, rule, kernel_, dialect_, operands, instance_of(kernel_.tree), done);
    if (!test.empty()) out_.close();
    out_.close();
  }

  Writer& out_;
  const Program& program_;
  const KernelTree& kernel_;
  const KernelDialect& dialect_;
  const Transform& transform_;
};

}  // namespace

std::vector<std::string> matrix_tile_parameters(const Program& program, const KernelTree& kernel,
                                                const KernelDialect& dialect) {
  std::vector<std::string> out;
  for (const TileStage& stage : kernel.tiles) out.push_back(parameter_of(program, kernel, stage, dialect));
  return out;
}

void print_matrix_tiles(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect) {
  MatrixTilePrinter(out, program, kernel, dialect).print();
}

}  // namespace pb
