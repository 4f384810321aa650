// SPDX-License-Identifier: MIT
// Threads that copy together between the host's memory and a device, through page-locked chunks of their own: while the
// device copies one chunk of a thread, the thread fills or empties another. One thread copies 7 GB/s on an H200's host,
// twelve 45, and the bus takes 55. Private to runtime/cl.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/cl/copies/copy_ends.h"
#include "runtime/cl/copies/copy_pieces.h"
#include "runtime/cl/copies/locked_memory.h"
#include "runtime/cl/object.h"

namespace pbrt::cl {

class CopyCrew {
 public:
  /// Starts `num_threads` threads, each of which makes two chunks of `chunk_bytes` at its first copy. Keeps a reference
  /// to `api`. Throws ClError, and std::system_error if a thread cannot be started.
  CopyCrew(const Api& api, cl_context context, cl_device_id device, std::size_t num_threads, std::size_t chunk_bytes);
  /// Pre: no copy is under way
  ~CopyCrew();
  CopyCrew(const CopyCrew&) = delete;
  CopyCrew& operator=(const CopyCrew&) = delete;

  /// Makes a copy of all pieces, of which none is longer than a chunk. Returns when the host's memory is not needed any
  /// more: a write is enqueued then; a read, which stands behind what is in the queue, has ended. Throws ClError.
  ///
  /// Threads: any; several copies at a time share the threads
  void copy(const CopyEnds& ends, std::vector<CopyPiece> pieces);

 private:
  struct Job {
    CopyEnds ends;
    std::vector<CopyPiece> pieces;
    std::size_t next = 0;  ///< the first piece that no thread has taken
    std::size_t num_open = 0;
    std::exception_ptr failure;
  };
  /// A page-locked chunk of a thread.
  struct Chunk {
    LockedMemory memory;
    bool is_refused = false;  ///< there is no such memory: pieces go straight
    Event last_use;
    Job* reads = nullptr;  ///< whose piece is on its way into the chunk; null: none
    std::size_t piece = 0;
  };
  using Chunks = std::array<Chunk, 2>;
  struct Taken {
    Job* job;
    std::size_t piece;
  };

  void run_thread();
  /// The next piece of a job; waits for one if `waits`. No job: there is none, or the crew ends.
  [[nodiscard]] Taken take(bool waits);
  /// Makes the chunk's memory at its first use; false if there is none.
  [[nodiscard]] bool has_memory(Chunk& chunk);
  /// Enqueues the copy of a piece between the buffer and the chunk; no chunk: between the buffer and the host's own
  /// memory, and then it returns at the end.
  [[nodiscard]] Event enqueue(CopyEnds ends, const CopyPiece& piece, std::byte* chunk);
  void end();
  /// Begins with a piece; a write is done then.
  void begin(const Taken& taken, Chunk& chunk);
  /// Waits until the chunk is free, and brings what was read into it where it belongs.
  void finish(Chunk& chunk);
  void count(Job& job, std::exception_ptr failure);

  const Api& api_;
  cl_context context_;
  std::size_t chunk_bytes_;
  Queue queue_;  // maps chunks
  std::mutex mutex_;
  std::condition_variable work_;  // jobs_ or is_stopping_, under mutex_
  std::condition_variable done_;  // the end of a job, under mutex_
  std::deque<Job*> jobs_;         // those with pieces that no thread has taken
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;  // last: they use the others
};

}  // namespace pbrt::cl
