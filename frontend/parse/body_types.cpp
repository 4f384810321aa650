// SPDX-License-Identifier: MIT
#include "frontend/parse/body_types.h"

#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "lang/body/std_names.h"

namespace pb {
namespace {

using pb_antlr::PbccParser;
using Kind = BodyType::Kind;

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

void append_text(antlr4::tree::ParseTree* tree, std::string& out) {
  if (tree->children.empty()) {
    const std::string text = tree->getText();
    if (!out.empty() && !text.empty() && is_word_char(out.back()) && is_word_char(text.front())) out += ' ';
    out += text;
    return;
  }
  for (auto* child : tree->children) append_text(child, out);
}

BodyType simple(Kind kind) {
  BodyType out;
  out.kind = kind;
  return out;
}

BodyType integer(Kind kind, bool is_unsigned, int narrow_bytes = 0) {
  BodyType out = simple(kind);
  out.is_unsigned = is_unsigned;
  out.narrow_bytes = static_cast<std::uint8_t>(narrow_bytes);
  return out;
}

BodyType element_t() {
  BodyType out = simple(Kind::Double);
  out.is_element = true;
  return out;
}

BodyType of_builtin_words(const std::vector<PbccParser::BuiltinTypeContext*>& words) {
  int num_longs = 0;
  bool is_unsigned = false;
  std::string base;
  for (auto* word : words) {
    const std::string text = word->getText();
    if (text == "long")
      ++num_longs;
    else if (text == "unsigned")
      is_unsigned = true;
    else if (text != "signed" && !(text == "int" && base == "short"))
      base = text;
  }
  if (base == "double") return simple(num_longs > 0 ? Kind::Unknown : Kind::Double);  // no `long double` on devices
  if (base == "float") return simple(Kind::Float);
  if (base == "void") return simple(Kind::Void);
  if (base == "bool") return simple(Kind::Bool);
  if (base == "char") return is_unsigned ? integer(Kind::Int, true, 1) : simple(Kind::Char);
  if (base == "short") return integer(Kind::Int, is_unsigned, 2);
  return integer(num_longs > 0 ? Kind::Long : Kind::Int, is_unsigned);
}

std::optional<ElementType> element_of_word(std::string_view word) {
  if (word == "double") return ElementType::Double;
  if (word == "float") return ElementType::Float;
  if (word == "int" || word == "IndexT") return ElementType::Int;
  if (word == "uchar") return ElementType::UChar;
  if (word == "ushort") return ElementType::UShort;
  if (word == "long") return ElementType::Long;
  if (word == "short") return ElementType::Short;
  if (word == "unsigned char") return ElementType::UChar;
  if (word == "unsigned short") return ElementType::UShort;
  return std::nullopt;
}

/// `MatrixRegion2D` and `MatrixRegion<float,2>`; Unknown if it is no region.
BodyType of_region(std::string_view text) {
  BodyType out = simple(Kind::Region);
  if (text.starts_with("Const")) {
    out.is_const = true;
    text.remove_prefix(5);
  }
  if (!text.starts_with("MatrixRegion")) return simple(Kind::Unknown);
  text.remove_prefix(12);
  if (text.size() == 2 && text[1] == 'D') {
    out.is_element = true;
    out.num_dims = text[0] - '0';
    return out;
  }
  const std::size_t comma = text.rfind(',');
  if (!text.starts_with('<') || !text.ends_with('>') || comma == std::string_view::npos) return simple(Kind::Unknown);
  const std::string_view word = text.substr(1, comma - 1);
  const std::string_view dims = text.substr(comma + 1, text.size() - comma - 2);
  const auto element = element_of_word(word);
  if (dims.size() != 1 || dims[0] < '0' || dims[0] > '9' || (!element && word != "ElementT"))
    return simple(Kind::Unknown);
  out.is_element = word == "ElementT";
  out.element = element.value_or(ElementType::Double);
  out.num_dims = dims[0] - '0';
  return out;
}

BodyType of_name(std::string_view text) {
  if (text == "ElementT") return element_t();
  if (text.starts_with("::")) text.remove_prefix(2);
  text = without_std(text);
  if (text == "IndexT" || text == "int32_t") return simple(Kind::Int);
  if (text == "uint32_t" || text == "uint") return integer(Kind::Int, true);
  if (text == "int16_t" || text == "uint16_t" || text == "ushort") return integer(Kind::Int, text[0] == 'u', 2);
  if (text == "int8_t" || text == "uint8_t" || text == "uchar") return integer(Kind::Int, text[0] == 'u', 1);
  if (text == "ptrdiff_t" || text == "ssize_t" || text == "int64_t") return simple(Kind::Long);
  if (text == "size_t" || text == "uint64_t") return integer(Kind::Long, true);
  for (const std::string_view name_space : {"pbrt::", "petabricks::", "workstealing::"})
    if (text.starts_with(name_space)) return of_region(text.substr(name_space.size()));
  return of_region(text);
}

BodyType of_core(PbccParser::CoreTypeContext* core) {
  if (!core->builtinType().empty()) return of_builtin_words(core->builtinType());
  if (core->qualifiedType() != nullptr) return of_name(compact_text(core->qualifiedType()));
  return simple(Kind::Unknown);  // auto
}

BodyType pointer_to(const BodyType& target) {
  const bool is_number = target.kind == Kind::Int || target.kind == Kind::Long || target.kind == Kind::Float ||
                         target.kind == Kind::Double;
  if (!is_number) return simple(Kind::Unknown);
  BodyType out = simple(Kind::Pointer);
  out.element = element_of(target);
  out.is_element = target.is_element;
  out.is_const = target.is_const;
  out.is_unsigned = target.is_unsigned;
  out.narrow_bytes = target.narrow_bytes;
  return out;
}

/// A `const` handle of a region still writes to its elements: only `ConstMatrixRegion` does not.
void make_const(BodyType& type) {
  if (type.kind != Kind::Region) type.is_const = true;
}

/// Notes `const` and `static`; `static` is no part of the type's text.
void apply_prefixes(const std::vector<PbccParser::DeclPrefixContext*>& prefixes, WrittenType& out, std::string& text) {
  for (auto* prefix : prefixes) {
    const std::string word = prefix->getText();
    if (word == "static") {
      out.is_static = true;
      continue;
    }
    make_const(out.type);
    text += word + " ";
  }
}

void apply_pointers(const std::vector<PbccParser::PointerOpContext*>& pointers, WrittenType& out) {
  int depth = 0;
  for (auto* pointer : pointers) {
    out.text += compact_text(pointer);
    if (pointer->getStart()->getText() == "*") ++depth;
  }
  if (depth == 1) out.type = pointer_to(out.type);
  if (depth > 1) out.type = simple(Kind::Unknown);
}

/// Whether `const` is written after the type.
bool has_const_behind(antlr4::ParserRuleContext* context) {
  for (auto* child : context->children)
    if (child->children.empty() && child->getText() == "const") return true;
  return false;
}

template <class Context>
void finish(Context* context, WrittenType& out, const std::string& prefix, const std::string& core) {
  out.text = prefix + core;
  if (has_const_behind(context)) {
    out.text += " const";
    make_const(out.type);
  }
}

}  // namespace

std::string compact_text(antlr4::tree::ParseTree* tree) {
  std::string out;
  append_text(tree, out);
  return out;
}

WrittenType type_of_decl(PbccParser::DeclContext* context) {
  WrittenType out;
  out.type = of_core(context->coreType());
  std::string prefix;
  apply_prefixes(context->declPrefix(), out, prefix);
  finish(context, out, prefix, compact_text(context->coreType()));
  return out;
}

WrittenType type_of(PbccParser::TypeNameContext* context) {
  WrittenType out;
  out.type = of_core(context->coreType());
  std::string prefix;
  apply_prefixes(context->declPrefix(), out, prefix);
  finish(context, out, prefix, compact_text(context->coreType()));
  apply_pointers(context->pointerOp(), out);
  return out;
}

WrittenType type_of(PbccParser::CastTypeContext* context) {
  WrittenType out;
  std::string core;
  if (!context->builtinType().empty()) {
    out.type = of_builtin_words(context->builtinType());
    for (auto* word : context->builtinType()) core += (core.empty() ? "" : " ") + word->getText();
  } else {
    core = compact_text(context->knownType() != nullptr ? static_cast<antlr4::tree::ParseTree*>(context->knownType())
                                                        : context->qualifiedType());
    out.type = of_name(core);
  }
  std::string prefix;
  apply_prefixes(context->declPrefix(), out, prefix);
  finish(context, out, prefix, core);
  apply_pointers(context->pointerOp(), out);
  return out;
}

WrittenType type_of_word(const std::string& word) {
  WrittenType out;
  out.text = word;
  if (word == "double")
    out.type = simple(Kind::Double);
  else if (word == "float")
    out.type = simple(Kind::Float);
  else if (word == "bool")
    out.type = simple(Kind::Bool);
  else if (word == "char")
    out.type = simple(Kind::Char);
  else if (word == "void")
    out.type = simple(Kind::Void);
  else if (word == "long")
    out.type = simple(Kind::Long);
  else if (word == "int" || word == "signed")
    out.type = simple(Kind::Int);
  else if (word == "unsigned")
    out.type = integer(Kind::Int, true);
  else if (word == "short")
    out.type = integer(Kind::Int, false, 2);
  else
    out.type = of_name(word);
  return out;
}

}  // namespace pb
