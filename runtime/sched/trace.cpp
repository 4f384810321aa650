// SPDX-License-Identifier: MIT
#include "runtime/sched/trace.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "runtime/config/runtime_check.h"
#include "runtime/sched/worker.h"

namespace pbrt {

// ---- scopes ---------------------------------------------------------------------------------

void RuleScope::begin(Frame& frame, const RuleDesc& rule, std::int64_t cells) {
  detail::FiberHead& fiber = *frame.fiber_;
  TraceLane* lane = fiber.worker->lane();
  lane->settle(lane->counters_.of(rule), fiber.scope);
  TraceLane::Slot& slot = lane->slot_of(rule, cells);
  const int depth = fiber.scope == nullptr ? 1 : fiber.scope->depth_ + 1;
  if (slot.num_to_skip > 0 || depth > TraceLane::kMaxDepth) {
    TraceLane::count_untimed(slot, 1, cells, fiber.scope);
    if (slot.num_to_skip > 0) --slot.num_to_skip;
    lane->lend(rule, cells, slot.num_to_skip);
    return;
  }
  lane->settle_counters(fiber.scope);
  ++slot.count;
  slot.cells += cells;
  ++slot.num_timed;
  fiber_ = &fiber;
  rule_ = &rule;
  cells_ = cells;
  before_ns_ = 0;
  inner_ns_ = 0;
  depth_ = depth;
  is_resumed_ = false;
  outer_ = fiber.scope;
  fiber.scope = this;
  start_ns_ = Trace::now_ns();
}

void RuleScope::end() {
  const std::int64_t now = Trace::now_ns();
  TraceLane& lane = *fiber_->worker->lane();
  lane.settle_counters(this);
  fiber_->scope = outer_;
  const std::int64_t whole_ns = before_ns_ + now - start_ns_;
  if (outer_ != nullptr) outer_->inner_ns_ += whole_ns;
  TraceLane::Slot& slot = lane.slot_of(*rule_, cells_);
  slot.time_ns += whole_ns - inner_ns_;
  lane.learn(slot, whole_ns - inner_ns_);
  slot.num_to_skip = lane.plan_skips(slot, whole_ns, now);
  lane.add({TraceKind::Rule, is_resumed_, false, rule_->name, rule_->version, start_ns_, now, cells_,
            std::exchange(slot.num_untimed, 0), std::exchange(slot.untimed_cells, 0)});
}

void TraceLane::suspend(detail::FiberHead& fiber) {
  settle_counters(fiber.scope);
  const std::int64_t time = Trace::now_ns();
  for (RuleScope* scope = fiber.scope; scope != nullptr; scope = scope->outer_) {
    add({TraceKind::Rule, scope->is_resumed_, true, scope->rule_->name, scope->rule_->version, scope->start_ns_, time,
         scope->cells_});
    scope->before_ns_ += time - scope->start_ns_;
  }
}

void TraceLane::resume(detail::FiberHead& fiber) {
  if (fiber.scope == nullptr) return;
  const std::int64_t time = Trace::now_ns();
  for (RuleScope* scope = fiber.scope; scope != nullptr; scope = scope->outer_) {
    scope->start_ns_ = time;
    scope->is_resumed_ = true;
  }
}

// ---- lanes ----------------------------------------------------------------------------------

TraceLane::TraceLane(Trace& trace, std::string name, int number)
    : trace_(trace), name_(std::move(name)), number_(number), rules_(16) {}

TraceLane::~TraceLane() {
  for (Chunk* chunk = first_.next.load(std::memory_order_relaxed); chunk != nullptr;) {
    const std::unique_ptr<Chunk> owned(chunk);
    chunk = owned->next.load(std::memory_order_relaxed);
  }
}

void TraceLane::add(const TraceEvent& event) {
  if (!trace_.keeps_events_) return;
  // Relaxed: only the owner writes it.
  std::uint32_t count = last_->count.load(std::memory_order_relaxed);
  if (count == kChunkEvents) {
    // Relaxed: a budget, nothing else hangs on it.
    if (trace_.num_chunks_.fetch_add(1, std::memory_order_relaxed) >= Trace::kMaxChunks) {
      num_dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    Chunk* fresh = std::make_unique<Chunk>().release();
    // Pairs with for_each.
    last_->next.store(fresh, std::memory_order_release);
    last_ = fresh;
    count = 0;
  }
  last_->events[count] = event;
  // Pairs with for_each.
  last_->count.store(count + 1, std::memory_order_release);
}

void TraceLane::add_until(std::int64_t time_ns, TraceKind kind, const char* name) {
  add({kind, false, false, name, nullptr, since_ns_, time_ns, 0});
}

void TraceLane::await_owner() {
  since_ns_ = Trace::now_ns();
  enter(State::Parked, since_ns_);
}

void TraceLane::begin_work() {
  since_ns_ = Trace::now_ns();
  enter(State::Busy, since_ns_);
}

void TraceLane::end_work() {
  if (state_.load(std::memory_order_relaxed) != State::Busy) return;
  const std::int64_t time = Trace::now_ns();
  add_until(time, TraceKind::Work, "working");
  enter(State::Outside, time);
}

void TraceLane::begin_search() {
  const std::int64_t time = Trace::now_ns();
  const State before = state_.load(std::memory_order_relaxed);
  if (before == State::Busy) add_until(time, TraceKind::Work, "working");
  if (before == State::Parked) add_until(time, TraceKind::Park, "parked");
  enter(State::Searching, time);
  since_ns_ = time;
}

void TraceLane::end_search(bool has_found, int victim) {
  const std::int64_t time = Trace::now_ns();
  enter(has_found ? State::Busy : State::Outside, time);
  TraceEvent event{TraceKind::Search, false, false, "search", nullptr, since_ns_, time, victim};
  if (has_found) {
    event.kind = victim >= 0 ? TraceKind::Steal : TraceKind::Mail;
    event.name = victim >= 0 ? "steal" : "take";
    if (victim >= 0) num_steals_.fetch_add(1, std::memory_order_relaxed);
  }
  add(event);
  since_ns_ = time;
}

void TraceLane::begin_park() {
  const std::int64_t time = Trace::now_ns();
  add_until(time, TraceKind::Search, "search");
  enter(State::Parked, time);
  since_ns_ = time;
}

void TraceLane::end_park() {
  const std::int64_t time = Trace::now_ns();
  add_until(time, TraceKind::Park, "parked");
  enter(State::Searching, time);
  since_ns_ = time;
}

/// A sequence lock (Boehm, MSPC 2012): the fields are atomics, so that a reader that comes in between reads old or new
/// values and then tries again.
void TraceLane::enter(State state, std::int64_t time_ns) {
  const std::uint32_t sequence = sequence_.load(std::memory_order_relaxed);
  sequence_.store(sequence + 1, std::memory_order_relaxed);
  // Release: who sees one of the new values sees the odd sequence too; pairs with the acquire loads in times().
  const auto before = static_cast<std::size_t>(state_.load(std::memory_order_relaxed));
  const std::int64_t spent = time_ns - state_since_ns_.load(std::memory_order_relaxed);
  state_ns_[before].store(state_ns_[before].load(std::memory_order_relaxed) + spent, std::memory_order_release);
  state_since_ns_.store(time_ns, std::memory_order_release);
  state_.store(state, std::memory_order_release);
  // Pairs with the acquire load of the sequence.
  sequence_.store(sequence + 2, std::memory_order_release);
}

TraceLane::Now TraceLane::state() const {
  for (;;) {
    const std::uint32_t sequence = sequence_.load(std::memory_order_acquire);
    const Now result{state_.load(std::memory_order_acquire), state_since_ns_.load(std::memory_order_acquire)};
    if (sequence % 2 == 0 && sequence == sequence_.load(std::memory_order_relaxed)) return result;
  }
}

WorkerTimes TraceLane::times(std::int64_t time_ns) const {
  for (;;) {
    const std::uint32_t sequence = sequence_.load(std::memory_order_acquire);
    std::array<std::int64_t, 4> sums{};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = state_ns_[i].load(std::memory_order_acquire);
    const State state = state_.load(std::memory_order_acquire);
    const std::int64_t since = state_since_ns_.load(std::memory_order_acquire);
    if (sequence % 2 != 0 || sequence != sequence_.load(std::memory_order_relaxed)) continue;
    sums[static_cast<std::size_t>(state)] += std::max<std::int64_t>(0, time_ns - since);
    return {sums[static_cast<std::size_t>(State::Busy)], sums[static_cast<std::size_t>(State::Searching)],
            sums[static_cast<std::size_t>(State::Parked)], num_steals_.load(std::memory_order_relaxed)};
  }
}

TraceLane::RuleSlots& TraceLane::find(const RuleDesc& rule) {
  const std::size_t mask = rules_.size() - 1;
  std::size_t at = (reinterpret_cast<std::uintptr_t>(&rule) / sizeof(RuleDesc)) & mask;
  while (rules_[at].rule != nullptr && rules_[at].rule != &rule) at = (at + 1) & mask;
  return rules_[at];
}

void TraceLane::grow() {
  std::vector<RuleSlots> old(rules_.size() * 2);
  old.swap(rules_);
  for (RuleSlots& each : old)
    if (each.rule != nullptr) find(*each.rule) = std::move(each);
}

TraceLane::Slot& TraceLane::slot_of(const RuleDesc& rule, std::int64_t cells) {
  const int size = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(0, cells)));
  // The slot found last is kept, because small executions of one rule often follow each other.
  if (&rule != last_rule_ || size != last_size_) {
    last_slot_ = &find_slot(rule, std::min(size, kSizes - 1));
    last_rule_ = &rule;
    last_size_ = size;
  }
  return *last_slot_;
}

