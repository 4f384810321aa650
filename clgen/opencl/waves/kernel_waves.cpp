// SPDX-License-Identifier: MIT
#include "clgen/opencl/waves/kernel_waves.h"

#include <algorithm>
#include <cstdlib>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_words.h"

namespace pb {
namespace {

/// Adds a multiple of what is named to a sum.
void add(std::string& sum, int factor, const std::string& name) {
  if (factor == 0) return;
  const std::string term = (std::abs(factor) == 1 ? "" : std::to_string(std::abs(factor)) + " * ") + name;
  if (sum.empty()) {
    sum = (factor < 0 ? "-" : "") + term;
  } else {
    sum += (factor < 0 ? " - " : " + ") + term;
  }
}

class WavePrinter {
 public:
  WavePrinter(Writer& out, const KernelTree& kernel, const KernelDialect& dialect)
      : out_(out), kernel_(kernel), dialect_(dialect), waves_(*waves_of(kernel.tree)) {
    for (int r = 0; r < num_rows(); ++r)
      if (row(r).is_carried) carried_.push_back(r);
  }

  void print(const std::function<void()>& print_instance) const {
    for (int r = 0; r < num_rows(); ++r) print_row(r);
    print_block();
    out_.open("for (int pb_front = 0; pb_front < pb_fronts; ++pb_front)");
    for (int r = 0; r < num_rows(); ++r)
      if (r != last()) print_items(r);
    out_.open("");
    out_.line("const int pb_cell" + number(last()) + " = pb_front" + minus_others("pb_cell") + ";");
    out_.open("if (pb_cell" + number(last()) + " >= 0 && pb_cell" + number(last()) + " < pb_cells" + number(last()) +
              ")");
    for (int d = 0; d < num_loops(); ++d) print_place(d);
    if (!is_straight()) out_.open("if (" + joined(tests_of_places(), " && ") + ")");
    for (int d = 0; d < num_loops(); ++d) print_variable(d);
    print_instance();
    if (!is_straight()) out_.close();
    out_.close();
    out_.close();
    out_.line(dialect_.cell_barrier);
    out_.close();
  }

 private:
  static std::string number(int r) { return std::to_string(r); }
  [[nodiscard]] int num_rows() const { return static_cast<int>(waves_.rows.size()); }
  [[nodiscard]] int num_loops() const { return static_cast<int>(kernel_.vars.size()); }
  [[nodiscard]] const WaveRow& row(int r) const { return waves_.rows[static_cast<std::size_t>(r)]; }
  /// The row along which the number of the front says where a cell is.
  [[nodiscard]] int last() const { return carried_.back(); }

  /// Whether each row is a loop, so that all cells of a block are instances.
  [[nodiscard]] bool is_straight() const {
    return std::all_of(waves_.rows.begin(), waves_.rows.end(), [](const WaveRow& each) {
      return std::count(each.coefficients.begin(), each.coefficients.end(), 0) + 1 == std::ssize(each.coefficients);
    });
  }

  /// What is left behind the other carried rows have theirs.
  [[nodiscard]] std::string minus_others(const std::string& name) const {
    std::string out;
    for (const int r : carried_)
      if (r != last()) out += " - " + name + number(r);
    return out;
  }

  [[nodiscard]] bool has_backward_loop(int r) const {
    const std::vector<int>& all = row(r).coefficients;
    return std::any_of(all.begin(), all.end(), [](int c) { return c < 0; });
  }

  /// Declares how many places the row has and, unless it is 0, which sum of loops its first place has. Loops count from
  /// 0 here.
  void print_row(int r) const {
    std::string first;
    std::string length;
    for (int d = 0; d < num_loops(); ++d) {
      const int c = row(r).coefficients[static_cast<std::size_t>(d)];
      const std::string last_of_loop = "(pb_extent" + number(d) + " - 1)";
      if (c < 0) add(first, c, last_of_loop);
      add(length, std::abs(c), last_of_loop);
    }
    if (has_backward_loop(r)) out_.line("const int pb_row" + number(r) + " = " + first + ";");
    out_.line("const int pb_length" + number(r) + " = " + length + " + 1;");
  }

  [[nodiscard]] std::string sum_at(int r) const {
    const std::string place = "pb_begin" + number(r) + " + pb_cell" + number(r);
    return "(" + (has_backward_loop(r) ? "pb_row" + number(r) + " + " + place : place) + ")";
  }

