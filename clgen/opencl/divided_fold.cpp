// SPDX-License-Identifier: MIT
#include "clgen/opencl/divided_fold.h"

#include <set>

#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"

namespace pb {
namespace {

using Kind = BodyType::Kind;

bool is_extremum(const Accumulator& accumulator) {
  return accumulator.op == FoldOp::Min || accumulator.op == FoldOp::Max;
}

/// The type in which lanes compute.
std::string own_type(const Accumulator& accumulator) {
  BodyType type = accumulator.type;
  const bool may_overflow = accumulator.op == FoldOp::Add || accumulator.op == FoldOp::Mul;
  const bool is_wide = (type.kind == Kind::Int && type.narrow_bytes == 0) || type.kind == Kind::Long;
  if (may_overflow && is_wide) type.is_unsigned = true;
  return number_word(type);
}

/// The type of the array through which the parts go; there are no arrays of truth values in all dialects.
std::string array_type(const Accumulator& accumulator) {
  return accumulator.type.kind == Kind::Bool ? "int" : own_type(accumulator);
}

std::string parts_array(const std::string& type) { return "pb_parts_" + type; }

std::string neutral_text(const Accumulator& accumulator) {
  const bool is_real = accumulator.type.kind == Kind::Double || accumulator.type.kind == Kind::Float;
  switch (accumulator.op) {
    case FoldOp::Add:
      return is_real ? "-0.0f" : "0";  // -0 + x is x for zeros of both signs
    case FoldOp::Mul:
    case FoldOp::And:
      return "1";
    case FoldOp::BitAnd:
      return "-1";
    case FoldOp::BitOr:
    case FoldOp::BitXor:
    case FoldOp::Or:
      return "0";
    case FoldOp::Min:
    case FoldOp::Max:
      break;
  }
  PB_CHECK(false, "the smallest and the largest begin with the value before the loop");
  return {};
}

/// Combines two values; the first stays where a smallest or largest meets an equal one or a NaN.
std::string combined_text(const Accumulator& accumulator, const std::string& a, const std::string& b) {
  if (accumulator.op == FoldOp::Min) return b + " < " + a + " ? " + b + " : " + a;
  if (accumulator.op == FoldOp::Max) return a + " < " + b + " ? " + b + " : " + a;
  return a + " " + spelling(accumulator.op) + " " + b;
}

class DividedFoldPrinter {
 public:
  DividedFoldPrinter(Writer& out, BodyCodePrinter& printer, const Body& body, const DividedFold& divided,
                     const std::string& barrier)
      : out_(out), printer_(printer), body_(body), divided_(divided), fold_(divided.fold), barrier_(barrier) {}

  void print() {
    out_.open("");
    out_.line("const long pb_first = " + printer_.expr(fold_.first, Precedence::Assign) + ";");
    out_.line("const long pb_last = " + printer_.expr(fold_.last, Precedence::Assign) + ";");
    for (std::size_t i = 0; i < fold_.accumulators.size(); ++i)
      out_.line("const " + number_word(at(i).type) + " pb_before" + number(i) + " = " + name(i) + ";");
    for (std::size_t i = 0; i < fold_.accumulators.size(); ++i)
      out_.line(own_type(at(i)) + " pb_part" + number(i) + ";");
    print_part();
    for (std::size_t i = 0; i < fold_.accumulators.size(); ++i) print_combination(i);
    if (divided_.repeats_if_zero) print_repetition();
    out_.close();
  }

 private:
  const Accumulator& at(std::size_t i) const { return fold_.accumulators[i]; }
  static std::string number(std::size_t i) { return std::to_string(i); }
  std::string name(std::size_t i) const { return opencl_name(at(i).name); }

  /// Returns the number of iterations, which is negative if there are none in some cases.
  std::string count_text() const {
    const std::string distance = fold_.step > 0 ? "pb_last - pb_first" : "pb_first - pb_last";
    const std::int64_t step = fold_.step > 0 ? fold_.step : -fold_.step;
    const std::int64_t more = step - 1 + (fold_.is_inclusive ? 1 : 0);
    const std::string sum = more == 0 ? distance : distance + " + " + std::to_string(more);
    return step == 1 ? sum : "(" + sum + ") / " + std::to_string(step);
  }

