// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_products.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/panel_rows.h"
#include "clgen/facts/names.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_panels.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"
#include "runtime/config/matrix_unit_text.h"

namespace pb {
namespace {

class ProductPrinter {
 public:
  ProductPrinter(Writer& out, const KernelTilePrinter& tiles, const Rule& rule, const RuleInstance& instance)
      : out_(out), tiles_(tiles), rule_(rule), instance_(instance), blocks_(*instance.blocks) {}

  void print() {
    out_.open("if (pb_rounds == PB_BLOCK_ROUNDS)");
    print_unrolling(out_, kUnroll);
    print_steps("PB_BLOCK_ROUNDS");
    out_.reopen("else");
    print_unrolling(out_, "#pragma unroll 1\n");
    print_steps("pb_rounds");
    out_.close();
  }

 private:
  [[nodiscard]] std::string dim(std::size_t loop) const { return std::to_string(blocks_.loops[loop]); }

  /// Whether the factors are floats, of which a unit takes two parts.
  [[nodiscard]] bool splits() const { return blocks_.products->element == ElementType::Float; }

  void print_steps(const std::string& rounds) {
    out_.open("for (int pb_step = 0; pb_step + 8 <= " + rounds + "; pb_step += 8)");
    out_.line(std::string(splits() ? "uint2" : "double") + " pb_right[2][PB_ITEMS" + dim(0) +
              " / 2], pb_left[2][PB_ITEMS" + dim(1) + "];");
    out_.line("const int pb_r = pb_step + (int)((uint)pb_id" + dim(0) + " % 4);");
    print_factors(0);
    print_factors(1);
    print_sums();
    out_.close();
  }

  /// Reads the factors that move with one of the two loops: columns or rows of the unit. All of them lie at fixed
  /// distances from the first one.
  void print_factors(std::size_t loop) {
    const std::string d = dim(loop), item = "pb_k" + d;
    const std::size_t input = blocks_.products->inputs[loop];
    const BufferId panel = instance_.inputs[input].buffer;
    std::vector<std::size_t> dims;
    for (std::size_t m = 0; m < rule_.inputs[input].lo.size(); ++m)
      if (!rule_.inputs[input].is_fixed_dim(m)) dims.push_back(m);
    out_.open("");
    for (std::size_t l = 0; l < tiles_.lowered().vars.size(); ++l) {
      const bool is_column = l == blocks_.loops[0] && loop == 0;
      out_.line("const int pb_place" + std::to_string(l) + " = " +
                (is_column ? "(int)((uint)pb_id" + d + " / 4 * 8 + (uint)pb_id" + dim(1) + " % 8)"
                           : "pb_item" + std::to_string(l)) +
                ";");
    }
    print_panel_region(out_, tiles_, panel, dims);
    const std::string type = splits() ? "float" : "double";
    out_.line(tiles_.dialect().local + "const " + type + "* const pb_factors = &" + cell(loop, *blocks_.find(input)) +
              ";");
    print_unrolling(out_, kUnroll);
    out_.line("for (int pb_half = 0; pb_half < 2; ++pb_half)");
    print_unrolling(out_, kUnroll);
    out_.line("for (int " + item + " = 0; " + item + " < PB_ITEMS" + d + (loop == 0 ? " / 2" : "") + "; ++" + item +
              ")");
    const std::string stride = stride_name("pb_at_" + rule_.inputs[input].binding, blocks_.find(input)->body_dim);
    const std::string factor = "pb_factors[4 * pb_half * " + stride + " + " + item + " * pb_leap" + d + " * (" +
                               panel_step(tiles_, panel, blocks_.loops[loop]) + ")]";
    out_.line(std::string(loop == 0 ? "  pb_right" : "  pb_left") + "[pb_half][" + item +
              "] = " + (splits() ? "PB_SPLIT(" + factor + ")" : factor) + ";");
    out_.close();
  }

  /// The cell of the round. Its other coordinates are numbers.
  [[nodiscard]] std::string cell(std::size_t loop, const BlockInput& staged) const {
    const auto& read = std::get<MemberExpr>(rule_.body.exprs[blocks_.products->cells[loop]].node);
    const std::string region = "pb_at_" + rule_.inputs[staged.input].binding;
    std::string index;
    for (std::size_t a = 0; a < read.args.size(); ++a) {
      const auto* number = std::get_if<IntegerExpr>(&rule_.body.exprs[read.args[a]].node);
      PB_CHECK(a == staged.body_dim || number != nullptr, "the other coordinates of a factor are numbers");
      if (a != staged.body_dim && number->text == "0") continue;
      index += (index.empty() ? "" : " + ") + (a == staged.body_dim ? "pb_r" : "(int)" + number->text) + " * " +
               stride_name(region, a);
    }
    return region + "[" + index + "]";
  }

