// SPDX-License-Identifier: MIT
#include "frontend/preprocess/included_files.h"

#include "frontend/preprocess/include_guard.h"

namespace pb {
namespace {

constexpr std::size_t kMaxIncludeDepth = 200;
/// Files that include the next one twice each would be read without end.
constexpr std::size_t kMaxIncludes = 10'000;

}  // namespace

std::optional<FileId> IncludedFiles::find(const std::string& path, Span name) {
  std::string why;
  const auto file = sources_.load(path, &why);
  if (file) return read_again(*file, name);
  diags_.emit(DiagKind::CannotInclude, name).arg(path).arg(why);
  return std::nullopt;
}

std::optional<FileId> IncludedFiles::read_again(FileId file, Span name) {
  if (once_.contains(file)) return std::nullopt;
  if (files_.is_open(file)) {
    if (has_include_guard(file, sources_)) return std::nullopt;
    auto report = diags_.emit(DiagKind::IncludesItself, name);
    report.arg(sources_.name(file)).hint("`#pragma once` in it lets it be read once");
    if (name.file != file) report.label(files_.include_in(file), "from here on");
    return std::nullopt;
  }
  if (files_.depth() >= kMaxIncludeDepth) {
    diags_.emit(DiagKind::IncludeTooDeep, name).arg(kMaxIncludeDepth);
    return std::nullopt;
  }
  if (num_read_ > kMaxIncludes) return std::nullopt;
  if (++num_read_ > kMaxIncludes) {
    diags_.emit(DiagKind::TooManyIncludes, name).arg(kMaxIncludes);
    return std::nullopt;
  }
  return file;
}

}  // namespace pb
