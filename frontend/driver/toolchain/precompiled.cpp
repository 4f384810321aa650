// SPDX-License-Identifier: MIT
#include "frontend/driver/toolchain/precompiled.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "frontend/driver/sha256.h"
#include "lang/io_error.h"

namespace pb {
namespace {

namespace fs = std::filesystem;

// Limits of the cache. Each entry has some 60 MB. A few are kept, and more only while they are in use.
constexpr std::size_t kMaxIdleEntries = 4;
constexpr std::size_t kMaxEntries = 24;
constexpr std::chrono::hours kIdleAfter{4};
constexpr const char* kHeader = "prefix.h";
constexpr const char* kCompiled = "prefix.h.gch";

/// The `#define` and `#include` lines before the first line of another kind.
std::string prefix_of(std::string_view generated) {
  std::string prefix;
  while (!generated.empty()) {
    const std::size_t end = std::min(generated.find('\n'), generated.size() - 1);
    const std::string_view line = generated.substr(0, end + 1);
    const bool is_kept = line.starts_with("#define ") || line.starts_with("#include ");
    if (!is_kept && !line.starts_with("//") && line != "\n") break;
    if (is_kept) prefix += line;
    generated.remove_prefix(line.size());
  }
  return prefix;
}

/// $XDG_CACHE_HOME/polybricks/headers, or below ~/.cache; empty if there is neither.
std::string cache_folder() {
  const char* cache = getenv("XDG_CACHE_HOME");
  if (cache && *cache) return std::string(cache) + "/polybricks/headers";
  const char* home = getenv("HOME");
  return home && *home ? std::string(home) + "/.cache/polybricks/headers" : std::string();
}

/// What identifies a compiler: its file. Empty if the file is not found, or if the compiler reads no `.gch`.
std::string identity_of(const std::string& program) {
  std::error_code error;
  std::vector<std::string> candidates;
  if (program.find('/') != std::string::npos) {
    candidates.push_back(program);
  } else {
    const char* path = getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) candidates.push_back(folder + "/" + program);
  }
  for (const std::string& candidate : candidates) {
    const fs::path file = fs::canonical(candidate, error);
    if (error || !fs::is_regular_file(file, error)) continue;
    if (file.filename().string().find("clang") != std::string::npos) return {};
    const auto time = fs::last_write_time(file, error).time_since_epoch().count();
    return file.string() + " " + std::to_string(fs::file_size(file, error)) + " " + std::to_string(time);
  }
  return {};
}

/// All headers of the runtime, in a fixed order.
std::string headers_text(const std::string& include_folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (auto at = fs::recursive_directory_iterator(fs::path(include_folder) / "runtime", error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at->path().extension() == ".h") files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  std::ostringstream text;
  for (const fs::path& file : files) text << file << '\n' << std::ifstream(file).rdbuf();
  return text.str();
}

void touch(const fs::path& path) {
  std::error_code ignored;  // an error only affects the order of eviction
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

/// Removes the entries that were not used for longest. Another pbc that reads one keeps its open file.
void evict(const std::string& cache) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (auto at = fs::directory_iterator(cache, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (at->path().filename().string().starts_with("new-")) continue;
    entries.emplace_back(fs::last_write_time(at->path(), ignored), at->path());
  }
  std::sort(entries.rbegin(), entries.rend());
  const auto idle_before = fs::file_time_type::clock::now() - kIdleAfter;
  for (std::size_t i = kMaxIdleEntries; i < entries.size(); ++i)
    if (i >= kMaxEntries || entries[i].first < idle_before) fs::remove_all(entries[i].second, error);
}

/// The folder's name for a compiler, flags, a prefix and the state of the headers; empty if the compiler reads none.
std::string entry_name(const std::vector<std::string>& command, const RuntimeHome& home, const std::string& prefix) {
  const std::string compiler = identity_of(command.front());
  if (prefix.empty() || compiler.empty()) return {};
  std::string key = compiler + "\n" + prefix;
  for (const std::string& word : command) key += word + "\n";
  return sha256(key + headers_text(home.include)).substr(0, 32);
}

bool is_compiled(const std::string& entry) {
  std::error_code ignored;  // what cannot be read counts as missing
  return fs::exists(fs::path(entry) / kCompiled, ignored);
}

/// A new folder in `parent` in which an entry is made; empty if there can be none.
std::string new_folder(const std::string& parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  std::string folder = parent + "/new-XXXXXX";
  return error || !mkdtemp(folder.data()) ? std::string() : folder;
}

/// Writes the prefix to `folder` and returns the command that compiles it there.
std::vector<std::string> compilation_of(const std::vector<std::string>& command, const std::string& folder,
                                        const std::string& prefix) {
  std::ofstream(folder + "/" + kHeader) << prefix;
  std::vector<std::string> words = command;
  words.insert(words.end(), {"-x", "c++-header", folder + "/" + kHeader, "-o", folder + "/" + kCompiled});
  return words;
}

}  // namespace

PrecompiledPrefix::PrecompiledPrefix(const std::vector<std::string>& command, const RuntimeHome& home,
                                     const std::string& generated) {
  const std::string prefix = prefix_of(generated);
  const std::string name = entry_name(command, home, prefix);
  if (name.empty()) return;
  entry_ = home.headers + "/" + name;
  is_ready_ = is_compiled(entry_);
  if (is_ready_) return;
  const std::string cache = cache_folder();
  entry_ = cache.empty() ? std::string() : cache + "/" + name;
  if (cache.empty()) return;
  is_ready_ = is_compiled(entry_);
  if (is_ready_) {
    touch(entry_);
  } else {
    start(command, cache, prefix);
  }
}

void PrecompiledPrefix::start(const std::vector<std::string>& command, const std::string& cache,
                              const std::string& prefix) {
  const std::string folder = new_folder(cache);
  if (folder.empty()) return;
  folder_ = std::make_unique<TemporaryPath>(folder);
  process_ = std::make_unique<RunningProcess>(compilation_of(command, folder, prefix));
}

std::vector<std::string> PrecompiledPrefix::flags() const {
  if (!is_ready_) return {};
  return {"-include", entry_ + "/" + kHeader};
}

void PrecompiledPrefix::finish() {
  if (!process_ || !process_->finish().succeeded()) return;
  try {
    folder_->rename_to(entry_);
    evict(cache_folder());
  } catch (const IoError&) {  // another pbc was faster
  }
}

void precompile_for_all(const std::vector<std::string>& command, const RuntimeHome& home,
                        const std::string& generated) {
  const std::string prefix = prefix_of(generated);
  const std::string name = entry_name(command, home, prefix);
  const std::string entry = home.headers + "/" + name;
  if (name.empty() || is_compiled(entry)) return;
  std::error_code ignored;  // files of older states that stay only cost space
  fs::remove_all(home.headers, ignored);
  const std::string path = new_folder(home.headers);
  if (path.empty()) throw IoError("cannot write to `" + home.headers + "`");
  TemporaryPath folder(path);
  const ProcessResult result = run_process(compilation_of(command, path, prefix));
  if (!result.succeeded()) throw IoError("cannot precompile the runtime's headers:\n" + result.output);
  if (chmod(path.c_str(), 0755) != 0) throw IoError("cannot open `" + path + "` to others");
  folder.rename_to(entry);
}

}  // namespace pb
