// SPDX-License-Identifier: MIT
// Checks for names that cannot stand in generated C++, where matrices, sizes, tunables and regions keep their names,
// since bodies use them. These are keywords, names that begin like generated ones, such as `pb_frame`, and the types of
// cells and coordinates, beside which matrices, regions and variables of rules are parameters. Bodies may use names
// that begin so, because a user's library may have them, except for the few that the generated functions of bodies use
// themselves.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "frontend/resolve/declarations.h"

namespace pb::resolving {
namespace {

const std::set<std::string_view> kKeywords = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq"};

const std::set<std::string_view> kTypesOfBodies = {"ElementT", "IndexT"};

const std::set<std::string_view> kInBodies = {"pb_frame", "pb_body", "pb_spawned", "pb_unchanged", "pb_error"};

class Checker {
 public:
  explicit Checker(Diagnostics& diags) : diags_(diags) {}

  void run(const ast::Transform& transform) {
    check_letters(transform.name.text, transform.name.span);
    for (const ast::MatrixClause& clause : transform.matrix_clauses)
      for (const ast::Matrix& matrix : clause.matrices) check(matrix);
    for (const ast::Name& param : transform.params) check(param.text, param.span);
    for (const ast::TemplateParam& param : transform.template_params) check(param.name.text, param.name.span);
    for (const ast::Tunable& tunable : transform.tunables) check(tunable.name.text, tunable.name.span);
    check_types(transform);
    for (const ast::Rule& rule : transform.rules) check(rule);
    for (const Body& body : transform.alternatives) check(body);
  }

 private:
  void check(const std::string& name, Span span) {
    if (name.starts_with("pb_") || name.starts_with("PB_")) return report_taken(name, span);
    check_letters(name, span);
    if (!kKeywords.contains(name) || !reported_.insert(name).second) return;
    diags_.emit(DiagKind::CxxKeyword, span).arg(name).hint("choose another name, such as `" + name + "_`");
  }
  void check_type(const std::string& name, Span span) {
    if (!kTypesOfBodies.contains(name) || !reported_.insert(name).second) return;
    diags_.emit(DiagKind::NameOfBodyType, span).arg(name).hint("choose another name, such as `" + name + "_`");
  }
  /// Checks what is a parameter beside these types. Sizes and other names of headers may be called like them.
  void check_types(const ast::Transform& transform) {
    for (const ast::MatrixClause& clause : transform.matrix_clauses)
      for (const ast::Matrix& matrix : clause.matrices) check_type(matrix.name.text, matrix.name.span);
    const std::set<std::string> others = names_of_header(transform);
    for (const ast::Rule& rule : transform.rules) {
      for (const auto* bindings : {&rule.outputs, &rule.inputs})
        for (const ast::RegionBinding& binding : *bindings)
          if (binding.name) check_type(binding.name->text, binding.name->span);
      for (const ast::RegionBinding& output : rule.outputs)
        for (const Formula& coord : output.region.coords)
          for (const std::string& name : names_in(coord))
            if (!others.contains(name)) check_type(name, coord.span);
    }
  }
  /// Checks the letters of a name: names of headers stand in command lines, configurations and kernels.
  void check_letters(const std::string& name, Span span) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    const auto first = std::find_if_not(name.begin(), name.end(), is_ascii);
    if (first == name.end() || !reported_.insert(name).second) return;
    const std::string letter(first, std::find_if(first, name.end(), is_ascii));
    diags_.emit(DiagKind::UnknownCharacter, span)
        .arg("`" + letter + "`")
        .hint("names of headers are made of the letters of ASCII; those of bodies are not");
  }
  void report_taken(const std::string& name, Span span) {
    if (!reported_.insert(name).second) return;
    diags_.emit(DiagKind::NameOfGeneratedCode, span)
        .arg(name)
        .arg(name.substr(0, 3))
        .hint("choose another name, such as `my_" + name.substr(3) + "`");
  }
  void check(const Body& body) {
    for (const BodyToken& token : body.tokens)
      if (kInBodies.contains(token.text)) report_taken(token.text, token.expansion);
  }
  void check(const Formula& formula) {
    for (const std::string& name : names_in(formula)) check(name, formula.span);
  }
  void check(const ast::Matrix& matrix) {
    check(matrix.name.text, matrix.name.span);
    for (const Formula& extent : matrix.extents) check(extent);
  }
  void check(const ast::Rule& rule) {
    if (rule.label) check_letters(rule.label->text, rule.label->span);
    for (const ast::Duplicate& duplicate : rule.duplicates) check(duplicate.name.text, duplicate.name.span);
    for (const auto* bindings : {&rule.outputs, &rule.inputs})
      for (const ast::RegionBinding& binding : *bindings)
        if (binding.name) check(binding.name->text, binding.name->span);
    for (const ast::RegionBinding& output : rule.outputs) {
      for (const Formula& coord : output.region.coords) check(coord);
      if (output.region.version) check(*output.region.version);
    }
    for (const ast::Matrix& temporary : rule.temporaries) check(temporary);
    check(rule.body);
  }

  Diagnostics& diags_;
  std::set<std::string> reported_;
};

}  // namespace

void check_names(const ast::Transform& transform, Diagnostics& diags) { Checker(diags).run(transform); }

}  // namespace pb::resolving
