// SPDX-License-Identifier: MIT
#include "frontend/driver/depfile.h"

namespace pb {
namespace {

/// The path as make reads it.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == ' ' || c == '#') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

}  // namespace

std::string depfile_text(const std::string& target, const std::vector<std::string>& files) {
  std::string out = escaped(target) + ":";
  for (const std::string& file : files) out += " \\\n  " + escaped(file);
  return out + "\n";
}

}  // namespace pb
