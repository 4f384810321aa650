// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "lang/body/math_functions.h"
#include "lang/check.h"

namespace pb {
namespace {

Formula renamed(Formula formula) {
  if (auto* symbol = std::get_if<SymbolRef>(&formula.node)) {
    symbol->name = opencl_name(symbol->name);
  } else if (auto* binary = std::get_if<BinaryFormula>(&formula.node)) {
    for (Formula& operand : binary->operands) operand = renamed(operand);
  } else if (auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    for (Formula& operand : negated->operand) operand = renamed(operand);
  }
  return formula;
}

// Words of OpenCL C that C++ programs may use as names.
constexpr std::array<std::string_view, 43> kReserved = {
    "kernel",    "global",  "local",  "constant",   "private",    "generic", "half",     "image2d_t", "image3d_t",
    "sampler_t", "event_t", "uchar",  "ushort",     "uint",       "ulong",   "char2",    "char4",     "float2",
    "float3",    "float4",  "float8", "float16",    "double2",    "double3", "double4",  "double8",   "double16",
    "int2",      "int3",    "int4",   "read_only",  "write_only", "barrier", "restrict", "vec_step",  "as_type",
    "mad",       "clamp",   "pipe",   "read_write", "image1d_t",  "size_t",  "ptrdiff_t"};

}  // namespace

std::string opencl_type(ElementType element) {
  switch (element) {
    case ElementType::Double:
      return "double";
    case ElementType::Float:
      return "float";
    case ElementType::Int:
      return "int";
    case ElementType::Long:
      return "long";
    case ElementType::Short:
      return "short";
    case ElementType::UChar:
      return "uchar";
    case ElementType::UShort:
      return "ushort";
  }
  PB_CHECK(false, "every element type has a word");
  return {};
}

CellVector cell_vector(ElementType element) {
  if (element == ElementType::Double) return {2, "double2"};
  if (element == ElementType::Float) return {4, "float4"};
  return element == ElementType::Int ? CellVector{4, "int4"} : CellVector();
}

std::string number_word(const BodyType& type) {
  if (type.is_element) return "ElementT";
  const std::string u = type.is_unsigned ? "u" : "";
  if (type.kind == BodyType::Kind::Double) return "double";
  if (type.kind == BodyType::Kind::Float) return "float";
  if (type.kind == BodyType::Kind::Long) return u + "long";
  if (type.kind == BodyType::Kind::Bool) return "bool";
  if (type.kind == BodyType::Kind::Char) return "char";
  return u + (type.narrow_bytes == 1 ? "char" : type.narrow_bytes == 2 ? "short" : "int");
}

std::string element_word(const Matrix& matrix) {
  return matrix.is_element_t ? "ElementT" : opencl_type(matrix.element);
}

namespace {

/// Whether the name is, or may be, a macro of a language of kernels, of the compilers behind it, or of the C headers
/// that nvcc includes by itself.
bool is_macro(std::string_view name) {
  static constexpr std::array<std::string_view, 18> kMacros = {
      "NULL",      "INFINITY",   "NAN",      "MAXFLOAT",     "HUGE_VAL",     "HUGE_VALF",
      "HUGE_VALL", "CHAR_BIT",   "WORD_BIT", "EXIT_SUCCESS", "EXIT_FAILURE", "CLOCKS_PER_SEC",
      "NZERO",     "FD_SETSIZE", "LONG_BIT", "PIPE_BUF",     "linux",        "unix"};
  static constexpr std::array<std::string_view, 17> kPrefixes = {"M_",   "FLT_", "DBL_", "LDBL_",  "HALF_", "CL_",
                                                                 "CLK_", "FP_",  "__",   "CLOCK_", "SNAN",  "ADJ_",
                                                                 "MOD_", "STA_", "NL_",  "MATH_",  "TIME_"};
  static constexpr std::array<std::string_view, 4> kSuffixes = {"_MAX", "_MIN", "_WIDTH", "_ENDIAN"};
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
  return std::find(kMacros.begin(), kMacros.end(), name) != kMacros.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), begins) ||
         std::any_of(kSuffixes.begin(), kSuffixes.end(), ends);
}

}  // namespace

std::string opencl_name(const std::string& name) {
  const bool is_reserved = std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
  const bool is_function = std::any_of(kMathFunctions.begin(), kMathFunctions.end(),
                                       [&](const MathFunction& function) { return function.name == name; });
  // No name of our own begins like this, whatever the program calls its variables: `pb_round` and `pb_local` are ours.
  return is_reserved || is_function || is_macro(name) ? "pb_named_" + name : in_ascii(name);
}

bool is_integer(const BodyType& type) {
  using Kind = BodyType::Kind;
  return type.kind == Kind::Int || type.kind == Kind::Long || type.kind == Kind::Char || type.kind == Kind::Bool;
}

std::string index_text(const std::string& text, const BodyType& type) {
  return is_integer(type) && (!type.is_unsigned || type.narrow_bytes != 0) ? text : "(int)" + text;
}

std::string stride_name(const std::string& name, std::size_t d) { return "pb_s" + std::to_string(d) + "_" + name; }

std::string size_name(const std::string& name, std::size_t d) { return "pb_size" + std::to_string(d) + "_" + name; }

std::string kept_cells(const std::string& binding) { return "pb_kept_" + binding; }

std::string kernel_formula(const Formula& formula) {
  if (fits_int(formula, kEndInside)) return to_c(renamed(formula));
  return to_c(with_spelling(renamed(formula), [](const std::string& name) { return "(long)" + name; }));
}

std::string added_text(std::int64_t number) {
  if (number == 0) return "";
  return (number < 0 ? " - " : " + ") + std::to_string(number < 0 ? -number : number);
}

std::string carried_array(const std::string& name) { return "pb_carried_" + opencl_name(name); }

}  // namespace pb
