// SPDX-License-Identifier: MIT
#include "clgen/facts/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lang/source.h"

namespace pb {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What of a rule's name may stand in an identifier: `C_D1_U2` of `C+D#1[U=2]`.
std::string identifier_part(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '+' || c == '[' || c == ',') out += '_';
    if (c == '_' || byte >= 0x80 || std::isalnum(byte) != 0) out += c;
  }
  return out;
}

/// Whether a part of the label between underscores begins with a digit.
bool holds_number(std::string_view label) {
  for (std::size_t at = label.find('_'); at != std::string_view::npos; at = label.find('_', at + 1))
    if (at + 1 < label.size() && is_digit(label[at + 1])) return true;
  return false;
}

/// `Blur_3_spliced_OUT_1` of `Blur<3><spliced OUT#1>`.
std::string made_identifier(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_kept = byte >= 0x80 || std::isalnum(byte) != 0;
    if (is_kept || c == '-') {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (out.ends_with('_')) out.pop_back();
  return out;
}

std::string without_signs(std::string name) {
  std::replace(name.begin(), name.end(), '-', 'm');
  return name;
}

/// Whether another transform has the name that is made for this one.
bool has_others_name(const Program& program, TransformId id, const std::string& name) {
  const Transform& transform = program.transforms[id];
  if (!transform.spliced) return !transform.template_args.empty() && program.find_transform(name).has_value();
  const auto ids = program.transforms.ids();
  return std::any_of(ids.begin(), ids.end(), [&](TransformId other) {
    return other != id && without_signs(instance_name(program.transforms[other])) == name;
  });
}

}  // namespace

std::string instance_name(const Transform& transform) {
  if (transform.spliced) return made_identifier(transform.name);
  std::string out = transform.source_name;
  for (std::size_t i = 0; i < transform.template_args.size(); ++i)
    out += (i == 0 ? "_tmpl_" : "_") + std::to_string(transform.template_args[i]);
  return out;
}

std::string identifier_of(const Program& program, TransformId id) {
  const Transform& transform = program.transforms[id];
  const std::string out = without_signs(instance_name(transform));
  const bool is_taken = has_others_name(program, id, out) || program.taken_stems.contains(out);
  return is_taken ? out + "_" + std::to_string(id.index()) : out;
}

std::string identifier_of(const Program& program, TemplateId which) { return program.templates[which].name; }

std::string rule_stem(const Program& program, TransformId transform, RuleId rule) {
  const std::string label = identifier_part(program.transforms[transform].rules[rule].name);
  std::string stem = identifier_of(program, transform) + "_" + std::to_string(rule.index());
  // The last number of a stem is that of the rule: so no two rules have the same stem.
  return label.empty() || holds_number(label) ? stem : stem + "_" + label;
}

std::string element_text(ElementType element, bool is_element_t) {
  return is_element_t ? "ElementT" : std::string(spell(element));
}

std::string region_type(ElementType element, bool is_element_t, int num_dims, bool is_const) {
  const std::string name = is_const ? "ConstMatrixRegion" : "MatrixRegion";
  if (is_element_t) return name + std::to_string(num_dims) + "D";
  return name + "<" + element_text(element, false) + ", " + std::to_string(num_dims) + ">";
}

std::string region_type(const Matrix& matrix, bool is_const) {
  return region_type(matrix.element, matrix.is_element_t, matrix.num_dims(), is_const);
}

std::string origin_of(const SourceManager& sources, Span span) {
  if (!span.is_known()) return "generated";
  const Position at = sources.begin_of(span);
  return std::string(sources.short_name(at.file)) + ":" + std::to_string(at.line);
}

namespace {

enum : int { kSum = 1, kProduct = 2, kAtom = 3 };

struct Spelling {
  const char* min;
  const char* max;
  const char* floord;
  const char* wide;  ///< the type in which symbols are multiplied; null: that of the symbols
};

/// Whether an expression is printed in 64 bits: a product of sizes may be larger than an index.
bool is_wide_product(const IndexExpr& expr) {
  const auto is_const = [](const IndexExpr& operand) { return operand.op == IndexExpr::Op::Const; };
  return expr.op == IndexExpr::Op::Mul && std::none_of(expr.operands.begin(), expr.operands.end(), is_const);
}

std::string print(const IndexExpr& expr, int min_precedence, const Spelling& spelling) {
  const auto operand = [&](std::size_t i, int precedence) { return print(expr.operands[i], precedence, spelling); };
  const auto wrap = [&](const std::string& text, int precedence) {
    return precedence < min_precedence ? "(" + text + ")" : text;
  };
  const auto call = [&](const std::string& name) {
    std::vector<std::string> args;
    for (std::size_t i = 0; i < expr.operands.size(); ++i) args.push_back(operand(i, 0));
    // The operands are joined two at a time, because the kernels' macros take two.
    std::string out = args[0];
    for (std::size_t i = 1; i < args.size(); ++i) out.insert(0, name + "(").append(", " + args[i] + ")");
    return out;
  };
  switch (expr.op) {
    case IndexExpr::Op::Const:
      return expr.value < 0 ? "(" + std::to_string(expr.value) + ")" : std::to_string(expr.value);
    case IndexExpr::Op::Symbol:
      return expr.symbol;
    case IndexExpr::Op::Add:
      if (expr.operands[1].op == IndexExpr::Op::Const && expr.operands[1].value < 0)
        return wrap(operand(0, kSum) + "-" + std::to_string(-expr.operands[1].value), kSum);
      return wrap(operand(0, kSum) + "+" + operand(1, kSum), kSum);
    case IndexExpr::Op::Sub:
      return wrap(operand(0, kSum) + "-" + operand(1, kProduct), kSum);
    case IndexExpr::Op::Mul:
      if (spelling.wide != nullptr && is_wide_product(expr) && !is_wide_product(expr.operands[0]))
        return wrap(std::string(spelling.wide) + "{" + operand(0, 0) + "}*" + operand(1, kAtom), kProduct);
      return wrap(operand(0, kProduct) + "*" + operand(1, kAtom), kProduct);
    case IndexExpr::Op::FloorDiv:
      return std::string(spelling.floord) + "(" + operand(0, 0) + ", " + operand(1, 0) + ")";
    case IndexExpr::Op::Min:
      return call(spelling.min);
    case IndexExpr::Op::Max:
      return call(spelling.max);
  }
  return {};
}

}  // namespace

IndexExpr view_extent(const Matrix& matrix, std::size_t dim) {
  return index_symbol(matrix.name + ".size(" + std::to_string(dim) + ")");
}

std::string in_ascii(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      out += c;
    else
      out += fmt::format("_{:02x}", byte);
  }
  return out;
}

std::string size_macro(const std::string& name) { return "PB_SIZE_" + in_ascii(name); }

std::string loop_value_name(TunableRole role, RuleId rule) {
  return "pb_" + std::string(to_string(role)) + "_" + std::to_string(rule.index());
}

std::string to_cpp(const IndexExpr& expr) {
  return print(expr, 0, {"pbrt::index_min", "pbrt::index_max", "pbrt::floord", "std::int64_t"});
}

std::string to_opencl(const IndexExpr& expr) { return print(expr, 0, {"PB_MIN", "PB_MAX", "PB_FLOORD", nullptr}); }

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += separator;
    out += texts[i];
  }
  return out;
}

}  // namespace pb
