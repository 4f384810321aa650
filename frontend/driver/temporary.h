// SPDX-License-Identifier: MIT
// Files and folders that must not outlive the process, also when a signal ends it. Used
// by the driver only.
#pragma once

#include <string>

namespace pb {

/// A path that is removed (folders with the plain files in them) when the object dies or
/// a signal ends the process.
class TemporaryPath {
 public:
  /// Takes over `path`, which need not exist yet.
  explicit TemporaryPath(std::string path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  TemporaryPath(TemporaryPath&& other) noexcept;
  TemporaryPath& operator=(TemporaryPath&&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Renames the file to `target`, after which nothing is removed.
  ///
  /// Errors:  throws IoError
  void rename_to(const std::string& target);

 private:
  std::string path_;
  int slot_ = -1;
};

/// Makes a new private folder in $TMPDIR or /tmp. Its path must be given to TemporaryPath.
///
/// Errors:  throws IoError
[[nodiscard]] std::string make_temporary_folder();

/// Makes SIGINT, SIGTERM, SIGHUP, SIGPIPE and SIGXCPU, from now on, end the running child and remove every temporary
/// path before they end the process; writes beyond the limit of file sizes fail.
void install_signal_cleanup();

/// Adds a child that a signal must end first.
void add_running_child(int pid);
void remove_running_child(int pid);

}  // namespace pb
