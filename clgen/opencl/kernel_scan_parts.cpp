// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_scan_parts.h"

#include <algorithm>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/body/body_constants.h"
#include "lang/check.h"

namespace pb {
namespace {

constexpr const char* kSame = "pb_same";  // the factors that all instances have

std::string unsigned_word(ElementType type) { return size_bytes(type) == 8 ? "ulong" : "uint"; }

/// Whole numbers wrap in parts of a scan, where the whole does not overflow.
std::string as_unsigned(ElementType type, const std::string& number) {
  return is_floating(type) ? number : "(" + unsigned_word(type) + ")" + number;
}

std::string from_unsigned(ElementType type, const std::string& word, const std::string& text) {
  return is_floating(type) ? text : "(" + word + ")(" + text + ")";
}

/// What a type's macros begin with, such as `FLT_MIN`.
std::string limits_of(ElementType type) { return type == ElementType::Float ? "FLT_" : "DBL_"; }

/// The value of two parts, of which `a` comes first. Of equal ones, and where one is no number, the first one stays.
std::string combined(ScanOp operation, ElementType element, const std::string& word, const std::string& a,
                     const std::string& b) {
  const auto wrapped = [&](const char* op) {
    return from_unsigned(element, word, as_unsigned(element, a) + " " + op + " " + as_unsigned(element, b));
  };
  switch (operation) {
    case ScanOp::Add:
      return wrapped("+");
    case ScanOp::Mul:
      return wrapped("*");
    case ScanOp::Min:
      return b + " < " + a + " ? " + b + " : " + a;
    case ScanOp::Max:
      return b + " > " + a + " ? " + b + " : " + a;
    case ScanOp::BitAnd:
      return a + " & " + b;
    case ScanOp::BitOr:
      return a + " | " + b;
    case ScanOp::BitXor:
      return a + " ^ " + b;
    case ScanOp::Linear:
      break;
  }
  PB_CHECK(false, "recurrences are combined with their factors");
  return {};
}

bool may_grow_again(const LineScans& scans, std::size_t k) {
  const ScanOp op = scans.scan.values[k].op;
  return is_floating(scans.types[k]) && (op == ScanOp::Mul || (op == ScanOp::Linear && !scans.same_factors[k]));
}

/// Whether a factor of a part forgets of the value before what shows in the part's value: see simd_scans.h.
std::string forgets_text(ElementType type, const std::string& factor, const std::string& value,
                         const std::string& before) {
  const std::string limits = limits_of(type);
  return "(PB_SCAN_IS_LEAST(" + factor + ", " + limits + ") && fabs(" + before + ") * (PB_SCAN_LEAST(" + limits +
         ") / " + limits + "EPSILON) > fabs(" + value + "))";
}

}  // namespace

bool may_grow_again(const LineScans& scans) {
  for (std::size_t k = 0; k < scans.types.size(); ++k)
    if (may_grow_again(scans, k)) return true;
  return false;
}

std::string ScanPartPrinter::element(const std::string& name, std::size_t k) { return name + "_e" + std::to_string(k); }
std::string ScanPartPrinter::factor(const std::string& name, std::size_t k) { return name + "_f" + std::to_string(k); }

bool ScanPartPrinter::is_exact() const {
  return std::none_of(scans_.types.begin(), scans_.types.end(), [](ElementType type) { return is_floating(type); });
}

/// Whether factors or elements may be infinite, or too small, where the values of the line are not.
bool ScanPartPrinter::may_overflow(std::size_t k) const {
  return is_floating(scans_.types[k]) && (has_factor_of(k) || scans_.scan.values[k].op == ScanOp::Mul);
}

bool ScanPartPrinter::may_overflow() const {
  for (std::size_t k = 0; k < size(); ++k)
    if (may_overflow(k)) return true;
  return false;
}

std::string ScanPartPrinter::neutral(std::size_t k) const {
  const ElementType type = scans_.types[k];
  switch (scans_.scan.values[k].op) {
    case ScanOp::Add:
      return is_floating(type) ? "-0.0f" : "0";  // -0 + x is x for zeros of both signs
    case ScanOp::Mul:
      return "1";
    case ScanOp::Min:
      return is_floating(type) ? "INFINITY" : opencl_limit(number_type(type), "max");
    case ScanOp::Max:
      return is_floating(type) ? "-INFINITY" : opencl_limit(number_type(type), "min");
    case ScanOp::BitAnd:
      return "(" + this->type(k) + ")-1";
    case ScanOp::BitOr:
    case ScanOp::BitXor:
    case ScanOp::Linear:
      return "0";
  }
  return "0";
}

std::string ScanPartPrinter::is_finite(const std::string& name, bool has_factors) const {
  std::vector<std::string> tests;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!may_overflow(k)) continue;
    // A product of a part that is 0 or subnormal may have lost what a large value before it would have kept.
    const bool is_product = !has_factor_of(k) && has_factors;
    tests.push_back((is_product ? "isnormal(" : "isfinite(") + element(name, k) + ")");
    if (has_factors && has_factor_of(k)) tests.push_back("isfinite(" + factor(name, k) + ")");
  }
  return joined(tests, " && ");
}

void ScanPartPrinter::declare(const std::string& name, bool has_factors) const {
  for (std::size_t k = 0; k < size(); ++k) {
    out_.line(type(k) + " " + element(name, k) + " = " + neutral(k) + ";");
    if (has_factors && has_factor_of(k)) out_.line(type(k) + " " + factor(name, k) + " = 1;");
  }
}

