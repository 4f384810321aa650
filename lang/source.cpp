// SPDX-License-Identifier: MIT
#include "lang/source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "lang/check.h"

namespace pb {
namespace {

/// The largest file that is read. No program is larger, but a device that never ends would be.
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

std::string canonical_path(const std::string& path) {
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

std::optional<std::string> read_file(const std::string& path, std::string& why) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    why = "it is a directory";
    return std::nullopt;
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    why = errno != 0 ? std::strerror(errno) : "it cannot be opened";
    return std::nullopt;
  }
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (text.find('\0', text.size() - static_cast<std::size_t>(in.gcount())) != std::string::npos) {
      why = "it is no text: there are zero bytes in it";
      return std::nullopt;
    }
    if (text.size() <= kMaxBytes) continue;
    why = "it is larger than 64 MiB";
    return std::nullopt;
  }
  if (in.bad()) {
    why = "reading failed";
    return std::nullopt;
  }
  return text;
}

std::vector<std::uint32_t> find_line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts{0};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') starts.push_back(static_cast<std::uint32_t>(i + 1));
  return starts;
}

/// Index of the line, from 0, that holds `offset`.
std::size_t line_index(const std::vector<std::uint32_t>& starts, std::uint32_t offset) {
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin()) - 1;
}

}  // namespace

std::optional<FileId> SourceManager::load(const std::string& path, std::string* why) {
  const std::string canonical = canonical_path(path);
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (files_[i].canonical == canonical) return FileId{static_cast<std::uint32_t>(i)};
  std::string reason;
  auto text = read_file(path, reason);
  if (!text) {
    if (why != nullptr) *why = reason;
    return std::nullopt;
  }
  const FileId id = add(path, std::move(*text));
  files_.back().canonical = canonical;
  return id;
}

FileId SourceManager::add(std::string name, std::string text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  File file{std::move(name), {}, std::move(text), {}, {}};
  file.line_starts = find_line_starts(file.text);
  files_.push_back(std::move(file));
  return FileId{static_cast<std::uint32_t>(files_.size() - 1)};
}

const SourceManager::File& SourceManager::file(FileId id) const {
  const auto index = static_cast<std::size_t>(id);
  PB_CHECK(index < files_.size(), "span of a file that was never read");
  return files_[index];
}

std::string_view SourceManager::text(FileId id) const { return file(id).text; }

std::string_view SourceManager::text(Span span) const {
  if (!span.is_known()) return {};
  return text(span.file).substr(span.begin, span.end - span.begin);
}

std::string_view SourceManager::name(FileId id) const { return file(id).name; }

std::string_view SourceManager::short_name(std::string_view name) const {
  const auto is_shared = [&](std::string_view end) {
    return std::any_of(files_.begin(), files_.end(), [&](const File& f) {
      const std::string_view other = f.name;
      const bool has_end =
          other.ends_with(end) && (other.size() == end.size() || other[other.size() - end.size() - 1] == '/');
      return has_end && other != name;
    });
  };
  std::size_t slash = name.rfind('/');
  while (slash != std::string_view::npos && slash != 0) {
    const std::string_view end = name.substr(slash + 1);
    if (!end.empty() && !is_shared(end)) return end;
    slash = name.rfind('/', slash - 1);
  }
  return slash == 0 && !is_shared(name.substr(1)) ? name.substr(1) : name;
}

Position SourceManager::position(FileId id, std::uint32_t offset) const {
  const File& f = file(id);
  const std::size_t line = line_index(f.line_starts, offset);
  Position out{f.name, static_cast<std::uint32_t>(line + 1), offset - f.line_starts[line] + 1};
  for (const Marker& marker : f.markers) {
    if (marker.offset > offset) break;
    const std::size_t marked = line_index(f.line_starts, marker.offset);
    out.file = marker.name;
    out.line = marker.line + static_cast<std::uint32_t>(line - marked);
  }
  return out;
}

Span SourceManager::line_span(FileId id, std::uint32_t offset) const {
  const File& f = file(id);
  const std::size_t line = line_index(f.line_starts, offset);
  const std::uint32_t begin = f.line_starts[line];
  std::size_t end = f.text.find('\n', begin);
  if (end == std::string::npos) end = f.text.size();
  if (end > begin && f.text[end - 1] == '\r') --end;
  return {id, begin, static_cast<std::uint32_t>(end)};
}

void SourceManager::set_line_marker(FileId id, std::uint32_t offset, std::uint32_t line, std::string name) {
  File& f = files_.at(static_cast<std::size_t>(id));
  const auto next = std::lower_bound(f.markers.begin(), f.markers.end(), offset,
                                     [](const Marker& marker, std::uint32_t at) { return marker.offset < at; });
  if (next != f.markers.end() && next->offset == offset) return;
  if (name.empty()) name = next == f.markers.begin() ? f.name : (next - 1)->name;
  f.markers.insert(next, {offset, line, std::move(name)});
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace pb
