// SPDX-License-Identifier: MIT
#include "frontend/check_types/vocabulary/arithmetic.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "lang/body/body_constants.h"
#include "lang/body/math_functions.h"
#include "lang/body/new_matrix.h"
#include "lang/body/std_names.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

int rank(Kind kind) {
  switch (kind) {
    case Kind::Bool:
      return 1;
    case Kind::Char:
      return 2;
    case Kind::Int:
      return 3;
    case Kind::Long:
      return 4;
    case Kind::Float:
      return 5;
    case Kind::Double:
      return 6;
    case Kind::Unknown:
    case Kind::Void:
    case Kind::Region:
    case Kind::Pointer:
    case Kind::Array:
    case Kind::String:
      return 0;
  }
  return 0;
}

struct NamedType {
  std::string_view name;
  Kind kind;
};
constexpr std::array kFunctions = {NamedType{"PetabricksRuntime::randDouble", Kind::Double},
                                   NamedType{"PetabricksRuntime::randInt", Kind::Int},
                                   NamedType{"PetabricksRuntime::randNormal", Kind::Double},
                                   NamedType{"PetabricksRuntime::rand01", Kind::Double},
                                   NamedType{"PetabricksRuntime::abort", Kind::Void},
                                   NamedType{"PetabricksRuntime::untrained", Kind::Void},
                                   NamedType{"PetabricksRuntime::isTrainingRun", Kind::Bool},
                                   NamedType{"PetabricksRuntime::saveConfig", Kind::Void},
                                   NamedType{"IS_MISSING", Kind::Bool},
                                   NamedType{"swap", Kind::Void},
                                   NamedType{"printf", Kind::Int},
                                   NamedType{"fprintf", Kind::Int}};

/// The name of a function with that of the run time as it is now; the earliest programs call it HecuraRuntime.
std::string with_name_of_runtime(std::string_view name) {
  constexpr std::string_view kEarly = "HecuraRuntime::";
  return name.starts_with(kEarly) ? "PetabricksRuntime::" + std::string(name.substr(kEarly.size())) : std::string(name);
}

/// The type of a handle of a matrix whose elements have the type `word`; none if no matrix holds such elements.
std::optional<BodyType> handle_of(std::string_view word, int num_dims) {
  BodyType type = plain_type(Kind::Region);
  type.num_dims = num_dims;
  type.is_element = word == "ElementT";
  if (type.is_element) return type;
  type.element = ElementType::Int;
  if (word == "IndexT") return type;
  for (const ElementType element : {ElementType::Double, ElementType::Float, ElementType::Int, ElementType::Long,
                                    ElementType::Short, ElementType::UChar, ElementType::UShort}) {
    type.element = element;
    if (spell(element) == word || header_word(element) == word) return type;
  }
  return std::nullopt;
}

/// The type of a region whose angle brackets hold `inside`, such as `float,2`; none if `inside` is something else.
std::optional<BodyType> type_of_region(std::string_view inside) {
  const std::size_t comma = inside.rfind(',');
  if (comma == std::string_view::npos || comma + 2 != inside.size()) return std::nullopt;
  const char digit = inside[comma + 1];
  if (digit < '0' || digit > '9') return std::nullopt;
  return handle_of(inside.substr(0, comma), digit - '0');
}

/// `allocate<long>(w, h)` has a dimension per size, `allocate<long>(m)` those of the region.
std::optional<BodyType> type_of_new_matrix(std::string_view element, const std::vector<BodyType>& args) {
  if (args.size() == 1 && args[0].kind == Kind::Region) return handle_of(element, args[0].num_dims);
  const bool are_sizes = std::all_of(args.begin(), args.end(), is_arithmetic);
  return are_sizes ? handle_of(element, static_cast<int>(args.size())) : std::nullopt;
}

/// The type that a call such as `MatrixRegion2D::allocate(w, h)` or `MatrixRegion<float,2>::allocate(w, h)` makes.
std::optional<BodyType> type_of_allocate(std::string_view callee) {
  for (const std::string_view name_space : {"pbrt::", "petabricks::", "workstealing::"})
    if (callee.starts_with(name_space)) return type_of_allocate(callee.substr(name_space.size()));
  constexpr std::string_view kTyped = "MatrixRegion<";
  constexpr std::string_view kTypedEnd = ">::allocate";
  if (callee.starts_with(kTyped) && callee.ends_with(kTypedEnd)) {
    const std::string_view inside = callee.substr(kTyped.size(), callee.size() - kTyped.size() - kTypedEnd.size());
    return type_of_region(inside);
  }
  constexpr std::string_view kBegin = "MatrixRegion";
  constexpr std::string_view kEnd = "D::allocate";
  if (!callee.starts_with(kBegin) || !callee.ends_with(kEnd) || callee.size() != kBegin.size() + 1 + kEnd.size()) {
    return std::nullopt;
  }
  const char digit = callee[kBegin.size()];
  if (digit < '0' || digit > '9') return std::nullopt;
  BodyType type = plain_type(Kind::Region);
  type.num_dims = digit - '0';
  type.is_element = true;
  return type;
}

