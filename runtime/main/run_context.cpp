// SPDX-License-Identifier: MIT
#include "runtime/main/run_context.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/config/check.h"
#include "runtime/config/errors.h"
#include "runtime/gpu/launch.h"
#include "runtime/main/memo.h"

namespace pbrt {

namespace {

// Threads beyond this number share counters; that costs time, never counts.
constexpr int kNumShards = 64;
constexpr std::size_t kCountersPerLine = 64 / sizeof(std::int64_t);

/// A small number of the calling thread, the same at every call.
[[gnu::noinline]] int thread_shard() {
  // Relaxed: only uniqueness matters.
  static std::atomic<int> num_threads{0};
  static thread_local const int shard = num_threads.fetch_add(1, std::memory_order_relaxed) % kNumShards;
  asm volatile("" ::: "memory");
  return shard;
}

}  // namespace

struct RunContext::Counters {
  std::vector<std::size_t> first;  ///< of each site, in a shard
  std::size_t per_shard = 0;
  std::unique_ptr<std::atomic<std::int64_t>[]> values;  ///< kNumShards * per_shard
  std::mutex mutex;                                     ///< of fallbacks
  struct Fallback {
    int site;
    int alternative;
    std::string reason;
    std::int64_t count;
  };
  std::vector<std::unique_ptr<Fallback>> fallbacks;  ///< in order of first occurrence
};

RunContext::RunContext(const RunSetup& setup, int num_sites, const int* num_alternatives)
    : setup_(setup), counters_(new Counters), memos_(new MemoTable) {
  std::size_t next = 0;
  for (int site = 0; site < num_sites; ++site) {
    counters_->first.push_back(next);
    next += static_cast<std::size_t>(num_alternatives[site]);
  }
  counters_->first.push_back(next);
  // Whole cache lines per shard, so that threads do not share lines.
  counters_->per_shard = (next + kCountersPerLine) / kCountersPerLine * kCountersPerLine;
  counters_->values = std::make_unique<std::atomic<std::int64_t>[]>(kNumShards * counters_->per_shard);
}

RunContext::~RunContext() {
  delete memos_;
  delete counters_;
}

void RunContext::count(const Frame&, int site, int alternative) {
  const std::size_t index = counters_->first[static_cast<std::size_t>(site)] + static_cast<std::size_t>(alternative);
  const std::size_t shard = static_cast<std::size_t>(thread_shard()) * counters_->per_shard;
  // Relaxed: counts are read when no run is in progress.
  counters_->values[shard + index].fetch_add(1, std::memory_order_relaxed);
}

void RunContext::fallback(int site, int alternative, const char* reason) {
  {
    const std::lock_guard<std::mutex> lock(counters_->mutex);
    Counters::Fallback* found = nullptr;
    for (const auto& known : counters_->fallbacks)
      if (known->site == site && known->alternative == alternative && known->reason == reason) found = known.get();
    if (found == nullptr) {
      counters_->fallbacks.push_back(
          std::make_unique<Counters::Fallback>(Counters::Fallback{site, alternative, reason, 0}));
      found = counters_->fallbacks.back().get();
    }
    ++found->count;
  }
  if (setup_.is_strict) throw UserError(std::string("a device version did not run: ") + reason + " (--strict)");
}

bool RunContext::run(const Frame& frame, gpu::Launch& launch, int site, int alternative) {
  const bool has_run = launch.run();
  has_run ? count(frame, site, alternative) : fallback(site, alternative, launch.reason());
  return has_run;
}

std::int64_t RunContext::times_run(int site, int alternative) const {
  const std::size_t index = counters_->first[static_cast<std::size_t>(site)] + static_cast<std::size_t>(alternative);
  std::int64_t sum = 0;
  for (std::size_t shard = 0; shard < kNumShards; ++shard)
    sum += counters_->values[shard * counters_->per_shard + index].load(std::memory_order_relaxed);
  return sum;
}

int RunContext::num_fallbacks() const { return static_cast<int>(counters_->fallbacks.size()); }

RunContext::FallbackCount RunContext::fallback_at(int index) const {
  const Counters::Fallback& entry = *counters_->fallbacks[static_cast<std::size_t>(index)];
  return {entry.site, entry.alternative, entry.reason.c_str(), entry.count};
}

void RunContext::reset_counts() {
  for (std::size_t i = 0; i < kNumShards * counters_->per_shard; ++i)
    counters_->values[i].store(0, std::memory_order_relaxed);
  counters_->fallbacks.clear();
  bytes_moved_.store(0, std::memory_order_relaxed);
}

int template_instance(const char* transform, std::initializer_list<TemplateArgument> args) {
  std::int64_t number = 0;
  std::int64_t weight = 1;
  for (const TemplateArgument& arg : args) {
    if (arg.value < arg.lo || arg.value > arg.hi)
      throw UserError(std::string("call of ") + transform + ": template argument " + arg.name + " is " +
                      std::to_string(arg.value) + ", which is not from " + std::to_string(arg.lo) + " to " +
                      std::to_string(arg.hi));
    number += (arg.value - arg.lo) * weight;
    weight *= arg.hi - arg.lo + 1;
  }
  return static_cast<int>(number);
}

void size_mismatch(const char* transform, const char* matrix, int dim, const char* formula, std::int64_t expected,
                   std::int64_t actual) {
  throw UserError(std::string("call of ") + transform + ": dimension " + std::to_string(dim) + " of " + matrix +
                  " is " + std::to_string(actual) + ", the header's `" + formula + "` is " + std::to_string(expected));
}

void negative_size(const char* transform, const char* matrix, int dim, const char* formula, std::int64_t value) {
  throw UserError(std::string("call of ") + transform + ": dimension " + std::to_string(dim) + " of " + matrix +
                  " would be negative, `" + formula + "` is " + std::to_string(value));
}

void division_by_zero(const char* formula) {
  throw UserError(std::string("`") + formula + "`: division by zero");
}

void outside_matrix(const char* rule, const char* region, int dim, std::int64_t size,
                    std::initializer_list<std::pair<const char*, std::int64_t>> instance) {
  std::string text = std::string("rule ") + rule;
  const char* separator = " at ";
  for (const auto& [name, value] : instance) {
    text += std::string(separator) + name + " = " + std::to_string(value);
    separator = ", ";
  }
  throw UserError(text + ": `" + region + "` lies outside dimension " + std::to_string(dim) + ", which has size " +
                  std::to_string(size));
}

namespace {
/// `M(1, 2)`.
std::string cell_text(const char* matrix, std::initializer_list<std::int64_t> cell) {
  std::string text = matrix;
  const char* separator = "(";
  for (const std::int64_t at : cell) {
    text += separator + std::to_string(at);
    separator = ", ";
  }
  return text + (cell.size() == 0 ? "" : ")");
}
}  // namespace

void uncovered_cell(const char* transform, const char* matrix, std::initializer_list<std::int64_t> cell) {
  throw UserError(std::string("in a call of `") + transform + "` no rule computes " + cell_text(matrix, cell) +
                  " for these sizes");
}

void no_rule_holds(const char* transform, const char* matrix, std::initializer_list<std::int64_t> cell) {
  throw UserError(std::string("call of ") + transform + ": no rule computes " + cell_text(matrix, cell) +
                  ": no `where` holds there");
}

void index_error_in(const char* rule, const char* origin, const IndexError& error) {
  throw UserError(std::string(origin) + ": rule " + rule + ": " + error.what());
}

void abort_run(const char* why) { throw RunAborted(why); }

}  // namespace pbrt
