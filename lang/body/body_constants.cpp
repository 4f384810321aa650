// SPDX-License-Identifier: MIT
#include "lang/body/body_constants.h"

#include <algorithm>
#include <array>

#include "lang/body/std_names.h"
#include "lang/check.h"

namespace pb {
namespace {

using Kind = BodyType::Kind;

constexpr std::array<BodyConstant, 88> kConstants = {{
    {"M_E"},
    {"M_LOG2E"},
    {"M_LOG10E"},
    {"M_LN2"},
    {"M_LN10"},
    {"M_PI"},
    {"M_PI_2"},
    {"M_PI_4"},
    {"M_1_PI"},
    {"M_2_PI"},
    {"M_2_SQRTPI"},
    {"M_SQRT2"},
    {"M_SQRT1_2"},
    {"DBL_MAX"},
    {"DBL_MIN"},
    {"DBL_EPSILON"},
    {"DBL_TRUE_MIN", Kind::Double, "0x1p-1074"},
    {"HUGE_VAL", Kind::Double, "((double)INFINITY)"},
    {"FLT_MAX", Kind::Float},
    {"FLT_MIN", Kind::Float},
    {"FLT_EPSILON", Kind::Float},
    {"INFINITY", Kind::Float},
    {"NAN", Kind::Float},
    {"FLT_TRUE_MIN", Kind::Float, "0x1p-149f"},
    {"HUGE_VALF", Kind::Float, "INFINITY"},
    {"FLT_RADIX", Kind::Int},
    {"FLT_DIG", Kind::Int},
    {"FLT_MANT_DIG", Kind::Int},
    {"FLT_MIN_EXP", Kind::Int},
    {"FLT_MAX_EXP", Kind::Int},
    {"FLT_MIN_10_EXP", Kind::Int},
    {"FLT_MAX_10_EXP", Kind::Int},
    {"DBL_DIG", Kind::Int},
    {"DBL_MANT_DIG", Kind::Int},
    {"DBL_MIN_EXP", Kind::Int},
    {"DBL_MAX_EXP", Kind::Int},
    {"DBL_MIN_10_EXP", Kind::Int},
    {"DBL_MAX_10_EXP", Kind::Int},
    {"CHAR_BIT", Kind::Int},
    {"CHAR_MIN", Kind::Int},
    {"CHAR_MAX", Kind::Int},
    {"SCHAR_MIN", Kind::Int},
    {"SCHAR_MAX", Kind::Int},
    {"UCHAR_MAX", Kind::Int},
    {"SHRT_MIN", Kind::Int},
    {"SHRT_MAX", Kind::Int},
    {"USHRT_MAX", Kind::Int},
    {"INT_MIN", Kind::Int},
    {"INT_MAX", Kind::Int},
    {"UINT_MAX", Kind::Int, "", true},
    {"LONG_MIN", Kind::Long},
    {"LONG_MAX", Kind::Long},
    {"ULONG_MAX", Kind::Long, "", true},
    {"LLONG_MIN", Kind::Long, "LONG_MIN"},
    {"LLONG_MAX", Kind::Long, "LONG_MAX"},
    {"ULLONG_MAX", Kind::Long, "ULONG_MAX", true},
    {"INT8_MIN", Kind::Int, "SCHAR_MIN"},
    {"INT8_MAX", Kind::Int, "SCHAR_MAX"},
    {"UINT8_MAX", Kind::Int, "UCHAR_MAX"},
    {"INT16_MIN", Kind::Int, "SHRT_MIN"},
    {"INT16_MAX", Kind::Int, "SHRT_MAX"},
    {"UINT16_MAX", Kind::Int, "USHRT_MAX"},
    {"INT32_MIN", Kind::Int, "INT_MIN"},
    {"INT32_MAX", Kind::Int, "INT_MAX"},
    {"UINT32_MAX", Kind::Int, "UINT_MAX", true},
    {"INT64_MIN", Kind::Long, "LONG_MIN"},
    {"INT64_MAX", Kind::Long, "LONG_MAX"},
    {"UINT64_MAX", Kind::Long, "ULONG_MAX", true},
    {"SIZE_MAX", Kind::Long, "ULONG_MAX", true},
    {"PTRDIFF_MIN", Kind::Long, "LONG_MIN"},
    {"PTRDIFF_MAX", Kind::Long, "LONG_MAX"},
    {"RAND_MAX", Kind::Int, "2147483647"},
    {"std::numbers::e", Kind::Double, "M_E"},
    {"std::numbers::log2e", Kind::Double, "M_LOG2E"},
    {"std::numbers::log10e", Kind::Double, "M_LOG10E"},
    {"std::numbers::pi", Kind::Double, "M_PI"},
    {"std::numbers::inv_pi", Kind::Double, "M_1_PI"},
    {"std::numbers::inv_sqrtpi", Kind::Double, "0.5641895835477563"},
    {"std::numbers::ln2", Kind::Double, "M_LN2"},
    {"std::numbers::ln10", Kind::Double, "M_LN10"},
    {"std::numbers::sqrt2", Kind::Double, "M_SQRT2"},
    {"std::numbers::sqrt3", Kind::Double, "1.7320508075688772"},
    {"std::numbers::inv_sqrt3", Kind::Double, "0.5773502691896257"},
    {"std::numbers::egamma", Kind::Double, "0.5772156649015329"},
    {"std::numbers::phi", Kind::Double, "1.618033988749895"},
    {"ACCURACY_BIN", Kind::Int, "", false, false},
    {"_acc_bin", Kind::Int, "", false, false},
    {"ACCURACY_TARGET", Kind::Double, "", false, false},
}};

struct NumberWord {
  std::string_view word;
  Kind kind;
  bool is_unsigned = false;
  std::uint8_t narrow_bytes = 0;
};
constexpr std::array kNumberWords = {NumberWord{"double", Kind::Double},
                                     NumberWord{"float", Kind::Float},
                                     NumberWord{"int", Kind::Int},
                                     NumberWord{"unsigned", Kind::Int, true},
                                     NumberWord{"unsigned int", Kind::Int, true},
                                     NumberWord{"uint", Kind::Int, true},
                                     NumberWord{"long", Kind::Long},
                                     NumberWord{"unsigned long", Kind::Long, true},
                                     NumberWord{"size_t", Kind::Long, true},
                                     NumberWord{"int32_t", Kind::Int},
                                     NumberWord{"uint32_t", Kind::Int, true},
                                     NumberWord{"int64_t", Kind::Long},
                                     NumberWord{"uint64_t", Kind::Long, true},
                                     NumberWord{"char", Kind::Char},
                                     NumberWord{"signed char", Kind::Int, false, 1},
                                     NumberWord{"unsigned char", Kind::Int, true, 1},
                                     NumberWord{"uchar", Kind::Int, true, 1},
                                     NumberWord{"short", Kind::Int, false, 2},
                                     NumberWord{"unsigned short", Kind::Int, true, 2},
                                     NumberWord{"ushort", Kind::Int, true, 2}};

constexpr std::array<std::string_view, 3> kMembersOfAll = {"max", "min", "lowest"};
constexpr std::array<std::string_view, 4> kMembersOfReals = {"epsilon", "infinity", "quiet_NaN", "denorm_min"};

template <std::size_t N>
std::string_view found_in(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto* found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::string_view() : *found;
}

/// The type of numbers that the word means; none if it is no such type.
std::optional<BodyType> number_of(std::string_view word) {
  BodyType type;
  type.is_element = word == "ElementT";
  if (type.is_element) {
    type.kind = Kind::Double;  // or what the program's element type says
    return type;
  }
  word = without_std(word);
  const auto* found =
      std::find_if(kNumberWords.begin(), kNumberWords.end(), [&](const NumberWord& each) { return each.word == word; });
  if (found == kNumberWords.end()) return std::nullopt;
  type.kind = found->kind;
  type.is_unsigned = found->is_unsigned;
  type.narrow_bytes = found->narrow_bytes;
  return type;
}

/// The bytes of a number of four or eight; 0 for other types.
int num_bytes(const BodyType& type) {
  if (type.kind == Kind::Double || type.kind == Kind::Long) return 8;
  return type.kind == Kind::Float || (type.kind == Kind::Int && type.narrow_bytes == 0) ? 4 : 0;
}

/// The word before `_MAX` and `_MIN` in the limits of an integer type.
std::string_view limit_prefix(const BodyType& type) {
  if (type.kind == Kind::Char) return "CHAR";
  if (type.kind == Kind::Long) return type.is_unsigned ? "ULONG" : "LONG";
  if (type.narrow_bytes == 1) return type.is_unsigned ? "UCHAR" : "SCHAR";
  if (type.narrow_bytes == 2) return type.is_unsigned ? "USHRT" : "SHRT";
  return type.is_unsigned ? "UINT" : "INT";
}

std::string real_limit(const std::string& real, std::string_view member) {
  const bool is_double = real == "double";
  const std::string prefix = is_double ? "DBL_" : "FLT_";
  if (member == "lowest") return "(-" + prefix + "MAX)";
  if (member == "epsilon") return prefix + "EPSILON";
  if (member == "denorm_min") return is_double ? "0x1p-1074" : "0x1p-149f";
  if (member == "infinity") return "((" + real + ")INFINITY)";
  if (member == "quiet_NaN") return "((" + real + ")NAN)";
  return prefix + (member == "max" ? "MAX" : "MIN");
}

}  // namespace

const BodyConstant* find_body_constant(std::string_view name) {
  for (const BodyConstant& constant : kConstants)
    if (constant.name == name) return &constant;
  return nullptr;
}

std::optional<NumericLimit> find_numeric_limit(std::string_view callee) {
  constexpr std::string_view kBegin = "std::numeric_limits<";
  constexpr std::string_view kEnd = ">::";
  const std::size_t end = callee.rfind(kEnd);
  if (!callee.starts_with(kBegin) || end == std::string_view::npos || end < kBegin.size()) return std::nullopt;
  const std::string_view word = callee.substr(kBegin.size(), end - kBegin.size());
  const std::string_view name = callee.substr(end + kEnd.size());
  const auto type = number_of(word);
  if (!type) return std::nullopt;
  NumericLimit limit{*type, {}};
  const bool is_integer = !limit.type.is_element && limit.type.kind != Kind::Double && limit.type.kind != Kind::Float;
  limit.member = found_in(kMembersOfAll, name);
  if (limit.member.empty() && !is_integer) limit.member = found_in(kMembersOfReals, name);
  if (limit.member.empty()) return std::nullopt;
  return limit;
}

std::optional<BodyType> find_bit_cast(std::string_view callee) {
  constexpr std::string_view kBegin = "std::bit_cast<";
  if (!callee.starts_with(kBegin) || !callee.ends_with('>')) return std::nullopt;
  const auto type = number_of(callee.substr(kBegin.size(), callee.size() - kBegin.size() - 1));
  return type && (type->is_element || num_bytes(*type) > 0) ? type : std::nullopt;
}

bool have_same_bytes(const BodyType& to, const BodyType& from) {
  return num_bytes(to) > 0 && num_bytes(to) == num_bytes(from);
}

std::string opencl_limit(const BodyType& type, std::string_view member) {
  if (type.kind == Kind::Double) return real_limit("double", member);
  if (type.kind == Kind::Float) return real_limit("float", member);
  // `epsilon()` and the other members that only real types have are 0 for an element type that is an integer.
  if (found_in(kMembersOfAll, member).empty()) return "0";
  if (type.is_unsigned && member != "max") return type.kind == Kind::Long ? "0UL" : "0U";
  return std::string(limit_prefix(type)) + (member == "max" ? "_MAX" : "_MIN");
}

}  // namespace pb
