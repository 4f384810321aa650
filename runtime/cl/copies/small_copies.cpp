// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/small_copies.h"

#include <cstring>
#include <utility>

namespace pbrt::cl {
namespace {

/// More copies than these are seldom under way; they go straight.
constexpr std::size_t kNumSlots = 64;

}  // namespace

/// Page-locked memory for one copy, and the end of that.
class SmallCopies::Slot final : public gpu::Completion {
 public:
  Slot(SmallCopies& all, std::byte* memory) : all_(all), memory_(memory) {}

  /// Enqueues the copy, and returns its event. Its end is reported to this slot.
  [[nodiscard]] Event begin(const Api& api, const CopyEnds& ends, const gpu::CopyShape& shape, gpu::Completion& done) {
    CopyEnds own = ends;
    if (ends.is_write()) {
      std::memcpy(memory_, ends.from + shape.offset, shape.row_bytes);
      own.from = memory_;
      to_ = nullptr;
    } else {
      own.to = memory_;
      to_ = ends.to + shape.offset;
    }
    num_bytes_ = shape.row_bytes;
    done_ = &done;
    return enqueue_row(api, own, false, shape.offset, 0, shape.row_bytes);
  }

  void took(const gpu::DeviceTimes& times) noexcept override { done_->took(times); }
  void done(bool ok) noexcept override {
    if (ok && to_ != nullptr) std::memcpy(to_, memory_, num_bytes_);
    gpu::Completion* const done = done_;
    all_.give(*this);
    done->done(ok);
  }

 private:
  SmallCopies& all_;
  std::byte* const memory_;
  std::byte* to_ = nullptr;  // of a read
  std::size_t num_bytes_ = 0;
  gpu::Completion* done_ = nullptr;
};

SmallCopies::SmallCopies(const Api& api, cl_context context, std::size_t max_bytes)
    : api_(api), context_(context), max_bytes_(max_bytes) {}

SmallCopies::~SmallCopies() = default;

SmallCopies::Begun SmallCopies::copy(const CopyEnds& ends, std::span<const gpu::CopyShape> shapes,
                                     gpu::Completion& done) {
  const bool is_row = shapes.size() == 1 && shapes[0].rows == 1 && shapes[0].slices == 1;
  if (!is_row || shapes[0].row_bytes > max_bytes_) return {};
  if (slots_.empty() && !has_none_) make_slots(ends.queue);
  Slot* const slot = take();
  if (slot == nullptr) return {};
  try {
    return {slot->begin(api_, ends, shapes[0], done), slot};
  } catch (...) {
    give(*slot);
    throw;
  }
}

void SmallCopies::make_slots(cl_command_queue queue) {
  try {
    memory_ = LockedMemory(api_, context_, queue, kNumSlots * max_bytes_);
  } catch (const ClError&) {
    has_none_ = true;
    return;
  }
  for (std::size_t i = 0; i < kNumSlots; ++i) {
    slots_.push_back(std::make_unique<Slot>(*this, memory_.data() + i * max_bytes_));
    free_.push_back(slots_.back().get());
  }
}

SmallCopies::Slot* SmallCopies::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  Slot* const slot = free_.back();
  free_.pop_back();
  return slot;
}

void SmallCopies::give(Slot& slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(&slot);
}

}  // namespace pbrt::cl
