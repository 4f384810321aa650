// SPDX-License-Identifier: MIT
#include "runtime/config/formats/former_names.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace pbrt {
namespace {

constexpr std::size_t kMaxShown = 20;

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Line {
  std::string_view name;
  bool is_empty = true;
  bool is_value = false;
  std::string_view value = {};
};

/// `name = value  # comment`
Line parse_line(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  const auto end = static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_name_char) - line.begin());
  const std::size_t equals = line.find_first_not_of(" \t", end);
  const bool is_value = end > 0 && equals != std::string_view::npos && line[equals] == '=';
  return {line.substr(0, end), false, is_value, is_value ? line.substr(equals + 1) : std::string_view()};
}

/// Calls `use(number, line)` for each line with content, until it returns false.
template <class Use>
void each_line(std::string_view text, Use use) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Line line = parse_line(text.substr(0, end));
    if (!line.is_empty && !use(number, line)) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The former name of an instance: `Refine_tmpl_1` of `Refine<bin 1>`, `Power_tmpl_3_1` of `Power<3,1>`.
std::string former_transform_name(const std::string& name) {
  const std::size_t open = name.find('<');
  if (open == std::string::npos) return name;
  std::string arguments = name.substr(open + 1, name.size() - open - 2);
  if (arguments.starts_with("bin ")) arguments.erase(0, 4);
  std::replace(arguments.begin(), arguments.end(), ',', '_');
  return name.substr(0, open) + "_tmpl_" + arguments;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

using Kind = FormerName::Kind;

/// `0_lvl2_cutoff`, `0_lvl1_rule`
bool parse_selector_part(std::string_view rest, FormerName& out) {
  constexpr std::string_view kBegin = "0_lvl", kRule = "_rule", kCutoff = "_cutoff";
  if (!rest.starts_with(kBegin)) return false;
  rest.remove_prefix(kBegin.size());
  const std::string_view number = rest.substr(0, rest.find('_'));
  const std::string_view word = rest.substr(number.size());
  if (!is_number(number) || number.size() > 2 || (word != kRule && word != kCutoff)) return false;
  out.kind = word == kRule ? Kind::LevelRule : Kind::LevelCutoff;
  out.level = std::stoi(std::string(number));
  return true;
}

/// `w`, 2 and 17 of `i2_w__17`.
void parse_tunable(std::string_view rest, FormerName& out) {
  constexpr std::size_t kMaxDigits = 6;
  const std::size_t size = rest.rfind("__");
  if (size != std::string_view::npos && is_number(rest.substr(size + 2)) && rest.size() - size - 2 <= kMaxDigits) {
    out.bucket = std::stoi(std::string(rest.substr(size + 2)));
    rest = rest.substr(0, size);
  }
  const std::size_t element = rest.starts_with('i') ? rest.find('_') : std::string_view::npos;
  if (element != std::string_view::npos && is_number(rest.substr(1, element - 1)) && element <= kMaxDigits) {
    out.element = std::stoi(std::string(rest.substr(1, element - 1)));
    rest.remove_prefix(element + 1);
  }
  out.tunable = rest;
}

FormerName find_part(std::string_view rest, const TransformInfo& transform, const InfoIndex& index) {
  FormerName out;
  out.transform = &transform;
  if (parse_selector_part(rest, out)) return out;
  if (rest == "unrollschedule") {
    out.kind = Kind::Unrolled;
    return out;
  }
  out.kind = Kind::Tunable;
  out.tunable = rest == "splitsize" ? "split_size" : rest;
  if (index.find_tunable(transform.name, out.tunable) >= 0) return out;
  parse_tunable(rest, out);
  return index.find_tunable(transform.name, out.tunable) >= 0 ? out : FormerName();
}

}  // namespace

FormerName find_former_name(std::string_view name, const InfoIndex& index) {
  if (name == "sequentialcutoff") return {Kind::SequentialCutoff};
  if (name == "worker_threads") return {Kind::Threads};
  if (name == "distributedcutoff") return {Kind::Distributed};
  const TransformInfo* owner = nullptr;
  std::string owner_prefix;
  for (const TransformInfo& transform : index.info().transforms) {
    const std::string prefix = former_transform_name(transform.name) + "_";
    if (!name.starts_with(prefix) || prefix.size() <= owner_prefix.size()) continue;
    owner = &transform;
    owner_prefix = prefix;
  }
  return owner != nullptr ? find_part(name.substr(owner_prefix.size()), *owner, index) : FormerName();
}

std::string former_name_now(std::string_view name, const InfoIndex& index) {
  const FormerName found = find_former_name(name, index);
  const std::string path = found.transform != nullptr ? "`transforms." + found.transform->name + "." : "`global.";
  switch (found.kind) {
    case Kind::Unknown:
      return {};
    case Kind::Distributed:
      return "nothing: a program runs on one machine";
    case Kind::Threads:
      return path + "threads`";
    case Kind::SequentialCutoff:
      return path + "sequential_cutoff`";
    case Kind::Unrolled:
      return "nothing: it is decided when the program is compiled";
    case Kind::LevelRule:
    case Kind::LevelCutoff:
      return path + "sites`: a list of {\"from\": SIZE, \"rule\": NAME, \"on\": \"cpu\"} for each choice";
    case Kind::Tunable:
      return path + "tunables." + found.tunable + "`";
  }
  return {};
}

std::vector<std::pair<std::string, double>> former_values(std::string_view text) {
  std::vector<std::pair<std::string, double>> out;
  each_line(text, [&](int, const Line& line) {
    const std::string value(line.value);
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    const bool is_whole =
        value.find_first_not_of(" \t\r", static_cast<std::size_t>(end - value.c_str())) == std::string::npos;
    if (line.is_value && end != value.c_str() && is_whole && std::isfinite(number)) out.emplace_back(line.name, number);
    return true;
  });
  return out;
}

bool is_former_configuration(std::string_view text) {
  bool is_former = false;
  each_line(text, [&](int, const Line& line) {
    is_former = line.is_value;
    return false;
  });
  return is_former;
}

std::string about_former_configuration(std::string_view text, const std::string& path, const InfoIndex& index) {
  std::string head, list;
  std::size_t count = 0;
  each_line(text, [&](int number, const Line& line) {
    if (head.empty())
      head = path + ":" + std::to_string(number) +
             ":1: a configuration of PetaBricks, with a `NAME = VALUE` in each line; expected JSON: `pbtune migrate` "
             "carries it over, `pbtune` finds one, `--reset` writes the default. Its names are called here:";
    if (!line.is_value || ++count > kMaxShown) return true;
    const std::string now = former_name_now(line.name, index);
    list += "\n  " + std::string(line.name) + ": " + (now.empty() ? "nothing of this program" : now);
    return true;
  });
  return head + list + (count > kMaxShown ? "\n  and " + std::to_string(count - kMaxShown) + " more" : "");
}

}  // namespace pbrt
