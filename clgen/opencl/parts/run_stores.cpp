// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/run_stores.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "clgen/facts/names.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/parts/kernel_vectors.h"

namespace pb {
namespace {

const Rule& rule_of(const Program& program, const KernelTree& kernel) {
  return program.transforms[kernel.transform].rules[kernel.rule];
}

/// Whether the cells of instances that are neighbours along the loop are neighbours of a row.
bool lies_along(const RegionAccess& output, const std::string& var) {
  const auto symbol_of = [](const Formula& at) { return std::get_if<SymbolRef>(&at.node); };
  if (symbol_of(output.lo[0]) == nullptr || symbol_of(output.lo[0])->name != var) return false;
  return std::all_of(output.lo.begin() + 1, output.lo.end(), [&](const Formula& at) {
    const bool is_number = std::holds_alternative<IntLiteral>(at.node);
    return is_number || (symbol_of(at) != nullptr && symbol_of(at)->name != var);
  });
}

class RunStorePrinter {
 public:
  RunStorePrinter(Writer& out, const Program& program, const KernelTree& kernel, const KernelOperandPrinter& operands,
                  const CellVector& run, const std::function<void(bool)>& declare_place)
      : out_(out),
        kernel_(kernel),
        transform_(program.transforms[kernel.transform]),
        output_(rule_of(program, kernel).outputs.front()),
        operands_(operands),
        run_(run),
        declare_place_(declare_place),
        first_(instance_in_blocks(kernel.tree)->blocks->loops[0]) {}

  void print() {
    const std::string length = std::to_string(run_.length), loop = std::to_string(first_);
    out_.verbatim("#if PB_ITEMS" + loop + " % " + length + " == 0\n");
    print_test(loop, length);
    out_.open("if (pb_stores_runs)");
    open_instances(true);
    print_gather(out_, run_.type, kNewCells, run_.length, "pb_own", own_step());
    out_.line("*(" + operands_.dialect().global + run_.type + "*)&" + cell() + " = pb_vector;");
    out_.close();
    out_.reopen("else");
    out_.verbatim("#endif\n");
    out_.open("");
    open_instances(false);
    out_.line("if (pb_is_inside) " + cell() + " = " + kNewCells + "[pb_own];");
    out_.close();
    out_.close();
    out_.verbatim("#if PB_ITEMS" + loop + " % " + length + " == 0\n");
    out_.close();
    out_.verbatim("#endif\n");
  }

 private:
  [[nodiscard]] std::size_t num_loops() const { return kernel_.vars.size(); }
  [[nodiscard]] std::string cell() const { return operands_.cell_of(output_, true); }

  /// The distance of neighbours in the array; empty if it is 1.
  [[nodiscard]] std::string own_step() const {
    std::string out;
    for (std::size_t d = 0; d < first_; ++d) out += (d == 0 ? "PB_ITEMS" : " * PB_ITEMS") + std::to_string(d);
    return out;
  }

  void declare_vars(const std::string& place) {
    for (std::size_t d = 0; d < num_loops(); ++d)
      out_.line("const int " + opencl_name(kernel_.vars[d]) + " = " + place + std::to_string(d) + ";");
  }

  /// Declares whether all instances of the group exist, and all of its runs are aligned. They are if the first one is,
  /// and all rows have the same place.
  void print_test(const std::string& loop, const std::string& length) {
    const std::string name = name_in_kernel(kernel_, transform_, output_.matrix, true);
    // The stride may be a constant, and compilers warn of one that is not the first condition.
    std::vector<std::string> tests{stride_name(name, 0) + " == 1", "pb_run" + loop + " % " + length + " == 0"};
    for (std::size_t d = 1; d < output_.lo.size(); ++d)
      tests.push_back(stride_name(name, d) + " % " + length + " == 0");
    for (std::size_t d = 0; d < num_loops(); ++d) {
      const std::string dim = std::to_string(d);
      tests.push_back("pb_group" + dim + " + PB_SPAN" + dim + " <= pb_extent" + dim);
    }
    out_.line("bool pb_stores_runs = " + joined(tests, " && ") + ";");
    out_.open("");
    declare_vars("pb_first");
    out_.line("pb_stores_runs = pb_stores_runs && (ulong)&" + cell() + " % 16 == 0;");
    out_.close();
  }

  /// Opens the loops over the work-item's instances, or over the runs of a whole group, and declares the place of one.
  void open_instances(bool is_whole) {
    for (std::size_t d = num_loops(); d-- > 0;) {
      const std::string var = "pb_k" + std::to_string(d);
      print_unrolling(out_, kUnroll);
      const std::string next = is_whole && d == first_ ? var + " += " + std::to_string(run_.length) : "++" + var;
      out_.line("for (int " + var + " = 0; " + var + " < PB_ITEMS" + std::to_string(d) + "; " + next + ")");
    }
    out_.open("");
    declare_place_(is_whole);
  }

  Writer& out_;
  const KernelTree& kernel_;
  const Transform& transform_;
  const RegionAccess& output_;
  const KernelOperandPrinter& operands_;
  const CellVector& run_;
  const std::function<void(bool)>& declare_place_;
  const std::size_t first_;  ///< the first of the two loops of blocks
};

}  // namespace

std::optional<CellVector> find_run_stores(const Program& program, const KernelTree& kernel) {
  const RuleInstance& instance = *instance_in_blocks(kernel.tree);
  const Rule& rule = rule_of(program, kernel);
  if (rule.outputs.size() != 1) return std::nullopt;
  const OperandKind kind = instance.outputs.front().kind;
  if (kind != OperandKind::Result && kind != OperandKind::NewValue) return std::nullopt;
  const RegionAccess& output = rule.outputs.front();
  const Matrix& matrix = program.transforms[kernel.transform].matrices[output.matrix];
  const CellVector run = cell_vector(matrix.is_element_t ? program.element : matrix.element);
  const std::size_t first = instance.blocks->loops[0];
  if (run.length < 2 || run.length > instance.blocks->wide[0] || !lies_along(output, kernel.vars[first]))
    return std::nullopt;
  return run;
}

void print_run_stores(Writer& out, const Program& program, const KernelTree& kernel,
                      const KernelOperandPrinter& operands, const CellVector& run,
                      const std::function<void(bool)>& declare_place) {
  RunStorePrinter(out, program, kernel, operands, run, declare_place).print();
}

}  // namespace pb
