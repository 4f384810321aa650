// SPDX-License-Identifier: MIT
#include "frontend/driver/output_place.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "frontend/driver/temporary.h"
#include "lang/io_error.h"

namespace pb {
namespace {

std::filesystem::path folder_of(const std::string& target) {
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

/// Whether `target` is a device or a pipe, which is to be written and not to be replaced by a file.
bool is_special(const std::string& target) {
  std::error_code error;
  const auto status = std::filesystem::status(target, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

}  // namespace

std::string temporary_beside(const std::string& target) {
  const std::filesystem::path path(target);
  return (folder_of(target) / ("." + path.filename().string() + "." + std::to_string(getpid()) + ".tmp")).string();
}

void check_output_place(const std::string& target) {
  std::error_code error;
  const std::filesystem::path folder = folder_of(target);
  const auto status = std::filesystem::status(folder, error);
  if (!std::filesystem::exists(status)) throw IoError("the output folder `" + folder.string() + "` does not exist");
  if (!std::filesystem::is_directory(status)) throw IoError("`" + folder.string() + "` is not a folder");
  if (std::filesystem::is_directory(target, error)) throw IoError("the output `" + target + "` is a folder");
  if (is_special(target))
    throw IoError("the output `" + target +
                  "` is a device or a pipe: a program needs a file of its own (--check makes none)");
  // Making a file is the test, because it also finds read-only file systems and works for root.
  const TemporaryPath probe(temporary_beside(target));
  const int descriptor = open(probe.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    throw IoError("the output folder `" + folder.string() + "` cannot be written: " + strerror(errno));
  close(descriptor);
}

}  // namespace pb
