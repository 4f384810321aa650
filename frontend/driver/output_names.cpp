// SPDX-License-Identifier: MIT
#include "frontend/driver/output_names.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "lang/io_error.h"

namespace pb {
namespace {

namespace fs = std::filesystem;

/// The input without `.pbcc`.
std::string stem_of(const Options& options) {
  constexpr std::string_view kEnding = ".pbcc";
  if (!options.input.ends_with(kEnding) || options.input.size() == kEnding.size())
    throw IoError("`" + options.input + "` does not end in `.pbcc`: name the output with -o");
  return options.input.substr(0, options.input.size() - kEnding.size());
}

bool is_c_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

std::string binary_path(const Options& options) { return options.output.empty() ? stem_of(options) : options.output; }

std::string library_path(const Options& options) {
  if (options.emit == Emit::Binary && !options.output.empty()) return options.output;
  const fs::path stem = stem_of(options);
  return (stem.parent_path() / ("lib" + stem.filename().string() + ".so")).string();
}

std::string library_name(const std::string& path) {
  const fs::path file = fs::path(path).filename();
  if ((file.extension() != ".so" && !is_static_library(path)) || file.stem() == "lib")
    throw IoError("the library `" + path + "` is not called libNAME.so or libNAME.a");
  std::string name = file.stem().string();
  if (name.starts_with("lib")) name.erase(0, 3);
  if (!is_c_identifier(name))
    throw IoError("the names of the functions of a library begin with its own, and `" + name +
                  "` is no C identifier; name it with -o libNAME.so");
  if (name == "pb" || name == "polybricks")
    throw IoError("a library called `" + name +
                  "` would have names of the interface itself; name it with -o libNAME.so");
  return name;
}

bool is_static_library(const std::string& library_path) { return fs::path(library_path).extension() == ".a"; }

std::string header_path(const std::string& library_path) {
  return (fs::path(library_path).parent_path() / (library_name(library_path) + ".h")).string();
}

}  // namespace pb
