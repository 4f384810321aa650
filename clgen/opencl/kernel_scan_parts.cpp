// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_scan_parts.h"

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/body/body_constants.h"
#include "lang/check.h"

namespace pb {
namespace {

std::string unsigned_word(ElementType type) { return size_bytes(type) == 8 ? "ulong" : "uint"; }

}  // namespace

std::string ScanPartPrinter::element(const std::string& name, std::size_t k) { return name + "_e" + std::to_string(k); }
std::string ScanPartPrinter::factor(const std::string& name, std::size_t k) { return name + "_f" + std::to_string(k); }

/// Whether factors or elements of a recurrence may be infinite where the values of its lines are not.
bool ScanPartPrinter::may_overflow() const {
  for (std::size_t k = 0; k < size(); ++k)
    if (has_factor_of(k) && is_floating(scans_.types[k])) return true;
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

/// The value of two parts, of which `a` comes first. Of equal ones, and where one is no number, the first one stays.
std::string ScanPartPrinter::combined(std::size_t k, const std::string& a, const std::string& b) const {
  const std::string word = unsigned_word(scans_.types[k]);
  const auto wrapped = [&](const char* op) {
    if (is_floating(scans_.types[k])) return a + " " + op + " " + b;
    return "(" + type(k) + ")((" + word + ")" + a + " " + op + " (" + word + ")" + b + ")";
  };
  switch (scans_.scan.values[k].op) {
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

std::string ScanPartPrinter::is_finite(const std::string& name, bool has_factors) const {
  std::vector<std::string> tests;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!has_factor_of(k) || !is_floating(scans_.types[k])) continue;
    tests.push_back("isfinite(" + element(name, k) + ")");
    if (has_factors) tests.push_back("isfinite(" + factor(name, k) + ")");
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
                                     bool has_factors) const {
  for_each_number(has_factors, [&](std::size_t k, NumberName number) {
    out_.line(space + type(k) + " " + number(name, k) + "[" + length + "];");
  });
}

/// Visits the numbers of a part: of each value the element, then its factor.
void ScanPartPrinter::for_each_number(bool has_factors, const VisitNumber& visit) const {
  for (std::size_t k = 0; k < size(); ++k) {
    visit(k, element);
    if (has_factors && has_factor_of(k)) visit(k, factor);
  }
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
      out_.line(e + " = " + combined(k, e, other) + ";");
      continue;
    }
    out_.line(e + " = " + other + " + " + factor(part, k) + " * " + e + ";");
    if (has_factors) out_.line(factor(to, k) + " = " + factor(part, k) + " * " + factor(to, k) + ";");
  }
}

void ScanPartPrinter::copy(const std::string& to, const std::string& from, bool has_factors) const {
  for_each_number(has_factors,
                  [&](std::size_t k, NumberName number) { out_.line(number(to, k) + " = " + number(from, k) + ";"); });
}

void ScanPartPrinter::load(const std::string& name, const std::string& arrays, const std::string& place,
                           bool has_factors) const {
  for_each_number(has_factors, [&](std::size_t k, NumberName number) {
    out_.line(number(name, k) + " = " + number(arrays, k) + "[" + place + "];");
  });
}

void ScanPartPrinter::store(const std::string& name, const std::string& arrays, const std::string& place,
                            bool has_factors) const {
  for_each_number(has_factors, [&](std::size_t k, NumberName number) {
    out_.line(number(arrays, k) + "[" + place + "] = " + number(name, k) + ";");
  });
}

void ScanPartPrinter::exchange(const std::string& to, const std::string& from, const std::string& lane,
                               bool has_factors) const {
  for_each_number(has_factors, [&](std::size_t k, NumberName number) {
    // Smaller integers pass as ints. The functions know the type by its own name, not as ElementT.
    const std::string type = size_bytes(scans_.types[k]) < 4 ? "int" : opencl_type(scans_.types[k]);
    out_.line(number(to, k) + " = pb_of_lane_" + type + "(" + number(from, k) + ", " + lane + ");");
  });
}

/// Each word of a record has 4 bytes of a number, and the tag beside them. So it is there as a whole or not at all.
void ScanPartPrinter::publish(const std::string& name, const std::string& record, const std::string& tag,
                              bool has_factors) const {
  out_.open("");
  out_.line(dialect_.global + "ulong* pb_record = " + record + ";");
  for_each_number(has_factors, [&](std::size_t k, NumberName number) {
    out_.open("");
    out_.line("union { " + type(k) + " number; uint words[2]; } pb_bits;");
    out_.line("pb_bits.words[0] = 0;");
    out_.line("pb_bits.number = " + number(name, k) + ";");
    for (int word = 0; word < (size_bytes(scans_.types[k]) + 3) / 4; ++word)
      out_.line("pb_publish(pb_record++, " + tag + ", pb_bits.words[" + std::to_string(word) + "]);");
    out_.close();
  });
  out_.close();
}

/// Waits for a record. `tag` names a variable that becomes as large as the record's tag.
void ScanPartPrinter::await(const std::string& name, const std::string& record, const std::string& tag,
                            bool has_factors) const {
  out_.open("");
  out_.line(dialect_.global + "ulong* pb_record = " + record + ";");
  for_each_number(has_factors, [&](std::size_t k, NumberName number) {
    out_.open("");
    out_.line("union { " + type(k) + " number; uint words[2]; } pb_bits;");
    for (int word = 0; word < (size_bytes(scans_.types[k]) + 3) / 4; ++word) {
      const std::string own = "pb_word" + std::to_string(word);
      out_.line("const ulong " + own + " = pb_await(pb_record++);");
      out_.line("pb_bits.words[" + std::to_string(word) + "] = (uint)" + own + ";");
      if (!tag.empty()) out_.line(tag + " = PB_MAX(" + tag + ", (int)(" + own + " >> 32));");
    }
    out_.line(number(name, k) + " = pb_bits.number;");
    out_.close();
  });
  out_.close();
}

}  // namespace pb
