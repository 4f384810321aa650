// SPDX-License-Identifier: MIT
#include "frontend/driver/toolchain/native_link_flags.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "frontend/driver/process.h"

namespace pb {
namespace {

namespace fs = std::filesystem;

// The libraries in the order of linking: a library stands before those that it uses, so OpenBLAS
// comes after all that may use it. If there are a liblapack and a libblas, they are OpenBLAS themselves, or another
// library that the machine's owner has chosen. hwy_contrib holds Highway's sort.
constexpr const char* kLibraries[] = {"lapacke",  "lapack", "cblas",  "blas",
                                      "openblas", "fftw3",  "fftw3f", "hwy_contrib"};

bool is_in(const std::vector<std::string>& folders, const std::string& library) {
  std::error_code ignored;  // a folder that cannot be read has nothing
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    const fs::path stem = fs::path(folder) / ("lib" + library);
    return fs::exists(stem.string() + ".so", ignored) || fs::exists(stem.string() + ".a", ignored);
  });
}

}  // namespace

std::vector<std::string> library_folders(const std::string& search_dirs) {
  std::vector<std::string> folders;
  std::istringstream lines(search_dirs);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kHead = "libraries:";
    if (!line.starts_with(kHead)) continue;
    const std::size_t begin = line.find_first_not_of(" =", kHead.size());
    std::istringstream parts(begin == std::string::npos ? std::string() : line.substr(begin));
    for (std::string folder; std::getline(parts, folder, ':');)
      if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

std::vector<std::string> native_link_flags(const std::vector<std::string>& compiler) {
  std::vector<std::string> command = compiler;
  command.emplace_back("-print-search-dirs");
  const ProcessResult result = run_process(command);
  if (!result.succeeded()) return {"-lm"};
  const std::vector<std::string> folders = library_folders(result.output);
  std::vector<std::string> flags = {"-Wl,--push-state,--as-needed"};
  for (const char* library : kLibraries)
    if (is_in(folders, library)) flags.push_back("-l" + std::string(library));
  flags.insert(flags.end(), {"-lm", "-Wl,--pop-state"});
  return flags;
}

}  // namespace pb
