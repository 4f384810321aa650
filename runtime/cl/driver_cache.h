// SPDX-License-Identifier: MIT
// The folder in which an OpenCL driver keeps what it compiles. PoCL offers no device where it cannot write there, as
// under a home that does not exist: it gets a folder of the run then. Private to runtime/cl.
#pragma once

namespace pbrt::cl {

/// Gives drivers a folder of this process, which is removed at its end, unless their own can be written.
///
/// Threads: before the first call of a driver, and no other thread reads the environment
void ensure_driver_cache();

}  // namespace pbrt::cl