  void print_sums() {
    // The sum of an instance has the number that KernelBlockPrinter gives it; a third loop has one instance.
    const bool is_first_fastest = blocks_.loops[0] < blocks_.loops[1];
    PB_CHECK(is_first_fastest, "the first of the two loops is the faster one");
    print_unrolling(out_, kUnroll);
    out_.open("for (int " + row() + " = 0; " + row() + " < PB_ITEMS" + dim(1) + "; " + row() + " += 2)");
    if (splits()) {
      print_split_products();
    } else {
      open_columns();
      declare_own();
      out_.line("PB_ADD_PRODUCTS(" + joined(sums()) + ", " + factors("", "") + ");");
      out_.close();
    }
    out_.close();
  }

  /// A pass over the columns per product of parts, since a unit would wait for a sum to which it has just added. The
  /// smallest products come first.
  void print_split_products() {
    std::vector<std::string> added;
    for (int i = 0; i < 4; ++i) added.push_back("pb_added[" + column() + " / 2][" + std::to_string(i) + "]");
    out_.line("float pb_added[PB_ITEMS" + dim(0) + " / 2][4] = {{0}};");
    for (const auto& [left, right] : {std::pair{".y", ".x"}, {".x", ".y"}, {".x", ".x"}}) {
      open_columns();
      out_.line("PB_ADD_PARTS(" + joined(added) + ", " + factors(left, right) + ");");
      out_.close();
    }
    open_columns();
    declare_own();
    for (std::size_t i = 0; i < added.size(); ++i) out_.line(sums()[i] + " += " + added[i] + ";");
    out_.close();
  }

  [[nodiscard]] std::string column() const { return "pb_k" + dim(0); }
  [[nodiscard]] std::string row() const { return "pb_k" + dim(1); }

  /// Opens the loop over the columns of a row.
  void open_columns() {
    print_unrolling(out_, kUnroll);
    out_.open("for (int " + column() + " = 0; " + column() + " < PB_ITEMS" + dim(0) + "; " + column() + " += 2)");
  }
  void declare_own() { out_.line("const int pb_own = " + column() + " + PB_ITEMS" + dim(0) + " * " + row() + ";"); }

  /// The sums of a unit that a work-item has.
  [[nodiscard]] std::vector<std::string> sums() const {
    const std::string own = carried_array(blocks_.products->sum) + "[pb_own", below = " + PB_ITEMS" + dim(0);
    return {own + "]", own + " + 1]", own + below + "]", own + below + " + 1]"};
  }

  /// The factors of a unit that a work-item has, or such parts of them.
  [[nodiscard]] std::string factors(const std::string& left, const std::string& right) const {
    std::vector<std::string> out;
    for (const char* const half : {"[0][", "[1]["})
      for (const char* const next : {"]", " + 1]"}) out.push_back("pb_left" + (half + row()) + next + left);
    for (const char* const half : {"[0][", "[1]["}) out.push_back("pb_right" + (half + column()) + " / 2]" + right);
    return joined(out);
  }

  Writer& out_;
  const KernelTilePrinter& tiles_;
  const Rule& rule_;
  const RuleInstance& instance_;
  const RoundBlockFacts& blocks_;
};

}  // namespace

void print_matrix_units(Writer& out, const BlockProducts& products) {
  if (products.element != ElementType::Float) return out.verbatim(PB_MATRIX_UNIT_TEXT);
  out.verbatim(PB_SPLIT_UNIT_TEXT);
  out.verbatim("#ifdef PB_MATRIX_UNITS\n#define PB_PANEL_GAP " + std::to_string(kPanelGapOfSplitFloats) +
               "\n#else\n#define PB_PANEL_GAP " + std::to_string(kPanelGap) + "\n#endif\n");
}

void print_products(Writer& out, const KernelTilePrinter& tiles, const Rule& rule, const RuleInstance& instance) {
  ProductPrinter(out, tiles, rule, instance).print();
}

}  // namespace pb