TraceLane::Slot& TraceLane::find_slot(const RuleDesc& rule, int size) {
  RuleSlots* found = &find(rule);
  if (found->rule == nullptr) {
    if (2 * ++num_rules_ > rules_.size()) {
      grow();
      found = &find(rule);
    }
    found->rule = &rule;
    found->slots = std::make_unique<std::array<Slot, kSizes>>();
  }
  return (*found->slots)[static_cast<std::size_t>(size)];
}

void TraceLane::lend(const RuleDesc& rule, std::int64_t cells, std::int64_t num) {
  counters_.of(rule) = {&rule, cells, num, num};
  counters_.used_ |= std::uint64_t{1} << RuleCounters::index_of(rule);
}

void TraceLane::settle(RuleCounter& counter, RuleScope* scope) {
  if (counter.rule == nullptr) return;
  Slot& slot = slot_of(*counter.rule, counter.cells);
  const std::int64_t num = counter.num_lent - std::max<std::int64_t>(0, counter.num_left);
  count_untimed(slot, num, num * counter.cells, scope);
  slot.num_to_skip -= num;
  counters_.used_ &= ~(std::uint64_t{1} << RuleCounters::index_of(*counter.rule));
  counter = {};
}

void TraceLane::settle_counters(RuleScope* scope) {
  while (counters_.used_ != 0)
    settle(counters_.counters_[static_cast<std::size_t>(std::countr_zero(counters_.used_))], scope);
}

