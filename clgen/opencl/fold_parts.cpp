// SPDX-License-Identifier: MIT
#include "clgen/opencl/fold_parts.h"

#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"

namespace pb {

using Kind = BodyType::Kind;

std::string own_type(const Accumulator& accumulator) {
  BodyType type = accumulator.type;
  const bool may_overflow = accumulator.op == FoldOp::Add || accumulator.op == FoldOp::Mul;
  const bool is_wide = (type.kind == Kind::Int && type.narrow_bytes == 0) || type.kind == Kind::Long;
  if (may_overflow && is_wide) type.is_unsigned = true;
  return number_word(type);
}

std::string array_type(const Accumulator& accumulator) {
  return accumulator.type.kind == Kind::Bool ? "int" : own_type(accumulator);
}
std::string array_type(const FoldPlace& place) {
  return place.type.kind == Kind::Bool ? "int" : number_word(place.type);
}

std::string neutral_text(const Accumulator& accumulator) {
  switch (accumulator.op) {
    case FoldOp::Add:
      return is_floating(accumulator.type) ? "-0.0f" : "0";  // -0 + x is x for zeros of both signs
    case FoldOp::Mul:
    case FoldOp::And:
      return "1";
    case FoldOp::BitAnd:
      return "(" + own_type(accumulator) + ")-1";
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

std::string parts_array(const std::string& type) { return "pb_parts_" + type; }

std::string part_of(std::size_t i) { return "pb_part" + std::to_string(i); }
std::string part_of(std::size_t i, std::size_t place) { return part_of(i) + "_" + std::to_string(place); }
std::string round_of(std::size_t i) { return "pb_round" + std::to_string(i); }

std::string is_better_text(const Accumulator& accumulator, const std::string& a, const std::string& b) {
  return accumulator.op == FoldOp::Min ? b + " < " + a : a + " < " + b;
}

std::string takes_place_text(const Accumulator& accumulator, const RoundedPart& a, const RoundedPart& b) {
  return is_better_text(accumulator, a.value, b.value) + " || (" + b.value + " == " + a.value + " && " + b.round +
         " < " + a.round + ")";
}

std::string combined_text(const Accumulator& accumulator, const std::string& a, const std::string& b) {
  if (accumulator.is_extremum()) return is_better_text(accumulator, a, b) + " ? " + b + " : " + a;
  return a + " " + spelling(accumulator.op) + " " + b;
}

void print_unrolling(Writer& out, const std::string& elsewhere) {
  out.verbatim("#ifdef PB_CPU\n#pragma nounroll\n" + (elsewhere.empty() ? "" : "#else\n" + elsewhere) + "#endif\n");
}

std::string count_text(const Fold& fold, const std::string& prefix) {
  const std::string first = prefix + "first";
  const std::string last = prefix + "last";
  const std::string distance = fold.step > 0 ? last + " - " + first : first + " - " + last;
  const std::int64_t step = fold.step > 0 ? fold.step : -fold.step;
  const std::int64_t more = step - 1 + (fold.is_inclusive ? 1 : 0);
  const std::string sum = more == 0 ? distance : distance + " + " + std::to_string(more);
  return step == 1 ? sum : "(" + sum + ") / " + std::to_string(step);
}

std::string variable_text(const Fold& fold, const std::string& round) {
  const std::string type = number_word(fold.var_type);
  return "const " + type + " " + opencl_name(fold.var) + " = (" + type + ")(" + round +
         (fold.step == 1 ? "" : " * " + std::to_string(fold.step)) + ");";
}

}  // namespace pb
