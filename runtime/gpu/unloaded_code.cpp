// SPDX-License-Identifier: MIT
#include "runtime/gpu/unloaded_code.h"

#include <atomic>

namespace pbrt::gpu {

namespace {
std::atomic<std::uint64_t> num_times{0};
}

void note_unloaded_code() noexcept { num_times.fetch_add(1, std::memory_order_release); }  // for num_unloadings

std::uint64_t num_unloadings() noexcept { return num_times.load(std::memory_order_acquire); }  // from note_unloaded_code

}  // namespace pbrt::gpu