void TraceLane::count_untimed(Slot& slot, std::int64_t num, std::int64_t cells, RuleScope* scope) {
  slot.count += num;
  slot.cells += cells;
  slot.num_untimed += num;
  slot.untimed_cells += cells;
  const auto time_ns = static_cast<std::int64_t>(slot.self_ns * static_cast<double>(num));
  slot.time_ns += time_ns;
  if (scope != nullptr) scope->inner_ns_ += time_ns;
}

void TraceLane::learn(Slot& slot, std::int64_t self_ns) {
  const auto without_clock = static_cast<double>(std::max<std::int64_t>(0, self_ns - trace_.clock_ns_));
  slot.self_ns += (without_clock - slot.self_ns) * (slot.timed_ns == 0 ? 1 : kLearn);
}

std::int64_t TraceLane::plan_skips(Slot& slot, std::int64_t whole_ns, std::int64_t time_ns) {
  saved_ns_ = std::min(saved_ns_ + time_ns - timed_ns_, kMaxSavedNs) - kTimingNs;
  saved_ns_ = std::max(saved_ns_, -kMaxDebtNs);
  timed_ns_ = time_ns;
  // The time from one execution to the next is an average since the last timing.
  const std::int64_t num = std::max<std::int64_t>(1, slot.count - slot.timed_count);
  const std::int64_t interval_ns = slot.timed_ns == 0 ? whole_ns : (time_ns - slot.timed_ns) / num;
  slot.timed_count = slot.count;
  slot.timed_ns = time_ns;
  if (saved_ns_ >= 0) return 0;
  return std::min((kTimingNs - saved_ns_) / std::max<std::int64_t>(1, interval_ns), kMaxToSkip);
}

void TraceLane::forget_rules() {
  counters_ = {};
  for (RuleSlots& each : rules_)
    if (each.rule != nullptr)
      for (Slot& slot : *each.slots) slot = {};
}

