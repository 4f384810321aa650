// SPDX-License-Identifier: MIT
// Whether the host has ever used a part of a storage. A new matrix that only a device fills has no pages yet: what a
// kernel may leave as it is need not be copied to the device, because it is zero.
#pragma once

#include <cstddef>

#include "runtime/matrix/storage.h"

namespace pbrt::gpu {

/// Whether the system has no page yet for any of these bytes of the storage: they all read as zero. False where that is
/// not known: for memory that is not the storage's own, and where the system does not tell (Linux does, in
/// /proc/self/pagemap).
///
/// Pre:  first_byte + size_bytes <= storage.bytes()
/// Cost: 10 us, and 8 bytes to read for each page; where the first pages exist, no more than for these
[[nodiscard]] bool is_untouched(const Storage& storage, std::size_t first_byte, std::size_t size_bytes);

}  // namespace pbrt::gpu
