// SPDX-License-Identifier: MIT
// All files that a command has read and is about to write, checked once before the first is written. Used by pbc and
// pbtune; not by programs, whose outputs are open while they run (runtime/matrix/files/output_file.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pbrt {

/// A file that a command has read.
struct InputFile {
  std::string what;  ///< for messages: `a source of the program`
  std::string path;
};

/// A file that a command is about to write.
struct PlannedFile {
  std::string what;  ///< for messages: `the training information`
  std::string path;
  /// Whether a file that begins in this way is an earlier one of its kind, which may be replaced. None: any may be.
  std::function<bool(std::string_view)> is_own = {};
};

/// What a command reads and writes.
struct CommandFiles {
  std::vector<InputFile> inputs;
  std::vector<PlannedFile> outputs;
};

/// Refuses outputs that would replace an input, another output, or a file of another kind. `command` is who makes
/// them, for messages. Empty files, devices and pipes may always be written.
///
/// Errors:  throws IoError
void check_outputs(const CommandFiles& files, std::string_view command);

}  // namespace pbrt
