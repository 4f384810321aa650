// SPDX-License-Identifier: MIT
// How often code with descriptions of kernels was unloaded. The code of another library may lie at its addresses later.
#pragma once

#include <cstdint>

namespace pbrt::gpu {

/// Threads: any
void note_unloaded_code() noexcept;
/// Threads: any that runs code which was loaded after what was unloaded
[[nodiscard]] std::uint64_t num_unloadings() noexcept;

}  // namespace pbrt::gpu
