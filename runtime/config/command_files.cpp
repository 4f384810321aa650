// SPDX-License-Identifier: MIT
#include "runtime/config/command_files.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "runtime/config/errors.h"
#include "runtime/config/paths.h"

namespace pbrt {
namespace {

namespace fs = std::filesystem;

/// Whether writing to `path` replaces what is there or makes a file: it does not for devices and pipes.
bool is_a_file_or_none(const std::string& path) {
  std::error_code ignored;  // what cannot be asked about is not there
  const fs::file_status status = fs::status(path, ignored);
  return !fs::exists(status) || fs::is_regular_file(status);
}

/// Whether both paths lead to one place, where there may be no file yet.
bool is_same_file(const std::string& a, const std::string& b) {
  if (!is_a_file_or_none(a) || !is_a_file_or_none(b)) return false;
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const fs::path place = fs::weakly_canonical(follow_links(a), error);
  return !error && place == fs::weakly_canonical(follow_links(b), error) && !error;
}

/// The first bytes of a file; empty if there is none.
std::string head_of(const std::string& path) {
  constexpr std::size_t kBytes = 4096;
  if (!is_a_file_or_none(path)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string out(kBytes, '\0');
  file.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(file.gcount()));
  return out;
}

}  // namespace

void check_outputs(const CommandFiles& files, std::string_view command) {
  for (std::size_t i = 0; i < files.outputs.size(); ++i) {
    const PlannedFile& output = files.outputs[i];
    const std::string named = output.what + " `" + output.path + "`";
    for (const InputFile& input : files.inputs)
      if (is_same_file(output.path, input.path)) throw IoError(named + " is " + input.what);
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_file(output.path, files.outputs[j].path)) throw IoError(named + " is also " + files.outputs[j].what);
    if (!output.is_own) continue;
    const std::string head = head_of(output.path);
    if (!head.empty() && !output.is_own(head))
      throw IoError(output.what + " would replace `" + output.path + "`, which " + std::string(command) +
                    " did not make; choose another name");
  }
}

}  // namespace pbrt
