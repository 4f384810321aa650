// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/host_copies.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace pbrt::cl {
namespace {

/// A shape, which lies alike on both sides.
CopyBox box_of(const gpu::CopyShape& shape) {
  CopyBox box;
  box.size = {shape.row_bytes, shape.rows, shape.slices};
  CopyBox::Place place{
      {shape.offset % shape.row_pitch, shape.offset / shape.row_pitch, 0}, shape.row_pitch, shape.slice_pitch};
  if (shape.slices > 1 && shape.slice_pitch % shape.row_pitch == 0) {
    const std::size_t rows_of_slice = shape.slice_pitch / shape.row_pitch;
    place.origin[2] = place.origin[1] / rows_of_slice;
    place.origin[1] %= rows_of_slice;
  }
  box.in_buffer = box.in_host = place;
  return box;
}

/// The event of all that is in the queue.
Event end_of(const Api& api, cl_command_queue queue) {
  cl_event event = nullptr;
  api.clEnqueueMarkerWithWaitList(queue, 0U, nullptr, &event);
  return Event(api, event);
}

/// Twelve threads copy as fast as the bus of an H200; fewer than three are no faster than a driver.
constexpr std::size_t kMostThreads = 12;
constexpr std::size_t kLeastThreads = 3;

/// A copy whose pieces are shorter than this part of a chunk goes straight: each piece is a call of the driver.
constexpr std::size_t kMostPiecesPerChunk = 8;

}  // namespace

CopyOptions usual_copies() {
  CopyOptions options;
  options.num_threads = std::min<std::size_t>(kMostThreads, std::thread::hardware_concurrency());
  if (options.num_threads < kLeastThreads) options.num_threads = 0;
  options.min_long_bytes = std::size_t{4} << 20;
  options.min_crew_bytes = std::size_t{64} << 20;
  options.chunk_bytes = std::size_t{1} << 20;
  options.max_small_bytes = 4096;
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0)
    options.max_locked_bytes = static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(page_bytes);
  return options;
}

HostCopies::HostCopies(const Api& api, cl_context context, cl_device_id device, const CopyOptions& options)
    : api_(api),
      context_(context),
      device_(device),
      options_(options),
      locks_(api, context, options.max_locked_bytes),
      small_(api, context, options.max_small_bytes) {}

HostCopies::Begun HostCopies::begin(const CopyEnds& ends, std::span<const gpu::CopyShape> shapes,
                                    gpu::Completion& done) {
  Begun small = small_.copy(ends, shapes, done);
  if (small.end != nullptr) return small;
  return {copy(ends, shapes), &done};
}

Event HostCopies::copy(const CopyEnds& ends, std::span<const gpu::CopyShape> shapes) {
  std::vector<CopyPiece> pieces;
  if (CopyCrew* crew = crew_for(ends.host(), shapes, pieces)) {
    crew->copy(ends, std::move(pieces));
    return end_of(api_, ends.queue);
  }
  Event last;
  for (const gpu::CopyShape& shape : shapes)
    last = shape.rows == 1 && shape.slices == 1
               ? enqueue_row(api_, ends, false, shape.offset, shape.offset, shape.row_bytes)
               : enqueue_box(api_, ends, false, box_of(shape));
  return last;
}

CopyCrew* HostCopies::crew_for(const void* host, std::span<const gpu::CopyShape> shapes,
                               std::vector<CopyPiece>& pieces) {
  std::size_t bytes = 0;
  for (const gpu::CopyShape& shape : shapes) bytes += shape.bytes();
  if (bytes < options_.min_long_bytes || locks_.note_copy(host, bytes) || options_.num_threads == 0) return nullptr;
  pieces = pieces_of(shapes, options_.chunk_bytes);
  if (pieces.size() > bytes / (options_.chunk_bytes / kMostPiecesPerChunk)) return nullptr;
  const std::lock_guard lock(mutex_);
  long_bytes_ += bytes;
  if (long_bytes_ < options_.min_crew_bytes || has_no_crew_) return nullptr;
  try {
    if (crew_ == nullptr)
      crew_ = std::make_unique<CopyCrew>(api_, context_, device_, options_.num_threads, options_.chunk_bytes);
  } catch (const std::exception&) {
    has_no_crew_ = true;
    return nullptr;
  }
  bytes_of_crew_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  return crew_.get();
}

}  // namespace pbrt::cl

// Note [Ways of a copy]
//
// A driver copies memory that is not page-locked through chunks of its own, with one thread. So a copy goes straight
// to the driver where that is good, and else through our chunks, with many threads:
//
// * Copies of few bytes (max_small_bytes) go through page-locked memory of ours (small_copies.h).
// * Other short copies (min_long_bytes), and those of many short rows in several slices, go straight: waking threads and
//   calling the driver for each piece costs more.
// * Memory that is page-locked goes straight: the device copies it by itself, at the speed of the bus, and the calling
//   thread does not wait. Mappings of the runtime are page-locked when their matrix has been copied twice (page_locks.h).
//   Page-locking takes as long as three copies by the crew.
// * Where there are few processors, all goes straight: a driver is as fast as two threads.
// * The first long copies (min_crew_bytes in all) go straight, because a crew costs as long as they take: to page-lock
//   its chunks.
// * All others are the crew's: memory of the host program, whose end we do not hear of, and the first copies of ours.