  /// Declares which block the group has. Where there is none, there are no fronts.
  void print_block() const {
    for (int r = 0; r < num_rows(); ++r)
      if (r != last())
        out_.line("const int pb_block" + number(r) + " = (int)" + dialect_.group_id(r) +
                  (r == carried_.front() ? " + pb_first" : "") + ";");
    out_.line("const int pb_block" + number(last()) + " = pb_wave" + minus_others("pb_block") + ";");
    std::string fronts;
    for (int r = 0; r < num_rows(); ++r) {
      const std::string n = number(r);
      out_.line("const int pb_begin" + n + " = pb_block" + n + " * pb_span" + n + ";");
      out_.line("const int pb_cells" + n + " = PB_MIN(pb_span" + n + ", pb_length" + n + " - pb_begin" + n + ");");
      if (row(r).is_carried) add(fronts, 1, "pb_cells" + n);
    }
    const std::string n = number(last());
    out_.line("const int pb_fronts = pb_block" + n + " >= 0 && pb_block" + n + " <= (pb_length" + n +
              " - 1) / pb_span" + n + " ? " + fronts + " - " + std::to_string(carried_.size() - 1) + " : 0;");
  }

  void print_items(int r) const {
    const std::string cell = "pb_cell" + number(r);
    out_.line("for (int " + cell + " = (int)" + dialect_.local_id(r) + "; " + cell + " < pb_cells" + number(r) + "; " +
              cell + " += (int)" + dialect_.group_size(r) + ")");
  }

  void print_place(int d) const {
    std::string place;
    const std::vector<int>& moves = waves_.loops[static_cast<std::size_t>(d)];
    for (int r = 0; r < num_rows(); ++r) add(place, moves[static_cast<std::size_t>(r)], sum_at(r));
    out_.line("const int pb_i" + number(d) + " = " + place + ";");
  }

  [[nodiscard]] std::vector<std::string> tests_of_places() const {
    std::vector<std::string> out;
    for (int d = 0; d < num_loops(); ++d)
      out.push_back("pb_i" + number(d) + " >= 0 && pb_i" + number(d) + " < pb_extent" + number(d));
    return out;
  }

  void print_variable(int d) const {
    out_.line("const int " + opencl_name(kernel_.vars[static_cast<std::size_t>(d)]) + " = pb_lo" + number(d) +
              " + pb_i" + number(d) + ";");
  }

  Writer& out_;
  const KernelTree& kernel_;
  const KernelDialect& dialect_;
  const Waves& waves_;
  std::vector<int> carried_;
};

}  // namespace

std::vector<std::string> wave_parameters(const Waves& waves) {
  std::vector<std::string> out = {"const int pb_wave", "const int pb_first"};
  for (std::size_t r = 0; r < waves.rows.size(); ++r) out.push_back("const int pb_span" + std::to_string(r));
  return out;
}

bool is_shared_in_wave(const KernelTree& kernel, MatrixId matrix) {
  return waves_of(kernel.tree) != nullptr &&
         std::any_of(kernel.matrices.begin(), kernel.matrices.end(),
                     [&](const RuleMatrix& use) { return use.matrix == matrix && use.is_output && use.is_input; });
}

void print_waves(Writer& out, const KernelTree& kernel, const KernelDialect& dialect,
                 const std::function<void()>& print_instance) {
  WavePrinter(out, kernel, dialect).print(print_instance);
}

}  // namespace pb

// Note [Waves on devices]
//
// Blocks are cut along the rows of the wavefront, `pb_span0` by `pb_span1` places, and so on. A launch has the number
// `pb_wave`, and runs the blocks whose numbers along carried rows add up to it. Along the first of these rows the
// groups begin at block `pb_first`; the last one's number is what the others leave of the sum.
//
// A group runs its block in fronts: the cells whose places along carried rows add up to `pb_front`. What an instance
// needs lies in an earlier front of the same block, or in a block of an earlier launch. So the group waits between
// fronts, until all its work-items see what the others have stored. That is right only if compilers do not take the
// cells for constant: a matrix that is both read and written is one parameter, and no other pointer is promised not to
// lead there (is_shared_in_wave).
//
// Work-items stand side by side along all rows but the last carried one.
