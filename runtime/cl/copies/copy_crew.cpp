// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/copy_crew.h"

#include <utility>

namespace pbrt::cl {

CopyCrew::CopyCrew(const Api& api, cl_context context, cl_device_id device, std::size_t num_threads,
                   std::size_t chunk_bytes)
    : api_(api),
      context_(context),
      chunk_bytes_(chunk_bytes),
      queue_(api, api.clCreateCommandQueue.make(context, device, cl_command_queue_properties{0})) {
  for (std::size_t i = 0; i < num_threads; ++i) threads_.emplace_back([this] { run_thread(); });
}

CopyCrew::~CopyCrew() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    work_.notify_all();
  }
  for (std::thread& each : threads_) each.join();
}

void CopyCrew::write(cl_command_queue queue, cl_mem buffer, const std::byte* host,
                     std::span<const gpu::CopyShape> shapes) {
  Job job;
  job.queue = queue;
  job.buffer = buffer;
  job.from = host;
  job.pieces = pieces_of(shapes, chunk_bytes_);
  run(job);
}

void CopyCrew::read(cl_command_queue queue, cl_mem buffer, std::byte* host, std::span<const gpu::CopyShape> shapes) {
  // One thread waits for what the queue does before, so that the others need not.
  api_.clFinish(queue);
  Job job;
  job.queue = queue;
  job.buffer = buffer;
  job.to = host;
  job.pieces = pieces_of(shapes, chunk_bytes_);
  run(job);
}

void CopyCrew::run(Job& job) {
  job.num_open = job.pieces.size();
  if (job.num_open == 0) return;
  std::unique_lock lock(mutex_);
  jobs_.push_back(&job);
  work_.notify_all();
  done_.wait(lock, [&] { return job.num_open == 0; });
  if (job.failure) std::rethrow_exception(job.failure);
}

CopyCrew::Taken CopyCrew::take(bool waits) {
  std::unique_lock lock(mutex_);
  if (waits) work_.wait(lock, [&] { return is_stopping_ || !jobs_.empty(); });
  if (jobs_.empty()) return {nullptr, 0};
  Job* const job = jobs_.front();
  const std::size_t piece = job->next++;
  if (job->next == job->pieces.size()) jobs_.pop_front();
  return {job, piece};
}

void CopyCrew::run_thread() {
  Chunks chunks;
  for (std::size_t next = 0;; next = 1 - next) {
    const bool is_reading = chunks[0].reads != nullptr || chunks[1].reads != nullptr;
    const Taken taken = take(!is_reading);
    if (taken.job == nullptr && !is_reading) break;
    finish(chunks[next]);
    if (taken.job != nullptr) begin(taken, chunks[next]);
  }
  free(chunks);
}

void CopyCrew::begin(const Taken& taken, Chunk& chunk) {
  Job& job = *taken.job;
  const CopyPiece& piece = job.pieces[taken.piece];
  try {
    if (chunk.mapped == nullptr) {
      chunk.memory = Memory(
          api_, api_.clCreateBuffer.make(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, chunk_bytes_, nullptr));
      chunk.mapped = static_cast<std::byte*>(api_.clEnqueueMapBuffer.make(
          queue_.get(), chunk.memory.get(), cl_bool{CL_TRUE}, cl_map_flags{CL_MAP_READ | CL_MAP_WRITE}, std::size_t{0},
          chunk_bytes_, 0U, nullptr, nullptr));
    }
    if (job.from != nullptr) pack(piece, job.from, chunk.mapped);
    cl_event event = nullptr;
    if (piece.num_rows == 1) {
      if (job.from != nullptr)
        api_.clEnqueueWriteBuffer(job.queue, job.buffer, CL_FALSE, piece.offset, piece.bytes(), chunk.mapped, 0U,
                                  nullptr, &event);
      else
        api_.clEnqueueReadBuffer(job.queue, job.buffer, CL_FALSE, piece.offset, piece.bytes(), chunk.mapped, 0U,
                                 nullptr, &event);
    } else {
      const std::size_t of_buffer[3] = {piece.offset % piece.row_pitch, piece.offset / piece.row_pitch, 0};
      const std::size_t of_chunk[3] = {0, 0, 0};
      const std::size_t size[3] = {piece.row_bytes, piece.num_rows, 1};
      if (job.from != nullptr)
        api_.clEnqueueWriteBufferRect(job.queue, job.buffer, CL_FALSE, of_buffer, of_chunk, size, piece.row_pitch,
                                      std::size_t{0}, piece.row_bytes, std::size_t{0}, chunk.mapped, 0U, nullptr,
                                      &event);
      else
        api_.clEnqueueReadBufferRect(job.queue, job.buffer, CL_FALSE, of_buffer, of_chunk, size, piece.row_pitch,
                                     std::size_t{0}, piece.row_bytes, std::size_t{0}, chunk.mapped, 0U, nullptr,
                                     &event);
    }
    chunk.last_use = Event(api_, event);
    api_.clFlush(job.queue);
  } catch (...) {
    return count(job, std::current_exception());
  }
  if (job.from != nullptr) return count(job, nullptr);
  chunk.reads = &job;
  chunk.piece = taken.piece;
}

void CopyCrew::finish(Chunk& chunk) {
  if (!chunk.last_use) return;
  const cl_event event = chunk.last_use.get();
  std::exception_ptr failure;
  try {
    api_.clWaitForEvents(1U, &event);
  } catch (...) {
    failure = std::current_exception();
  }
  chunk.last_use = Event();
  Job* const job = std::exchange(chunk.reads, nullptr);
  if (job == nullptr) return;  // a write that failed is known by the events behind it
  if (!failure) unpack(job->pieces[chunk.piece], chunk.mapped, job->to);
  count(*job, std::move(failure));
}

void CopyCrew::count(Job& job, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (failure && !job.failure) job.failure = std::move(failure);
  if (--job.num_open == 0) done_.notify_all();
}

void CopyCrew::free(Chunks& chunks) {
  for (Chunk& chunk : chunks) {
    finish(chunk);
    if (chunk.mapped == nullptr) continue;
    static_cast<void>(
        api_.clEnqueueUnmapMemObject.status(queue_.get(), chunk.memory.get(), chunk.mapped, 0U, nullptr, nullptr));
  }
  static_cast<void>(api_.clFinish.status(queue_.get()));
}

}  // namespace pbrt::cl