void ScanPartPrinter::declare_arrays(const std::string& space, const std::string& name, const std::string& length,
                                     Factors factors) const {
  for_each_number(factors, [&](std::size_t k, NumberName number) {
    out_.line(space + type(k) + " " + number(name, k) + "[" + length + "];");
  });
}

void ScanPartPrinter::for_each_number(Factors factors, const VisitNumber& visit) const {
  for (std::size_t k = 0; k < size(); ++k) {
    visit(k, element);
    const bool is_left_out = factors == Factors::None || (factors == Factors::Different && scans_.same_factors[k]);
    if (has_factor_of(k) && !is_left_out) visit(k, factor);
  }
}

void ScanPartPrinter::declare_same_factors() const {
  for (std::size_t k = 0; k < size(); ++k)
    if (scans_.same_factors[k]) out_.line(type(k) + " " + factor(kSame, k) + " = 1;");
}

void ScanPartPrinter::keep_same_factors(const std::string& name) const {
  for (std::size_t k = 0; k < size(); ++k)
    if (scans_.same_factors[k]) out_.line(factor(kSame, k) + " = " + name + std::to_string(k) + ";");
}

void ScanPartPrinter::take_same_factors(const std::string& name, const std::string& is_there) const {
  for (std::size_t k = 0; k < size(); ++k)
    if (scans_.same_factors[k]) out_.line(factor(name, k) + " = " + is_there + " ? " + factor(kSame, k) + " : 1;");
}

/// Gives a part that is declared its neutral value.
void ScanPartPrinter::reset(const std::string& name, bool has_factors) const {
  for (std::size_t k = 0; k < size(); ++k) {
    out_.line(element(name, k) + " = " + neutral(k) + ";");
    if (has_factors && has_factor_of(k)) out_.line(factor(name, k) + " = 1;");
  }
}

/// Lets a part follow what `to` has.
void ScanPartPrinter::append(const std::string& to, const std::string& part, bool has_factors) const {
  for (std::size_t k = 0; k < size(); ++k) {
    const std::string e = element(to, k), other = element(part, k);
    if (!has_factor_of(k)) {
      out_.line(e + " = " + combined(scans_.scan.values[k].op, scans_.types[k], type(k), e, other) + ";");
      // What a part has lost stays lost, also if its number grows again: NaN tells that.
      if (has_factors && may_grow_again(scans_, k)) out_.line("if (!isnormal(" + e + ")) " + e + " = NAN;");
      continue;
    }
    const ElementType type_of_k = scans_.types[k];
    const std::string before = factor(to, k), behind = factor(part, k);
    const auto product = [&](const std::string& with) {
      return as_unsigned(type_of_k, behind) + " * " + as_unsigned(type_of_k, with);
    };
    const auto sum = from_unsigned(type_of_k, type(k), as_unsigned(type_of_k, other) + " + " + product(e));
    const bool may_be_lost = has_factors && may_grow_again(scans_, k);
    if (may_be_lost)
      out_.line(e + " = " + forgets_text(type_of_k, behind, other, e) + " ? NAN : " + sum + ";");
    else if (!has_factors && scans_.begins_again[k] && is_floating(type_of_k))
      // A value that begins again does not know the one before, which may be infinite.
      out_.line(e + " = " + behind + " == 0 ? " + other + " : " + sum + ";");
    else
      out_.line(e + " = " + sum + ";");
    if (may_be_lost)
      out_.line(before + " = PB_SCAN_FACTORS(" + before + ", " + behind + ", " + limits_of(type_of_k) + ");");
    else if (has_factors)
      out_.line(before + " = " + from_unsigned(type_of_k, type(k), product(before)) + ";");
  }
}

std::string ScanPartPrinter::forgets(const std::string& part, const std::string& before) const {
  std::vector<std::string> tests;
  for (std::size_t k = 0; k < size(); ++k)
    if (may_grow_again(scans_, k) && has_factor_of(k))
      tests.push_back(forgets_text(scans_.types[k], factor(part, k), element(part, k), element(before, k)));
  return joined(tests, " || ");
}

void ScanPartPrinter::copy(const std::string& to, const std::string& from, bool has_factors) const {
  for_each_number(factors_if(has_factors),
                  [&](std::size_t k, NumberName number) { out_.line(number(to, k) + " = " + number(from, k) + ";"); });
}

void ScanPartPrinter::load(const std::string& name, const std::string& arrays, const std::string& place,
                           Factors factors) const {
  for_each_number(factors, [&](std::size_t k, NumberName number) {
    out_.line(number(name, k) + " = " + number(arrays, k) + "[" + place + "];");
  });
}

void ScanPartPrinter::store(const std::string& name, const std::string& arrays, const std::string& place,
                            Factors factors) const {
  for_each_number(factors, [&](std::size_t k, NumberName number) {
    out_.line(number(arrays, k) + "[" + place + "] = " + number(name, k) + ";");
  });
}

void ScanPartPrinter::exchange(const std::string& to, const std::string& from, const std::string& lane,
                               bool has_factors) const {
  for_each_number(factors_if(has_factors), [&](std::size_t k, NumberName number) {
    // Smaller integers pass as ints. The functions know the type by its own name, not as ElementT.
    const std::string type = size_bytes(scans_.types[k]) < 4 ? "int" : opencl_type(scans_.types[k]);
    out_.line(number(to, k) + " = pb_of_lane_" + type + "(" + number(from, k) + ", " + lane + ");");
  });
}

}  // namespace pb
