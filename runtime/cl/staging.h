// SPDX-License-Identifier: MIT
// Writes through pinned host memory: two chunks that are filled and sent in turn, so that copying into one overlaps
// with the transfer of the other, and the host's own memory is free when the last byte is in a chunk. Private to
// runtime/cl.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "runtime/cl/object.h"
#include "runtime/gpu/device.h"

namespace pbrt::cl {

class Staging {
 public:
  /// Makes the chunks. Throws ClError if there is no pinned memory of this size.
  Staging(const Api& api, cl_context context, cl_command_queue queue, std::size_t chunk_bytes);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Enqueues writes of all shapes and returns the event of the last one; blocks while both chunks are under way.
  [[nodiscard]] Event write(cl_mem buffer, const void* host, std::span<const gpu::CopyShape> shapes);

 private:
  struct Chunk {
    Memory memory;
    std::byte* mapped = nullptr;
    Event last_use;
  };
  void send(cl_mem buffer, std::size_t offset, const std::byte* from, std::size_t bytes);

  const Api* api_;
  cl_command_queue queue_;
  std::size_t chunk_bytes_;
  std::array<Chunk, 2> chunks_;
  std::size_t next_ = 0;
};

}  // namespace pbrt::cl
