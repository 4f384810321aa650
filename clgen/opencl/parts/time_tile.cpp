// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/time_tile.h"

#include <cstddef>
#include <cstdint>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/opencl/kernel_tiles.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/parts/kernel_parts.h"

namespace pb {
namespace {

constexpr const char* kBuffers[kNumTileBuffers] = {"pb_tile0", "pb_tile1"};

std::string element_of(const Program& program, const KernelTree& kernel) {
  return element_word(program.transforms[kernel.transform].matrices[kernel.time_tile->matrix]);
}

class TimeTilePrinter {
 public:
  TimeTilePrinter(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect)
      : out_(out),
        program_(program),
        kernel_(kernel),
        dialect_(dialect),
        transform_(program.transforms[kernel.transform]),
        tile_(*kernel.time_tile),
        element_(element_of(program, kernel)) {}

  void print() {
    if (dialect_.buffer_pointer)
      for (const char* buffer : kBuffers) out_.line(dialect_.buffer_pointer(element_, buffer));
    print_place();
    print_fill();
    // Buffers and places of all steps are then known when a kernel is built.
    print_unrolling();
    out_.open(std::string("for (int pb_s = 1; pb_s <= ") + kTileDepth + "; ++pb_s)");
    const std::string old = dialect_.local + "const " + element_ + "* const pb_old = ";
    out_.line(old + "pb_s % 2 != 0 ? " + kBuffers[0] + " : " + kBuffers[1] + ";");
    out_.line(dialect_.local + element_ + "* const pb_new = pb_s % 2 != 0 ? " + kBuffers[1] + " : " + kBuffers[0] +
              ";");
    // All cells are read before any is stored, so that the driver's compiler reads each once for all that need it.
    out_.line(element_ + " pb_values[PB_ITEMS];");
    if (has_inner_groups()) out_.open("if (pb_is_inner)");
    if (has_inner_groups()) {
      print_step(true);
      out_.reopen("else");
    } else {
      out_.open("");
    }
    print_step(false);
    out_.close();
    print_step_barrier();
    out_.close();
  }

 private:
  /// Ends a step: what it stored is there for all work-items. Nothing reads what the last one stored. On CPUs it has a
  /// barrier, too, because of barriers under a condition PoCL may make wrong code, although all work-items agree on it.
  void print_step_barrier() {
    if (dialect_.may_run_on_cpus) out_.verbatim("#ifndef PB_CPU\n");
    out_.line(std::string("if (pb_s < ") + kTileDepth + ")");
    if (dialect_.may_run_on_cpus) out_.verbatim("#endif\n");
    out_.line(dialect_.barrier);
  }

  std::size_t num_loops() const { return kernel_.vars.size(); }
  std::string name_of(bool is_output) const { return name_in_kernel(kernel_, transform_, tile_.matrix, is_output); }

  /// Whether some groups may run the first part alone.
  bool has_inner_groups() const { return kernel_.parts.empty() || kernel_.parts.front().boxes.size() == 1; }

  /// Declares where the group begins, its margins included, and whether it runs the first part alone.
  void print_place() {
    std::vector<std::string> is_inner;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d), radius = std::to_string(tile_.radius[d]);
      out_.line("const int pb_margin" + dim + " = " + radius + " * " + kTileDepth + ";");
      out_.line("const int pb_first" + dim + " = pb_lo" + dim + " + (int)" + dialect_.group_id(static_cast<int>(d)) +
                " * (PB_SPAN" + dim + " - 2 * pb_margin" + dim + ") - pb_margin" + dim + ";");
      const std::string pitch = d == 0 ? "1"
                                       : "pb_pitch" + std::to_string(d - 1) + " * (PB_SPAN" + std::to_string(d - 1) +
                                             added_text(2 * tile_.radius[d - 1]) + ")";
      out_.line("const int pb_pitch" + dim + " = " + pitch + ";");
      const bool has_parts = !kernel_.parts.empty() && has_inner_groups();
      const std::size_t box = has_parts ? kernel_.parts.front().boxes.front() : 0;
      const std::string lo = has_parts ? box_bound_name(box, false, d) : made_from(d);
      const std::string hi = has_parts ? box_bound_name(box, true, d) : made_end(d);
      is_inner.push_back("pb_first" + dim + " >= " + lo);
      is_inner.push_back("pb_first" + dim + " + PB_SPAN" + dim + " <= " + hi);
      // Behind the launch's part lie cells that other launches make.
      if (is_cut(d))
        is_inner.push_back("pb_first" + dim + " + PB_SPAN" + dim + " - pb_margin" + dim + " <= " + end_of_part(d));
    }
    if (has_inner_groups()) out_.line("const bool pb_is_inner = " + joined(is_inner, " && ") + ";");
  }

