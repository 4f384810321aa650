// SPDX-License-Identifier: MIT
#include "frontend/driver/depfile.h"

namespace pb {
namespace {

/// The path as make reads it. Only before a blank, `#` and the end of a name make takes backslashes in pairs.
std::string escaped(const std::string& path) {
  std::string out;
  std::size_t num_backslashes = 0;  // that end `out`
  for (const char c : path) {
    if (c == ' ' || c == '\t' || c == '#') out.append(num_backslashes + 1, '\\');
    if (c == '$') out += '$';
    out += c;
    num_backslashes = c == '\\' ? num_backslashes + 1 : 0;
  }
  return out.append(num_backslashes, '\\');
}

}  // namespace

std::string depfile_text(const std::string& target, const std::vector<std::string>& files) {
  std::string out = escaped(target) + ":";
  for (const std::string& file : files) out += " \\\n  " + escaped(file);
  return out + "\n";
}

}  // namespace pb
