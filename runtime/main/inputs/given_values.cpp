// SPDX-License-Identifier: MIT
#include "runtime/main/inputs/given_values.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "runtime/config/nearest_word.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt {

namespace {

std::string option(const std::string& name, const std::string& text) { return "--set " + name + "=" + text; }

const char* param_name(const TransformDesc& transform, int p) { return transform.size_vars[transform.params[p]]; }

/// An integer of T as written; false if it is something else or too large.
template <class T>
bool parse_integer(const std::string& text, T& value) {
  const char* begin = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(begin, end, value);
  return parsed.ec == std::errc() && parsed.ptr == end && begin != end;
}

/// A number as strtod reads it, `nan` and `inf` among them; false if T does not hold it.
template <class T>
bool parse_real(const std::string& text, T& value) {
  char* end = nullptr;
  const double wide = std::strtod(text.c_str(), &end);
  const bool is_number = !text.empty() && *end == '\0' && static_cast<unsigned char>(text[0]) > ' ';
  const bool is_named = text.find_first_of("iI") != std::string::npos && std::isinf(wide);
  value = static_cast<T>(wide);
  return is_number && (is_named || !std::isinf(value));
}

template <class T>
std::string range_text(const char* type) {
  if constexpr (std::is_floating_point_v<T>)
    return std::string("a number that ") + type + " holds, nan or inf";
  else
    return "an integer from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
           std::to_string(std::numeric_limits<T>::max()) + ", what " + type + " holds";
}

AnyMatrix input_value(const MatrixDesc& input, const std::string& text) {
  AnyMatrix result = AnyMatrix::allocate(input.element, 0, nullptr);
  visit_kind(input.element, [&]<class T>(T*) {
    T& value = *static_cast<T*>(result.data());
    bool is_good = false;
    if constexpr (std::is_floating_point_v<T>)
      is_good = parse_real(text, value);
    else
      is_good = parse_integer(text, value);
    if (!is_good)
      throw UserError(option(input.name, text) + ": expected " + range_text<T>(element_name(input.element)));
  });
  return result;
}

/// Says why a name of the header cannot be given; empty if the header has no such name.
std::string what_else(const TransformDesc& transform, const std::string& name) {
  for (int i = 0; i < transform.num_inputs; ++i)
    if (name == transform.inputs[i].name)
      return "`" + header_of(transform.inputs[i]) + "` is no single number: it comes from a file";
  for (int i = 0; i < transform.num_outputs; ++i)
    if (name == transform.outputs[i].name) return "`" + header_of(transform.outputs[i]) + "` is an output";
  for (int v = 0; v < transform.num_size_vars; ++v)
    if (name == transform.size_vars[v]) return name + " is a size; the option for sizes is --size " + name + "=V";
  return "";
}

[[noreturn]] void fail_unknown(const TransformDesc& transform, const std::string& name) {
  const std::vector<std::string> known = settable_names(transform);
  std::string words = what_else(transform, name);
  if (words.empty()) {
    words = "there is no such `param` or input; " + std::string(transform.name) + " has ";
    for (std::size_t i = 0; i < known.size(); ++i) words += (i == 0 ? "" : ", ") + known[i];
    if (known.empty()) words += "none that is a single number";
    if (const std::string nearest = nearest_word(name, known); !nearest.empty())
      words += "; did you mean " + nearest + "?";
  }
  throw UserError("--set " + name + ": " + words);
}

}  // namespace

std::int64_t param_value(const std::string& what, const std::string& text) {
  std::int32_t value = 0;
  if (!parse_integer(text, value)) throw UserError(what + ": expected an integer of 32 bits, found " + text);
  return value;
}

std::vector<std::string> settable_names(const TransformDesc& transform) {
  std::vector<std::string> names;
  for (int p = 0; p < transform.num_params; ++p) names.emplace_back(param_name(transform, p));
  for (int i = 0; i < transform.num_inputs; ++i)
    if (transform.inputs[i].num_dims == 0) names.emplace_back(transform.inputs[i].name);
  return names;
}

GivenValues::GivenValues(const TransformDesc& transform, const Texts& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (texts[k].first == texts[i].first) throw UserError("--set " + texts[i].first + " is given twice");
    add(transform, texts[i].first, texts[i].second);
  }
}

void GivenValues::add(const TransformDesc& transform, const std::string& name, const std::string& text) {
  for (int p = 0; p < transform.num_params; ++p)
    if (name == param_name(transform, p)) {
      params_.push_back({p, name, param_value(option(name, text), text)});
      return;
    }
  for (int i = 0; i < transform.num_inputs; ++i)
    if (name == transform.inputs[i].name && transform.inputs[i].num_dims == 0) {
      inputs_.push_back({i, name, input_value(transform.inputs[i], text)});
      return;
    }
  fail_unknown(transform, name);
}

AnyMatrix GivenValues::input(int i) const {
  for (const Input& input : inputs_)
    if (input.index == i) return input.value.clone();
  return {};
}

std::string GivenValues::names() const {
  std::string text;
  for (const Param& param : params_) text += (text.empty() ? "" : ", ") + param.name;
  for (const Input& input : inputs_) text += (text.empty() ? "" : ", ") + input.name;
  return text;
}

void GivenValues::add_to(SizeWishes& wishes) const {
  for (const Param& param : params_) {
    for (const auto& known : wishes.named)
      if (known.first == param.name)
        throw UserError("--set " + param.name + " and --size " + param.name + " are both given");
    wishes.named.emplace_back(param.name, param.value);
  }
}

void GivenValues::put_into(const Problem& problem) const {
  for (const Input& input : inputs_) problem.inputs[static_cast<std::size_t>(input.index)].copy_from(input.value);
}

}  // namespace pbrt
