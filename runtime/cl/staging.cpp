// SPDX-License-Identifier: MIT
#include "runtime/cl/staging.h"

#include <algorithm>
#include <cstring>

namespace pbrt::cl {

Staging::Staging(const Api& api, cl_context context, cl_command_queue queue, std::size_t chunk_bytes)
    : api_(&api), queue_(queue), chunk_bytes_(chunk_bytes) {
  for (Chunk& chunk : chunks_) {
    chunk.memory =
        Memory(api, api.clCreateBuffer.make(context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, chunk_bytes, nullptr));
    chunk.mapped = static_cast<std::byte*>(api.clEnqueueMapBuffer.make(queue, chunk.memory.get(), CL_TRUE, CL_MAP_WRITE,
                                                                       0, chunk_bytes, 0, nullptr, nullptr));
  }
}

Staging::~Staging() {
  static_cast<void>(api_->clFinish.status(queue_));  // the chunks are in use until then
  for (Chunk& chunk : chunks_)
    if (chunk.mapped != nullptr)
      static_cast<void>(
          api_->clEnqueueUnmapMemObject.status(queue_, chunk.memory.get(), chunk.mapped, 0, nullptr, nullptr));
  static_cast<void>(api_->clFinish.status(queue_));
}

void Staging::send(cl_mem buffer, std::size_t offset, const std::byte* from, std::size_t bytes) {
  Chunk& chunk = chunks_[next_];
  next_ = 1 - next_;
  if (chunk.last_use) {
    const cl_event event = chunk.last_use.get();
    api_->clWaitForEvents(1U, &event);
  }
  std::memcpy(chunk.mapped, from, bytes);
  cl_event event = nullptr;
  api_->clEnqueueWriteBuffer(queue_, buffer, CL_FALSE, offset, bytes, chunk.mapped, 0U, nullptr, &event);
  chunk.last_use = Event(*api_, event);
  api_->clFlush(queue_);
}

Event Staging::write(cl_mem buffer, const void* host, std::span<const gpu::CopyShape> shapes) {
  const auto* base = static_cast<const std::byte*>(host);
  for (const gpu::CopyShape& shape : shapes)
    for (std::size_t slice = 0; slice < shape.slices; ++slice)
      for (std::size_t row = 0; row < shape.rows; ++row) {
        const std::size_t start = shape.offset + slice * shape.slice_pitch + row * shape.row_pitch;
        for (std::size_t done = 0; done < shape.row_bytes; done += chunk_bytes_)
          send(buffer, start + done, base + start + done, std::min(chunk_bytes_, shape.row_bytes - done));
      }
  cl_event event = nullptr;
  api_->clEnqueueMarkerWithWaitList(queue_, 0U, nullptr, &event);
  return Event(*api_, event);
}

}  // namespace pbrt::cl
