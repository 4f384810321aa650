// SPDX-License-Identifier: MIT
#include "runtime/config/former_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace pbrt {
namespace {

constexpr std::size_t kMaxShown = 20;

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Line {
  std::string_view name;
  bool is_empty = true;
  bool is_value = false;
};

/// `name = value  # comment`
Line parse_line(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  const auto end = static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_name_char) - line.begin());
  const std::size_t equals = line.find_first_not_of(" \t", end);
  return {line.substr(0, end), false, end > 0 && equals != std::string_view::npos && line[equals] == '='};
}

/// Calls `use(number, line)` for each line that says something until it gives false.
template <class Use>
void each_line(std::string_view text, Use use) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Line line = parse_line(text.substr(0, end));
    if (!line.is_empty && !use(number, line)) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// `Refine_tmpl_1` of `Refine<bin 1>`, `Power_tmpl_3_1` of `Power<3,1>`.
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

/// `0_lvl2_cutoff`, `0_lvl1_rule`
bool is_selector_part(std::string_view rest) {
  return rest.starts_with("0_lvl") && (rest.ends_with("_rule") || rest.ends_with("_cutoff"));
}

/// `w` of `i2_w__17`: without the number of the element and that of the size.
std::string_view plain_name(std::string_view rest) {
  const std::size_t size = rest.rfind("__");
  if (size != std::string_view::npos && is_number(rest.substr(size + 2))) rest = rest.substr(0, size);
  const std::size_t element = rest.starts_with('i') ? rest.find('_') : std::string_view::npos;
  if (element != std::string_view::npos && is_number(rest.substr(1, element - 1))) rest.remove_prefix(element + 1);
  return rest;
}

std::string quoted_path(const TransformInfo& transform, std::string_view part) {
  return "`transforms." + transform.name + "." + std::string(part) + "`";
}

std::string part_now(std::string_view rest, const TransformInfo& transform, const InfoIndex& index) {
  if (is_selector_part(rest))
    return quoted_path(transform, "sites") + ": a list of {\"from\": SIZE, \"rule\": NAME, \"on\": \"cpu\"} for each choice";
  if (rest == "unrollschedule") return "nothing: it is decided when the program is compiled";
  const std::string_view name = rest == "splitsize" ? "split_size" : plain_name(rest);
  for (const std::string_view each : {rest, name})
    if (index.find_tunable(transform.name, each) >= 0) return quoted_path(transform, "tunables." + std::string(each));
  return {};
}

}  // namespace

std::string former_name_now(std::string_view name, const InfoIndex& index) {
  if (name == "sequentialcutoff") return "`global.sequential_cutoff`";
  if (name == "worker_threads") return "`global.threads`";
  if (name == "distributedcutoff") return "nothing: a program runs on one machine";
  const TransformInfo* owner = nullptr;
  std::string owner_prefix;
  for (const TransformInfo& transform : index.info().transforms) {
    const std::string prefix = former_transform_name(transform.name) + "_";
    if (!name.starts_with(prefix) || prefix.size() <= owner_prefix.size()) continue;
    owner = &transform;
    owner_prefix = prefix;
  }
  return owner != nullptr ? part_now(name.substr(owner_prefix.size()), *owner, index) : std::string();
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
             ":1: a configuration of PetaBricks, with a `NAME = VALUE` in each line; expected JSON: `pbtune` finds one, "
             "`--reset` writes the default. Its names are called here:";
    if (!line.is_value || ++count > kMaxShown) return true;
    const std::string now = former_name_now(line.name, index);
    list += "\n  " + std::string(line.name) + ": " + (now.empty() ? "nothing of this program" : now);
    return true;
  });
  return head + list + (count > kMaxShown ? "\n  and " + std::to_string(count - kMaxShown) + " more" : "");
}

}  // namespace pbrt
