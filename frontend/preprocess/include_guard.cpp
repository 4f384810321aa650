// SPDX-License-Identifier: MIT
#include "frontend/preprocess/include_guard.h"

#include <algorithm>
#include <string>
#include <vector>

#include "frontend/preprocess/scanner.h"

namespace pb {
namespace {

using Words = std::vector<std::string>;

Words rest_of_line(Scanner& scanner) {
  Words out;
  while (!scanner.at_line_end()) {
    const auto token = scanner.next();
    if (!token) break;
    out.push_back(token->text);
  }
  return out;
}

/// The macro without which the line, a conditional, keeps what follows; empty if it is not of this form.
std::string macro_of_guard(Words line) {
  std::erase_if(line, [](const std::string& word) { return word == "(" || word == ")"; });
  const bool is_guard = (line.size() == 2 && line[0] == "ifndef") ||
                        (line.size() == 4 && line[0] == "if" && line[1] == "!" && line[2] == "defined");
  return is_guard ? line.back() : "";
}

/// Reads to the `#endif` of a conditional. Returns false if it has another branch, or never ends.
bool skip_only_branch(Scanner& scanner) {
  int depth = 1;
  while (depth > 0) {
    const auto token = scanner.next();
    if (!token) return false;
    if (!scanner.starts_line() || token->text != "#") continue;
    const Words line = rest_of_line(scanner);
    const std::string word = line.empty() ? "" : line[0];
    if (depth == 1 && (word == "else" || word == "elif")) return false;
    if (word == "if" || word == "ifdef" || word == "ifndef") ++depth;
    if (word == "endif") --depth;
  }
  return true;
}

}  // namespace

bool has_include_guard(FileId file, const SourceManager& sources) {
  Diagnostics ignored{0};
  Scanner scanner(file, sources, ignored);
  scanner.set_quiet(true);
  const auto next_is_line = [&] {
    const auto token = scanner.next();
    return token && token->text == "#";
  };
  if (!next_is_line()) return false;
  const std::string macro = macro_of_guard(rest_of_line(scanner));
  if (macro.empty() || !next_is_line()) return false;
  const Words define = rest_of_line(scanner);
  const bool is_defined = define.size() >= 2 && define[0] == "define" && define[1] == macro;
  return is_defined && skip_only_branch(scanner) && !scanner.next();
}

}  // namespace pb
