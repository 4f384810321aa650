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

void CopyCrew::copy(const CopyEnds& ends, std::vector<CopyPiece> pieces) {
  if (pieces.empty()) return;
  // One thread waits for what a read stands behind, so that the others need not.
  if (!ends.is_write()) api_.clFinish(ends.queue);
  Job job;
  job.ends = ends;
  job.pieces = std::move(pieces);
  job.num_open = job.pieces.size();
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
  for (Chunk& chunk : chunks) finish(chunk);
}

void CopyCrew::begin(const Taken& taken, Chunk& chunk) {
  Job& job = *taken.job;
  const CopyPiece& piece = job.pieces[taken.piece];
  try {
    if (!has_memory(chunk)) {
      // As the driver does it.
      static_cast<void>(enqueue(job.ends, piece, nullptr));
      return count(job, nullptr);
    }
    if (job.ends.is_write()) pack(piece, job.ends.from, chunk.memory.data());
    chunk.last_use = enqueue(job.ends, piece, chunk.memory.data());
    api_.clFlush(job.ends.queue);
  } catch (...) {
    return count(job, std::current_exception());
  }
  if (job.ends.is_write()) return count(job, nullptr);
  chunk.reads = &job;
  chunk.piece = taken.piece;
}

bool CopyCrew::has_memory(Chunk& chunk) {
  if (chunk.memory.data() != nullptr || chunk.is_refused) return !chunk.is_refused;
  try {
    chunk.memory = LockedMemory(api_, context_, queue_.get(), chunk_bytes_);
  } catch (const ClError&) {
    chunk.is_refused = true;
  }
  return !chunk.is_refused;
}

Event CopyCrew::enqueue(CopyEnds ends, const CopyPiece& piece, std::byte* chunk) {
  const bool waits = chunk == nullptr;
  if (chunk != nullptr && ends.is_write()) ends.from = chunk;
  if (chunk != nullptr && !ends.is_write()) ends.to = chunk;
  if (piece.num_rows == 1)
    return enqueue_row(api_, ends, waits, piece.offset, chunk != nullptr ? 0 : piece.offset, piece.bytes());
  CopyBox box;
  box.size = {piece.row_bytes, piece.num_rows, 1};
  box.in_buffer = {{piece.offset % piece.row_pitch, piece.offset / piece.row_pitch, 0}, piece.row_pitch, 0};
  box.in_host = chunk != nullptr ? CopyBox::Place{{0, 0, 0}, piece.row_bytes, 0} : box.in_buffer;
  return enqueue_box(api_, ends, waits, box);
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
  if (!failure) unpack(job->pieces[chunk.piece], chunk.memory.data(), job->ends.to);
  count(*job, std::move(failure));
}

void CopyCrew::count(Job& job, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (failure && !job.failure) job.failure = std::move(failure);
  if (--job.num_open == 0) done_.notify_all();
}

}  // namespace pbrt::cl
