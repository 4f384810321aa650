// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/copy_crew.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace pbrt::cl {

CopyCrew::CopyCrew(const Api& api, cl_context context, cl_device_id device, std::size_t num_threads,
                   std::size_t chunk_bytes)
    : api_(api),
      context_(context),
      chunk_bytes_(chunk_bytes),
      queue_(api, api.clCreateCommandQueue.make(context, device, cl_command_queue_properties{0})) {
  try {
    for (std::size_t i = 0; i < num_threads; ++i) threads_.emplace_back([this] { run_thread(); });
  } catch (const std::system_error&) {
    end();
    throw;
  }
}

CopyCrew::~CopyCrew() { end(); }

void CopyCrew::end() {
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
  for (std::size_t i = 0; i < std::min(job.pieces.size(), threads_.size()); ++i) work_.notify_one();
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
    if (!has_memory(chunk)) {
      // As the driver does it.
      static_cast<void>(enqueue(job, piece, nullptr));
      return count(job, nullptr);
    }
    if (job.from != nullptr) pack(piece, job.from, chunk.mapped);
    chunk.last_use = enqueue(job, piece, chunk.mapped);
    api_.clFlush(job.queue);
  } catch (...) {
    return count(job, std::current_exception());
  }
  if (job.from != nullptr) return count(job, nullptr);
  chunk.reads = &job;
  chunk.piece = taken.piece;
}

bool CopyCrew::has_memory(Chunk& chunk) {
  if (chunk.mapped != nullptr || chunk.is_refused) return chunk.mapped != nullptr;
  try {
    chunk.memory = Memory(
        api_, api_.clCreateBuffer.make(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, chunk_bytes_, nullptr));
    chunk.mapped = static_cast<std::byte*>(api_.clEnqueueMapBuffer.make(
        queue_.get(), chunk.memory.get(), cl_bool{CL_TRUE}, cl_map_flags{CL_MAP_READ | CL_MAP_WRITE}, std::size_t{0},
        chunk_bytes_, 0U, nullptr, nullptr));
  } catch (const ClError&) {
    chunk.is_refused = true;
  }
  return chunk.mapped != nullptr;
}

Event CopyCrew::enqueue(const Job& job, const CopyPiece& piece, std::byte* chunk) {
  const bool is_write = job.from != nullptr;
  const cl_bool waits = chunk == nullptr ? CL_TRUE : CL_FALSE;
  cl_event event = nullptr;
  if (piece.num_rows == 1) {
    if (is_write)
      api_.clEnqueueWriteBuffer(job.queue, job.buffer, waits, piece.offset, piece.bytes(),
                                chunk != nullptr ? chunk : job.from + piece.offset, 0U, nullptr, &event);
    else
      api_.clEnqueueReadBuffer(job.queue, job.buffer, waits, piece.offset, piece.bytes(),
                               chunk != nullptr ? chunk : job.to + piece.offset, 0U, nullptr, &event);
    return {api_, event};
  }
  const std::size_t of_buffer[3] = {piece.offset % piece.row_pitch, piece.offset / piece.row_pitch, 0};
  const std::size_t zeros[3] = {0, 0, 0};
  const std::size_t* const of_host = chunk != nullptr ? zeros : of_buffer;
  const std::size_t host_pitch = chunk != nullptr ? piece.row_bytes : piece.row_pitch;
  const std::size_t size[3] = {piece.row_bytes, piece.num_rows, 1};
  if (is_write)
    api_.clEnqueueWriteBufferRect(job.queue, job.buffer, waits, of_buffer, of_host, size, piece.row_pitch,
                                  std::size_t{0}, host_pitch, std::size_t{0}, chunk != nullptr ? chunk : job.from, 0U,
                                  nullptr, &event);
  else
    api_.clEnqueueReadBufferRect(job.queue, job.buffer, waits, of_buffer, of_host, size, piece.row_pitch,
                                 std::size_t{0}, host_pitch, std::size_t{0}, chunk != nullptr ? chunk : job.to, 0U,
                                 nullptr, &event);
  return {api_, event};
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