BodyType math_type(const std::vector<BodyType>& args) {
  const bool all_float = !args.empty() && std::all_of(args.begin(), args.end(),
                                                      [](const BodyType& type) { return type.kind == Kind::Float; });
  const bool all_known = std::all_of(args.begin(), args.end(), is_arithmetic);
  if (!all_known) return {};
  BodyType type = plain_type(all_float ? Kind::Float : Kind::Double);
  const bool from_element = std::any_of(args.begin(), args.end(), [](const BodyType& arg) { return arg.is_element; });
  const bool same =
      std::all_of(args.begin(), args.end(), [&](const BodyType& arg) { return rank(arg.kind) <= rank(type.kind); });
  type.is_element = from_element && same;
  return type;
}

/// The type of a call of a math function. `is_bare`: it is written without `std::`, so that `min` and `max` take two
/// types.
BodyType type_of_math_call(const MathFunction& function, const std::vector<BodyType>& args, bool is_bare) {
  switch (function.result) {
    case MathResult::Real:
      return math_type(args);
    case MathResult::Integer:
      return plain_type(Kind::Long);
    case MathResult::Truth:
      return plain_type(Kind::Bool);
    case MathResult::Count:
      // C++ refuses signed numbers, and real ones.
      return args.size() == 1 && is_arithmetic(args[0]) && args[0].is_unsigned ? plain_type(Kind::Int) : BodyType{};
    case MathResult::KeepsType:
      break;
  }
  if (args.size() != static_cast<std::size_t>(function.num_args)) return {};
  if (args.size() == 1) return promoted(args[0]);
  BodyType type = args[0];
  type.is_const = false;
  for (const BodyType& other : args) {
    if (!is_arithmetic(type)) return {};
    if (is_same_type(type, other)) continue;
    if (!is_bare && type.kind != other.kind) return {};
    type = common_type(type, other);
  }
  return is_arithmetic(type) ? type : BodyType{};
}

/// The type that `std::bit_cast` gives. It is not known if C++ refuses the argument.
BodyType type_of_bit_cast(const BodyType& to, const std::vector<BodyType>& args) {
  if (args.size() != 1) return {};
  return to.is_element || have_same_bytes(to, args[0]) ? to : BodyType{};
}

}  // namespace

bool is_arithmetic(const BodyType& type) { return rank(type.kind) > 0; }

BodyType plain_type(Kind kind) {
  BodyType type;
  type.kind = kind;
  return type;
}

BodyType promoted(BodyType type) {
  if (type.kind == Kind::Bool || type.kind == Kind::Char || type.narrow_bytes != 0) type = plain_type(Kind::Int);
  type.is_const = false;
  return is_arithmetic(type) ? type : BodyType{};
}

bool is_same_type(BodyType a, const BodyType& b) {
  a.is_const = b.is_const;
  if (is_arithmetic(a)) a.element = b.element;  // the element has no meaning in an arithmetic type
  return a == b;
}

BodyType common_type(const BodyType& a, const BodyType& b) {
  if (!is_arithmetic(a) || !is_arithmetic(b)) return {};
  const BodyType left = promoted(a);
  const BodyType right = promoted(b);
  BodyType out = rank(left.kind) >= rank(right.kind) ? left : right;
  if (left.kind == right.kind) out.is_unsigned = left.is_unsigned || right.is_unsigned;
  // A computation with an element counts as an element, too: `2 * e`, and `0.5 * e` if elements are doubles.
  out.is_element = (left.is_element && left.kind == out.kind) || (right.is_element && right.kind == out.kind);
  return out;
}

BodyType element_type(const Program& program, ElementType element, bool is_element_t, bool is_const) {
  BodyType type = number_type(is_element_t ? program.element : element);
  type.is_element = is_element_t;
  type.is_const = is_const;
  return type;
}

BodyType normalised(const Program& program, BodyType type) {
  if (!type.is_element) return type;
  type.element = program.element;
  if (type.kind == BodyType::Kind::Float || type.kind == BodyType::Kind::Double)
    type.kind = number_type(type.element).kind;
  return type;
}

std::optional<BodyType> type_of_builtin_call(const std::string& callee, const std::vector<BodyType>& args) {
  const std::string_view name = without_std(callee);
  if (const MathFunction* function = find_math_function(callee))
    return type_of_math_call(*function, args, name == callee);
  if (const auto limit = find_numeric_limit(callee); limit && args.empty()) return limit->type;
  if (const auto type = find_bit_cast(callee)) return type_of_bit_cast(*type, args);
  const std::string of_runtime = with_name_of_runtime(name);
  for (const NamedType& function : kFunctions) {
    if (function.name == of_runtime) return plain_type(function.kind);
  }
  if (const std::string_view element = allocated_element(name); !element.empty())
    return type_of_new_matrix(element, args);
  return type_of_allocate(name);
}

std::optional<BodyType> type_of_builtin_constant(const std::string& name) {
  const BodyConstant* constant = find_body_constant(name);
  if (constant == nullptr) return std::nullopt;
  BodyType type = plain_type(constant->kind);
  type.is_unsigned = constant->is_unsigned;
  type.is_const = true;
  return type;
}

}  // namespace pb::checking
