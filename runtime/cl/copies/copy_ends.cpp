// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/copy_ends.h"

namespace pbrt::cl {

Event enqueue_row(const Api& api, const CopyEnds& ends, bool waits, std::size_t offset, std::size_t host_offset,
                  std::size_t bytes) {
  const cl_bool blocks = waits ? CL_TRUE : CL_FALSE;
  cl_event event = nullptr;
  if (ends.is_write())
    api.clEnqueueWriteBuffer(ends.queue, ends.buffer, blocks, offset, bytes, ends.from + host_offset, 0U, nullptr,
                             &event);
  else
    api.clEnqueueReadBuffer(ends.queue, ends.buffer, blocks, offset, bytes, ends.to + host_offset, 0U, nullptr, &event);
  return {api, event};
}

Event enqueue_box(const Api& api, const CopyEnds& ends, bool waits, const CopyBox& box) {
  const cl_bool blocks = waits ? CL_TRUE : CL_FALSE;
  const CopyBox::Place &there = box.in_buffer, &here = box.in_host;
  cl_event event = nullptr;
  if (ends.is_write())
    api.clEnqueueWriteBufferRect(ends.queue, ends.buffer, blocks, there.origin.data(), here.origin.data(),
                                 box.size.data(), there.row_pitch, there.slice_pitch, here.row_pitch, here.slice_pitch,
                                 ends.from, 0U, nullptr, &event);
  else
    api.clEnqueueReadBufferRect(ends.queue, ends.buffer, blocks, there.origin.data(), here.origin.data(),
                                box.size.data(), there.row_pitch, there.slice_pitch, here.row_pitch, here.slice_pitch,
                                ends.to, 0U, nullptr, &event);
  return {api, event};
}

}  // namespace pbrt::cl
