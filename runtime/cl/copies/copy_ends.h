// SPDX-License-Identifier: MIT
// Copies in one direction between a buffer and the host's memory. Private to runtime/cl.
#pragma once

#include <array>
#include <cstddef>

#include "runtime/cl/object.h"

namespace pbrt::cl {

/// The buffer of some copies, the host's memory, and the queue in which they stand.
struct CopyEnds {
  cl_command_queue queue = nullptr;
  cl_mem buffer = nullptr;
  const std::byte* from = nullptr;  ///< the host's memory, of writes; null: these are reads
  std::byte* to = nullptr;          ///< the host's memory, of reads

  [[nodiscard]] bool is_write() const { return from != nullptr; }
  [[nodiscard]] const std::byte* host() const { return is_write() ? from : to; }
};

/// Rows and slices as clEnqueue…BufferRect wants them, in bytes.
struct CopyBox {
  /// Where it lies in a memory.
  struct Place {
    std::array<std::size_t, 3> origin = {0, 0, 0};
    std::size_t row_pitch = 0, slice_pitch = 0;
  };
  std::array<std::size_t, 3> size = {0, 1, 1};
  Place in_buffer, in_host;
};

/// Enqueues a copy of bytes that follow one another, from and to these offsets. Returns its event. `waits`: at its end.
/// Throws ClError.
[[nodiscard]] Event enqueue_row(const Api& api, const CopyEnds& ends, bool waits, std::size_t offset,
                                std::size_t host_offset, std::size_t bytes);
/// Enqueues a copy of a box; as enqueue_row.
[[nodiscard]] Event enqueue_box(const Api& api, const CopyEnds& ends, bool waits, const CopyBox& box);

}  // namespace pbrt::cl
