// SPDX-License-Identifier: MIT
#include "lang/types.h"

#include <fmt/format.h>

#include "lang/check.h"

namespace pb {

std::string_view spell(ElementType type) {
  switch (type) {
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
      return "unsigned char";
    case ElementType::UShort:
      return "unsigned short";
  }
  PB_CHECK(false, "every element type has a spelling");
}

std::string_view header_word(ElementType type) {
  switch (type) {
    case ElementType::UChar:
      return "uchar";
    case ElementType::UShort:
      return "ushort";
    case ElementType::Double:
    case ElementType::Float:
    case ElementType::Int:
    case ElementType::Long:
    case ElementType::Short:
      return spell(type);
  }
  PB_CHECK(false, "every element type has a word");
}

int size_bytes(ElementType type) {
  switch (type) {
    case ElementType::Double:
      return 8;
    case ElementType::Float:
      return 4;
    case ElementType::Int:
      return 4;
    case ElementType::Long:
      return 8;
    case ElementType::Short:
      return 2;
    case ElementType::UChar:
      return 1;
    case ElementType::UShort:
      return 2;
  }
  PB_CHECK(false, "every element type has a size");
}

bool is_floating(ElementType type) { return type == ElementType::Double || type == ElementType::Float; }

bool is_floating(const BodyType& type) {
  return type.kind == BodyType::Kind::Float || type.kind == BodyType::Kind::Double;
}

bool is_number(const BodyType& type) {
  using Kind = BodyType::Kind;
  return is_floating(type) || type.kind == Kind::Bool || type.kind == Kind::Char || type.kind == Kind::Int ||
         type.kind == Kind::Long;
}

namespace {

std::string spell_element(const BodyType& type) {
  return type.is_element ? "ElementT" : std::string(spell(type.element));
}

std::string spell_plain(const BodyType& type) {
  switch (type.kind) {
    case BodyType::Kind::Unknown:
      return "?";
    case BodyType::Kind::Void:
      return "void";
    case BodyType::Kind::Bool:
    case BodyType::Kind::Char:
    case BodyType::Kind::Int:
    case BodyType::Kind::Long:
    case BodyType::Kind::Float:
    case BodyType::Kind::Double:
      return spell_number(type);
    case BodyType::Kind::Region:
      return fmt::format("region<{}, {}>", spell_element(type), type.num_dims);
    case BodyType::Kind::Pointer:
      return spell_element(type) + "*";
    case BodyType::Kind::Array:
      return type.extent == 0 ? spell_element(type) + "[]" : fmt::format("{}[{}]", spell_element(type), type.extent);
    case BodyType::Kind::String:
      return "string";
  }
  PB_CHECK(false, "every kind of type has a spelling");
}

}  // namespace

std::string spell_number(const BodyType& type) {
  if (type.is_element) return "ElementT";
  switch (type.kind) {
    case BodyType::Kind::Bool:
      return "bool";
    case BodyType::Kind::Char:
      return "char";
    case BodyType::Kind::Int:
      if (type.narrow_bytes == 1) return type.is_unsigned ? "unsigned char" : "signed char";
      if (type.narrow_bytes == 2) return type.is_unsigned ? "unsigned short" : "short";
      return type.is_unsigned ? "unsigned" : "int";
    case BodyType::Kind::Long:
      return type.is_unsigned ? "unsigned long" : "long";
    case BodyType::Kind::Float:
      return "float";
    case BodyType::Kind::Double:
      return "double";
    case BodyType::Kind::Unknown:
    case BodyType::Kind::Void:
    case BodyType::Kind::Region:
    case BodyType::Kind::Pointer:
    case BodyType::Kind::Array:
    case BodyType::Kind::String:
      break;
  }
  PB_CHECK(false, "only numbers are spelled so");
}

BodyType number_type(ElementType element) {
  BodyType out;
  out.element = element;
  out.kind = BodyType::Kind::Int;
  switch (element) {
    case ElementType::Double:
      out.kind = BodyType::Kind::Double;
      break;
    case ElementType::Float:
      out.kind = BodyType::Kind::Float;
      break;
    case ElementType::Long:
      out.kind = BodyType::Kind::Long;
      break;
    case ElementType::Int:
      break;
    case ElementType::Short:
      out.narrow_bytes = 2;
      break;
    case ElementType::UChar:
      out.narrow_bytes = 1;
      break;
    case ElementType::UShort:
      out.narrow_bytes = 2;
      break;
  }
  out.is_unsigned = element == ElementType::UChar || element == ElementType::UShort;
  return out;
}

ElementType element_of(const BodyType& type) {
  if (type.kind == BodyType::Kind::Double) return ElementType::Double;
  if (type.kind == BodyType::Kind::Float) return ElementType::Float;
  if (type.kind == BodyType::Kind::Long) return ElementType::Long;
  if (type.narrow_bytes == 1) return ElementType::UChar;
  if (type.narrow_bytes == 2) return type.is_unsigned ? ElementType::UShort : ElementType::Short;
  return ElementType::Int;
}

std::string to_string(const BodyType& type) { return (type.is_const ? "const " : "") + spell_plain(type); }

}  // namespace pb