  /// Whether launches may make a part of a version along the loop.
  bool is_cut(std::size_t d) const { return d + 1 == num_loops(); }
  /// Where the launch's part ends along the loop.
  static std::string end_of_part(std::size_t d) {
    return "pb_lo" + std::to_string(d) + " + pb_extent" + std::to_string(d);
  }
  /// Where a version begins and ends along the loop.
  std::string made_from(std::size_t d) const { return is_cut(d) ? kMadeFrom : "pb_lo" + std::to_string(d); }
  std::string made_end(std::size_t d) const { return is_cut(d) ? kMadeEnd : end_of_part(d); }
  /// Where that ends which the launch knows of a version along the loop. `after`: the number of versions that it makes
  /// after this one.
  std::string known_end(std::size_t d, const std::string& after) const {
    if (!is_cut(d)) return end_of_part(d);
    const std::string further = tile_.radius[d] == 0 ? "" : " + " + std::to_string(tile_.radius[d]) + " * " + after;
    return std::string("PB_MIN(") + kMadeEnd + ", " + end_of_part(d) + further + ")";
  }

  /// Compilers for CPUs leave the next loop as it is.
  void print_unrolling() {
    if (dialect_.may_run_on_cpus) out_.verbatim("#ifndef PB_CPU\n");
    out_.verbatim("#pragma unroll\n");
    if (dialect_.may_run_on_cpus) out_.verbatim("#endif\n");
  }

