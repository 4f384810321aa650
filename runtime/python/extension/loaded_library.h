// SPDX-License-Identifier: MIT
// Libraries of `pbc --library` in a Python process, and their contexts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/embed/polybricks.h"

namespace pbpy {

/// The tables of the library in the file libNAME.so, which stays loaded until the process ends.
///
/// Errors:  OSError, polybricks.ArgumentError
[[nodiscard]] const pb_library* load_library(const std::string& file);

/// How the calls of a context work: pb_options.
struct ContextOptions {
  std::optional<std::string> configuration_file;
  std::optional<std::string> device;
  std::int32_t threads = 0;
  bool is_strict = false;
  std::uint64_t seed = 0;
  std::uint64_t device_memory = 0;
  double device_limit = 0;
  bool verifies_device = false;
};

/// The context of a library object of Python. Its options may change: calls in progress keep the former ones.
///
/// Threads: holds the interpreter's lock
class Context {
 public:
  Context(const pb_library* library, const ContextOptions& options) : library_(library) { set_options(options); }

  /// Errors:  polybricks.Error; then the options stay as they were
  void set_options(const ContextOptions& options);
  /// Ends the calls in progress.
  void cancel() const;

  [[nodiscard]] const pb_library& library() const { return *library_; }
  /// Callers keep it while they call.
  [[nodiscard]] const std::shared_ptr<pb_context>& handle() const { return handle_; }

 private:
  const pb_library* library_;
  std::shared_ptr<pb_context> handle_;
};

}  // namespace pbpy