  /// The iterations of one lane.
  void print_part() {
    out_.open("");
    for (std::size_t i = 0; i < fold_.accumulators.size(); ++i)
      out_.line(own_type(at(i)) + " " + name(i) + " = " +
                (is_extremum(at(i)) ? "pb_before" + number(i) : neutral_text(at(i))) + ";");
    out_.line("const long pb_count = " + count_text() + ";");
    print_unrolling("#pragma unroll 4\n");
    out_.open("for (long pb_round = pb_lane; pb_round < pb_count; pb_round += PB_LANES)");
    out_.line("const " + number_word(fold_.var_type) + " " + opencl_name(fold_.var) + " = (" +
              number_word(fold_.var_type) + ")(pb_first + pb_round" +
              (fold_.step == 1 ? "" : " * " + std::to_string(fold_.step)) + ");");
    printer_.print_children(out_, std::get<ForStmt>(body_.stmts[fold_.loop].node).body);
    out_.close();
    for (std::size_t i = 0; i < fold_.accumulators.size(); ++i)
      out_.line("pb_part" + number(i) + " = " + name(i) + ";");
    out_.close();
  }

  /// Compilers for CPUs take long over copies of loops beside barriers.
  void print_unrolling(const std::string& elsewhere) {
    out_.verbatim("#ifdef PB_CPU\n#pragma nounroll\n" + (elsewhere.empty() ? "" : "#else\n" + elsewhere) + "#endif\n");
  }

  void print_combination(std::size_t i) {
    const std::string array = parts_array(array_type(at(i)));
    const std::string own = array + "[pb_local]", other = array + "[pb_local + pb_half * pb_lane_distance]";
    out_.line(own + " = pb_part" + number(i) + ";");
    out_.line(barrier_);
    print_unrolling("");
    out_.open("for (int pb_half = PB_LANES / 2; pb_half > 0; pb_half /= 2)");
    out_.line("if (pb_lane < pb_half) " + own + " = " + combined_text(at(i), own, other) + ";");
    out_.line(barrier_);
    out_.close();
    const std::string whole = array + "[pb_local - pb_lane * pb_lane_distance]";
    const std::string type = own_type(at(i));
    out_.line(name(i) + " = " +
              (is_extremum(at(i))
                   ? whole
                   : combined_text(at(i), "(" + type + ")pb_before" + number(i), "(" + type + ")" + whole)) +
              ";");
    out_.line(barrier_);
  }

  void print_repetition() {
    std::string is_zero;
    for (std::size_t i = 0; i < fold_.accumulators.size(); ++i)
      if (is_extremum(at(i))) is_zero += (is_zero.empty() ? "" : " || ") + name(i) + " == 0";
    out_.open("if (" + is_zero + ")");
    for (std::size_t i = 0; i < fold_.accumulators.size(); ++i) out_.line(name(i) + " = pb_before" + number(i) + ";");
    printer_.print_stmt(out_, fold_.loop);
    out_.close();
  }

  Writer& out_;
  BodyCodePrinter& printer_;
  const Body& body_;
  const DividedFold& divided_;
  const Fold& fold_;
  const std::string& barrier_;
};

}  // namespace

void print_parts_arrays(Writer& out, const LoopTree& tree, const std::string& head) {
  const RuleInstance* instance = instance_with_lanes(tree);
  if (instance == nullptr) return;
  std::set<std::string> types;
  for (const DividedFold& divided : instance->divided)
    for (const Accumulator& accumulator : divided.fold.accumulators) types.insert(array_type(accumulator));
  out.verbatim("#ifdef PB_LANES\n");
  for (const std::string& type : types) out.line(head + type + " " + parts_array(type) + "[PB_GROUP_ITEMS];");
  out.verbatim("#endif\n");
}

void print_divided_fold(Writer& out, BodyCodePrinter& printer, const Body& body, const DividedFold& divided,
                        const std::string& barrier) {
  DividedFoldPrinter(out, printer, body, divided, barrier).print();
}

}  // namespace pb
