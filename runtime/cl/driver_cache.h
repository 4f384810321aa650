// SPDX-License-Identifier: MIT
// The folder in which an OpenCL driver keeps compiled kernels. PoCL offers no device if it cannot write there, for
// example if the home folder does not exist. It then gets a folder for this run. Private to runtime/cl.
#pragma once

#include <filesystem>

namespace pbrt::cl {

/// Gives drivers a folder of this process, which is removed at its end, unless their own can be written.
///
/// Threads: before the first call of a driver, and no other thread reads the environment
void ensure_driver_cache();

/// Removes the folders of ensure_driver_cache() in `parent` that processes have left behind which were killed, as
/// pbtune kills programs. Processes that live hold a lock on theirs.
void remove_left_folders(const std::filesystem::path& parent);
inline constexpr const char* kRunFolderPrefix = "polybricks-kernels-";

}  // namespace pbrt::cl
