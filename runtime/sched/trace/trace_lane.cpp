// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/trace_lane.h"

#include <chrono>
#include <utility>

namespace pbrt {

std::int64_t trace_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TraceLane::TraceLane(std::string name, int number, ChunkBudget* budget, std::int64_t clock_ns)
    : name_(std::move(name)), number_(number), events_(budget), rules_(clock_ns) {}

void TraceLane::suspend(detail::FiberHead& fiber) {
  rules_.settle_counters(fiber.timing);
  const std::int64_t time = trace_clock_ns();
  for (RuleTiming* scope = fiber.timing; scope != nullptr; scope = scope->outer) {
    add({TraceKind::Rule, scope->is_resumed, true, scope->rule->name, scope->rule->version, scope->start_ns, time,
         scope->cells});
    scope->before_ns += time - scope->start_ns;
  }
}

void TraceLane::resume(detail::FiberHead& fiber) {
  if (fiber.timing == nullptr) return;
  const std::int64_t time = trace_clock_ns();
  for (RuleTiming* scope = fiber.timing; scope != nullptr; scope = scope->outer) {
    scope->start_ns = time;
    scope->is_resumed = true;
  }
}

void TraceLane::add_until(std::int64_t time_ns, TraceKind kind, const char* name) {
  add({kind, false, false, name, nullptr, since_ns_, time_ns, 0});
}

void TraceLane::await_owner() {
  since_ns_ = trace_clock_ns();
  clock_.enter(WorkerClock::State::Parked, since_ns_);
}

void TraceLane::begin_work() {
  since_ns_ = trace_clock_ns();
  clock_.enter(WorkerClock::State::Busy, since_ns_);
}

void TraceLane::end_work() {
  if (clock_.state() != WorkerClock::State::Busy) return;
  const std::int64_t time = trace_clock_ns();
  add_until(time, TraceKind::Work, "working");
  clock_.enter(WorkerClock::State::Outside, time);
}

void TraceLane::begin_search() {
  const std::int64_t time = trace_clock_ns();
  const WorkerClock::State before = clock_.state();
  if (before == WorkerClock::State::Busy) add_until(time, TraceKind::Work, "working");
  if (before == WorkerClock::State::Parked) add_until(time, TraceKind::Park, "parked");
  clock_.enter(WorkerClock::State::Searching, time);
  since_ns_ = time;
}

void TraceLane::end_search(bool has_found, int victim) {
  const std::int64_t time = trace_clock_ns();
  clock_.enter(has_found ? WorkerClock::State::Busy : WorkerClock::State::Outside, time);
  TraceEvent event{TraceKind::Search, false, false, "search", nullptr, since_ns_, time, victim};
  if (has_found) {
    event.kind = victim >= 0 ? TraceKind::Steal : TraceKind::Mail;
    event.name = victim >= 0 ? "steal" : "take";
    if (victim >= 0) clock_.count_steal();
  }
  add(event);
  since_ns_ = time;
}

void TraceLane::begin_park() {
  const std::int64_t time = trace_clock_ns();
  add_until(time, TraceKind::Search, "search");
  clock_.enter(WorkerClock::State::Parked, time);
  since_ns_ = time;
}

void TraceLane::end_park() {
  const std::int64_t time = trace_clock_ns();
  add_until(time, TraceKind::Park, "parked");
  clock_.enter(WorkerClock::State::Searching, time);
  since_ns_ = time;
}

}  // namespace pbrt