namespace {

std::string worker_name(int index) { return "worker " + std::to_string(index); }

void add_totals(std::vector<RuleTotals>& all, const RuleDesc& rule, std::int64_t count, std::int64_t cells,
                std::int64_t time_ns, std::int64_t num_timed) {
  auto found = std::find_if(all.begin(), all.end(), [&](const RuleTotals& known) {
    return known.rule == rule.name && known.version == rule.version;
  });
  if (found == all.end()) found = all.insert(all.end(), {rule.name, rule.version, 0, 0, 0, 0});
  found->count += count;
  found->cells += cells;
  found->time_ns += time_ns;
  found->num_timed += num_timed;
}

/// Corrects estimates that took more time from the rules around them than those had: gives the excess back, so that the
/// sum stays what it was.
void give_back_excess(std::vector<RuleTotals>& rules) {
  std::int64_t excess_ns = 0;
  std::int64_t estimated_ns = 0;
  for (RuleTotals& each : rules) {
    excess_ns += std::max<std::int64_t>(0, -each.time_ns);
    each.time_ns = std::max<std::int64_t>(0, each.time_ns);
    if (each.is_estimated()) estimated_ns += each.time_ns;
  }
  for (RuleTotals& each : rules) {
    if (excess_ns == 0 || !each.is_estimated() || each.time_ns == 0) continue;
    const double part = static_cast<double>(each.time_ns) / static_cast<double>(estimated_ns);
    const bool is_last = each.time_ns == estimated_ns;
    const auto share_ns = is_last ? excess_ns : static_cast<std::int64_t>(part * static_cast<double>(excess_ns));
    estimated_ns -= each.time_ns;
    excess_ns -= share_ns;
    each.time_ns = std::max<std::int64_t>(0, each.time_ns - share_ns);
  }
}

/// The least time from one reading of the clock to the next.
std::int64_t measure_clock() {
  std::int64_t least = 1000;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t start = Trace::now_ns();
    least = std::min(least, Trace::now_ns() - start);
  }
  return least;
}

}  // namespace

// ---- the trace ------------------------------------------------------------------------------

Trace::Trace(bool keeps_events) : keeps_events_(keeps_events), made_ns_(now_ns()), clock_ns_(measure_clock()) {}

std::int64_t Trace::now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TraceLane& Trace::lane(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return find(name);
}

TraceLane& Trace::find(const std::string& name) {
  for (const auto& lane : lanes_)
    if (lane->name() == name) return *lane;
  lanes_.push_back(std::make_unique<TraceLane>(*this, name, static_cast<int>(lanes_.size())));
  return *lanes_.back();
}

TraceLane& Trace::worker(int index) { return lane(worker_name(index)); }

void Trace::begin_run(std::string label, int num_workers) {
  const std::lock_guard lock(mutex_);
  for (const auto& lane : lanes_) lane->forget_rules();
  at_start_.clear();
  const std::int64_t start = now_ns();
  for (int i = 0; i < num_workers; ++i) at_start_.push_back(find(worker_name(i)).times(start));
  runs_.push_back({std::move(label), num_workers, start, 0, {}});
}

RunProfile Trace::end_run() {
  const std::int64_t end = now_ns();
  const std::lock_guard lock(mutex_);
  RunProfile profile;
  for (std::size_t i = 0; i < at_start_.size(); ++i) {
    const WorkerTimes& before = at_start_[i];
    const WorkerTimes after = find(worker_name(static_cast<int>(i))).times(end);
    profile.workers.push_back({after.busy_ns - before.busy_ns, after.search_ns - before.search_ns,
                               after.idle_ns - before.idle_ns, after.num_steals - before.num_steals});
  }
  for (const auto& lane : lanes_) {
    lane->settle_counters(nullptr);
    for (const TraceLane::RuleSlots& each : lane->rules_) {
      if (each.rule == nullptr) continue;
      for (const TraceLane::Slot& slot : *each.slots)
        if (slot.count != 0 || slot.time_ns != 0)
          add_totals(profile.rules, *each.rule, slot.count, slot.cells, slot.time_ns, slot.num_timed);
    }
  }
  give_back_excess(profile.rules);
  std::stable_sort(profile.rules.begin(), profile.rules.end(),
                   [](const RuleTotals& a, const RuleTotals& b) { return a.time_ns > b.time_ns; });
  PBRT_CHECK(!runs_.empty() && runs_.back().end_ns == 0, "a run ends after it began");
  runs_.back().end_ns = end;
  runs_.back().profile = profile;
  return profile;
}

std::vector<Trace::Run> Trace::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

std::vector<const TraceLane*> Trace::lanes() const {
  const std::lock_guard lock(mutex_);
  std::vector<const TraceLane*> result;
  for (const auto& lane : lanes_) result.push_back(lane.get());
  return result;
}

}  // namespace pbrt
