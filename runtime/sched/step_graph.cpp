// SPDX-License-Identifier: MIT
#include "runtime/sched/step_graph.h"

#include <new>

#include "base/seeded_fault.h"
#include "runtime/config/runtime_check.h"

namespace pbrt {
namespace {

/// The size class of blocks that hold a `T`.
template <class T>
constexpr std::uint8_t kSizeClass = static_cast<std::uint8_t>(TaskCache::size_class_of(sizeof(T)));

}  // namespace

void StepGraph::drop() {
  for (int i = 0; i < num_steps_; ++i) {
    Step& dying = step(i);
    while (Edge* edge = dying.dependents) {
      dying.dependents = edge->next;
      release(edge, kSizeClass<Edge>);
    }
    dying.~Step();
    release(&dying, kSizeClass<Step>);
  }
  while (Block* block = first_block_) {
    first_block_ = block->next;
    release(block, kSizeClass<Block>);
  }
}

int StepGraph::add(Call call, const void* closure) {
  Step* step = new (frame_.fiber_->memory->allocate<sizeof(Step)>().address) Step;
  step->call = call;
  step->closure = closure;
  return append(*step);
}

int StepGraph::add_in_order(Call call, const void* closure) {
  if (!frame_.is_sequential()) return add(call, closure);
  call(closure, frame_);
  return -1;
}

int StepGraph::append(Step& step) {
  if (num_steps_ % Block::kSteps == 0) {
    Block* block = nullptr;
    try {
      block = new (frame_.fiber_->memory->allocate<sizeof(Block)>().address) Block;
    } catch (...) {
      step.~Step();
      release(&step, kSizeClass<Step>);
      throw;
    }
    (last_block_ != nullptr ? last_block_->next : first_block_) = block;
    last_block_ = block;
  }
  last_block_->steps[num_steps_ % Block::kSteps] = &step;
  return num_steps_++;
}

StepGraph::Step& StepGraph::step(int number) const {
  Block* block = first_block_;
  for (; number >= Block::kSteps; number -= Block::kSteps) block = block->next;
  return *block->steps[number];
}

void StepGraph::add_edge(int after, int before) {
  PBRT_CHECK(after < num_steps_ && before < num_steps_, "depend names steps that add() returned");
  if (PB_FAULT(step_order_is_lost)) return;
  Step& waiting = step(after);
  Step& first = step(before);
  first.dependents = new (frame_.fiber_->memory->allocate<sizeof(Edge)>().address) Edge{&waiting, first.dependents};
  ++waiting.num_open;
}

StepGraph::Step* StepGraph::order() {
  Step* first = nullptr;
  Step* last = nullptr;
  int num_ordered = 0;
  const auto append_to_order = [&](Step& step) {
    (last != nullptr ? last->next_in_order : first) = &step;
    last = &step;
    ++num_ordered;
  };
  for (int i = 0; i < num_steps_; ++i)
    if (step(i).num_open == 0) append_to_order(step(i));
  for (Step* done = first; done != nullptr; done = done->next_in_order)
    for (const Edge* edge = done->dependents; edge != nullptr; edge = edge->next)
      if (--edge->after->num_open == 0) append_to_order(*edge->after);
  PBRT_CHECK(num_ordered == num_steps_, "the steps of a schedule form no cycle");
  return first;
}

void StepGraph::run_all() {
  Step* const first = order();
  if (frame_.is_sequential()) {
    for (Step* step = first; step != nullptr; step = step->next_in_order) {
      CallFrame step_frame(frame_);
      step->call(step->closure, step_frame);
      step_frame.sync();
    }
    return;
  }
  TaskGroup group(frame_);
  for (Step* step = first; step != nullptr; step = step->next_in_order)
    step->task = group.create(frame_, [step](Frame& frame) { step->call(step->closure, frame); });
  Step* last_first = nullptr;  // the order, backwards
  for (Step* step = first; step != nullptr;) {
    for (const Edge* edge = step->dependents; edge != nullptr; edge = edge->next)
      group.depend(frame_, edge->after->task, step->task);
    Step* const next = step->next_in_order;
    step->next_in_order = last_first;
    last_first = step;
    step = next;
  }
  // Steps are started backwards, so that the first one lies on top of the deque.
  for (Step* step = last_first; step != nullptr; step = step->next_in_order) group.start(frame_, step->task);
  group.wait();
}

}  // namespace pbrt