  /// Opens loops over the cells of a work-item.
  void open_cells() {
    for (std::size_t d = num_loops(); d-- > 0;) {
      const std::string var = "pb_k" + std::to_string(d);
      print_unrolling();
      out_.line("for (int " + var + " = 0; " + var + " < PB_ITEMS" + std::to_string(d) + "; ++" + var + ")");
    }
    out_.open("");
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      out_.line("const int pb_t" + dim + " = (int)PB_LOCAL" + dim + ";");
      out_.line("const int pb_c" + dim + " = pb_first" + dim + " + pb_t" + dim + ";");
    }
  }

  /// The place in a buffer of the cell that lies `begin` beside the work-item's own.
  std::string place(const std::vector<std::int64_t>& begin) const {
    std::vector<std::string> terms;
    for (std::size_t d = 0; d < num_loops(); ++d)
      terms.push_back("(pb_t" + std::to_string(d) + added_text(begin[d] + tile_.radius[d]) + ")" +
                      (d == 0 ? "" : " * pb_pitch" + std::to_string(d)));
    return joined(terms, " + ");
  }
  std::string own_place() const { return place(std::vector<std::int64_t>(num_loops(), 0)); }

  /// The cell at pb_c0, pb_c1, … of a version.
  std::string cell_in_matrix(bool is_output, const std::string& version) const {
    const std::string name = name_of(is_output);
    std::string out = name + "_data[" + name + "_offset";
    for (std::size_t d = 0; d < num_loops(); ++d) out += " + pb_c" + std::to_string(d) + " * " + stride_name(name, d);
    return out + " + (" + version + ") * " + stride_name(name, num_loops()) + "]";
  }

  void print_fill() {
    const std::string store = std::string(kBuffers[0]) + "[" + own_place() +
                              "] = " + cell_in_matrix(false, kFirstVersion + added_text(-1)) + ";";
    if (has_inner_groups()) {
      out_.open("if (pb_is_inner)");
      open_cells();
      out_.line(store);
      out_.close();
      out_.reopen("else");
    } else {
      out_.open("");
    }
    std::vector<std::string> tests;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d), radius = std::to_string(tile_.radius[d]);
      const std::string end = made_end(d) + " + " + radius;
      const std::string known = is_cut(d) ? "PB_MIN(" + end + ", " + end_of_part(d) + " + pb_margin" + dim + ")" : end;
      out_.line("const int pb_from" + dim + " = PB_MAX(0, " + made_from(d) + " - " + radius + ");");
      out_.line("const int pb_end" + dim + " = PB_MIN(" + name_of(false) + "_size" + dim + ", " + known + ");");
      tests.push_back("pb_c" + dim + " >= pb_from" + dim + " && pb_c" + dim + " < pb_end" + dim);
    }
    open_cells();
    out_.line("if (" + joined(tests, " && ") + ") " + store);
    out_.close();
    out_.close();
    out_.line(dialect_.barrier);
  }

  /// Whether a cell is so far from the group's borders that step pb_s knows all that it reads.
  std::string is_known() const {
    std::vector<std::string> tests;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      if (tile_.radius[d] == 0) continue;
      const std::string dim = std::to_string(d), margin = std::to_string(tile_.radius[d]) + " * pb_s";
      tests.push_back("pb_t" + dim + " >= " + margin + " && pb_t" + dim + " < PB_SPAN" + dim + " - " + margin);
    }
    return tests.empty() ? "true" : joined(tests, " && ");
  }
  /// Whether the launch makes a cell of the version of step pb_s.
  std::string is_in_launch() const {
    std::vector<std::string> tests;
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      const std::string end = known_end(d, std::string("(") + kTileDepth + " - pb_s)");
      tests.push_back("pb_c" + dim + " >= " + made_from(d) + " && pb_c" + dim + " < " + end);
    }
    return joined(tests, " && ");
  }

  /// Opens the test of a cell. GPUs do without it where bodies may run on any values.
  void open_test(bool is_inner, bool is_last) {
    const bool is_free = is_inner && tile_.may_use_any_value && !is_last;
    const std::string test = "if (" + is_known() + (is_inner ? "" : " && " + is_in_launch()) + ")";
    if (!is_free) return out_.open(test);
    if (dialect_.may_run_on_cpus) out_.verbatim("#ifdef PB_CPU\n");
    if (dialect_.may_run_on_cpus) out_.line(test);
    if (dialect_.may_run_on_cpus) out_.verbatim("#endif\n");
    out_.open("");
  }

  /// Prints one step of the groups that run the first part alone, or of the others.
  void print_step(bool is_inner) {
    open_cells();
    open_test(is_inner, false);
    std::string at = "pb_k" + std::to_string(num_loops() - 1);
    for (std::size_t d = num_loops() - 1; d-- > 0;)
      at = (d + 2 == num_loops() ? at : "(" + at + ")") + " * PB_ITEMS" + std::to_string(d) + " + pb_k" +
           std::to_string(d);
    const std::string value = "pb_values[" + at + "]";
    const std::string done = is_inner ? "pb_done_inner" : "pb_done";
    if (is_inner || kernel_.parts.empty()) {
      print_instance(kernel_.parts.empty() ? kernel_ : kernel_.parts.front().kernel, kernel_.vars, value, done);
    } else {
      print_any_part(value, done);
    }
    out_.close();
    out_.close();
    out_.open(std::string("if (pb_s == ") + kTileDepth + ")");
    open_cells();
    open_test(is_inner, true);
    out_.line(cell_in_matrix(true, std::string(kFirstVersion) + " + " + kTileDepth + " - 1") + " = " + value + ";");
    out_.close();
    out_.close();
    out_.reopen("else");
    open_cells();
    open_test(is_inner, false);
    out_.line("pb_new[" + own_place() + "] = " + value + ";");
    out_.close();
    out_.close();
    out_.close();
  }

  void print_any_part(const std::string& value, const std::string& done) {
    for (std::size_t i = 0; i < kernel_.parts.size(); ++i) {
      const KernelPart& part = kernel_.parts[i];
      const std::string head = part.boxes.empty() ? "" : "if (" + is_in_part(kernel_, part, "pb_c") + ")";
      i == 0 ? out_.open(head) : out_.reopen(head.empty() ? "else" : "else " + head);
      print_instance(part.kernel, part.vars, value, done + "_" + std::to_string(i));
    }
    out_.close();
  }

  /// Prints the instance of the work-item's cell. `vars` are its names of the cell's coordinates; `value` gets what it
  /// makes.
  void print_instance(const KernelTree& kernel, const std::vector<std::string>& vars, const std::string& value,
                      const std::string& done) {
    const Rule& rule = transform_.rules[kernel.rule];
    const RuleInstance& instance = instance_of(kernel.tree);
    for (std::size_t d = 0; d < num_loops(); ++d)
      if (!vars[d].empty()) out_.line("const int " + opencl_name(vars[d]) + " = pb_c" + std::to_string(d) + ";");
    for (const KernelScalar& scalar : kernel.scalars)
      if (scalar.source == ScalarSource::Slice)
        out_.line("const int " + opencl_name(scalar.origin) + " = " + kFirstVersion + " + pb_s" +
                  added_text(-1 - tile_.shift) + ";");
    KernelTilePrinter tiles(out_, transform_, rule, kernel, dialect_);
    KernelOperandPrinter operands(out_, program_, kernel, dialect_, tiles);
    const std::vector<std::vector<std::int64_t>>& begins = tile_.begins.at(kernel.rule);
    std::vector<std::string> pitches;
    for (std::size_t d = 0; d < num_loops(); ++d) pitches.push_back("pb_pitch" + std::to_string(d));
    for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
      if (!begins[i].empty()) operands.set_local_cells(i, {"pb_old", place(begins[i]), pitches});
      operands.print_input(i, instance.inputs[i]);
    }
    const bool has_name = instance.outputs.front().kind == OperandKind::NewValue;
    const std::string name = opencl_name(rule.outputs.front().binding);
    if (has_name) out_.line(element_ + " " + name + " = 0;");
    out_.open("");
    const bool jumps =
        print_kernel_body(out_, rule, kernel, instance, {has_name ? std::string() : value, done, {}, nullptr});
    out_.close();
    if (jumps) out_.line(done + ":;");
    if (has_name) out_.line(value + " = " + name + ";");
  }

  Writer& out_;
  const Program& program_;
  const KernelTree& kernel_;
  const KernelDialect& dialect_;
  const Transform& transform_;
  const TimeTile& tile_;
  std::string element_;
};

}  // namespace

std::vector<std::string> time_tile_parameters(const Program& program, const KernelTree& kernel,
                                              const KernelDialect& dialect) {
  std::vector<std::string> out;
  for (const char* buffer : kBuffers) out.push_back(dialect.buffer_parameter(element_of(program, kernel), buffer));
  return out;
}

void print_time_tile(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect) {
  TimeTilePrinter(out, program, kernel, dialect).print();
}

}  // namespace pb
