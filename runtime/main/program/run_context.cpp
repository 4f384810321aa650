// SPDX-License-Identifier: MIT
#include "runtime/main/program/run_context.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/seeded_fault.h"
#include "runtime/config/errors.h"
#include "runtime/config/info.h"
#include "runtime/gpu/check/run_checked.h"
#include "runtime/gpu/launch.h"
#include "runtime/gpu/manager.h"
#include "runtime/gpu/several/manager_set.h"
#include "runtime/gpu/share.h"
#include "runtime/main/program/memo_table.h"

namespace pbrt {

namespace {

constexpr std::int64_t kCountersPerLine = 64 / sizeof(std::int64_t);

}  // namespace

struct RunContext::Fallbacks {
  struct Fallback {
    int site;
    int alternative;
    std::string reason;
    std::int64_t count;
  };
  std::mutex mutex;
  std::vector<std::unique_ptr<Fallback>> list;  ///< in order of first occurrence
};

RunContext::RunContext(const RunSetup& setup, int num_sites, const int* num_alternatives)
    : setup_(setup), fallbacks_(new Fallbacks), memos_(new MemoTable) {
  if (setup.devices != nullptr && setup.devices->is_empty()) setup_.devices = nullptr;
  if (setup_.devices != nullptr && setup_.devices->managers().size() > 1 && setup.config != nullptr)
    setup_.devices = weighted_ = new gpu::ManagerSet(setup_.devices->with_weights(setup.config->device_weights()));
  first_counter_ = new int[static_cast<std::size_t>(num_sites) + 1];
  int next = 0;
  for (int site = 0; site < num_sites; ++site) {
    first_counter_[site] = next;
    next += num_alternatives[site];
  }
  num_choices_ = next;
  // Each worker's counters fill cache lines of its own, wherever the first one begins.
  num_counters_ = (2 * next / kCountersPerLine + 2) * kCountersPerLine;
  counters_ = new std::atomic<std::int64_t>[static_cast<std::size_t>(setup.num_workers * num_counters_)]();
}

RunContext::~RunContext() {
  delete weighted_;
  delete memos_;
  delete fallbacks_;
  delete[] first_counter_;
  delete[] counters_;
}

void RunContext::fallback(int site, int alternative, const char* reason) {
  {
    const std::lock_guard<std::mutex> lock(fallbacks_->mutex);
    Fallbacks::Fallback* found = nullptr;
    for (const auto& known : fallbacks_->list)
      if (known->site == site && known->alternative == alternative && known->reason == reason) found = known.get();
    if (found == nullptr) {
      fallbacks_->list.push_back(
          std::make_unique<Fallbacks::Fallback>(Fallbacks::Fallback{site, alternative, reason, 0}));
      found = fallbacks_->list.back().get();
    }
    ++found->count;
  }
  if (!setup_.is_strict) return;
  const Choice choice = setup_.index->site(site).site->choice(alternative);
  throw UserError(did_not_run(setup_.index->site_name(site), choice) + ": " + reason + " (--strict)");
}

bool RunContext::run(const Frame& frame, gpu::Launch& launch, int site, int alternative, gpu::StepCheck& check,
                     gpu::Piece* piece) {
  if (piece != nullptr && piece->device != nullptr) use_device(launch, *piece->device);
  const bool verifies = gpu() != nullptr && gpu()->are_verified();
  const bool has_run =
      verifies ? run_checked(launch, check, {setup_.index->site(site).transform->tolerance, setup_.is_strict})
               : launch.run();
  if (!has_run) {
    if (piece != nullptr) piece->is_too_large = piece->may_be_smaller && lacks_memory(launch);
    const bool is_tried_again = piece != nullptr && (piece->is_too_large || piece->has_others || piece->is_of_several);
    if (!is_tried_again) fallback(site, alternative, launch.reason());
  } else if (piece == nullptr || piece->is_first) {
    if (piece == nullptr || !piece->is_of_several) count(frame, site, alternative);
    if (gpu::Manager* device = device_of(launch); piece != nullptr && piece->is_cut && device != nullptr)
      device->count_cut_launch();
  }
  return has_run;
}

void RunContext::count_below_cutoff(const Frame& frame, int site, int alternative, std::int64_t size) {
  if (PB_FAULT(below_cutoff_is_silent)) return;
  add_one(counter_of(frame, site, num_choices_ + alternative));
  if (!setup_.is_strict) return;
  const std::string cutoff = "the sequential_cutoff, " + std::to_string(sequential_cutoff());
  const Choice choice = setup_.index->site(site).site->choice(alternative);
  throw UserError(did_not_run(setup_.index->site_name(site), choice) + ": below the cutoff: " +
                  (size < sequential_cutoff()
                       ? "size " + std::to_string(size) + " is below " + cutoff
                       : "the call of size " + std::to_string(size) + " is part of a call below " + cutoff) +
                  " (--strict)");
}

std::int64_t RunContext::sum_of(std::int64_t counter) const {
  std::int64_t sum = 0;
  for (int worker = 0; worker < setup_.num_workers; ++worker)
    sum += counters_[worker * num_counters_ + counter].load(std::memory_order_relaxed);
  return sum;
}

std::int64_t RunContext::times_run(int site, int alternative) const {
  return sum_of(first_counter_[site] + alternative);
}

std::int64_t RunContext::times_below_cutoff(int site, int alternative) const {
  return sum_of(num_choices_ + first_counter_[site] + alternative);
}

int RunContext::num_fallbacks() const { return static_cast<int>(fallbacks_->list.size()); }

RunContext::FallbackCount RunContext::fallback_at(int index) const {
  const Fallbacks::Fallback& entry = *fallbacks_->list[static_cast<std::size_t>(index)];
  return {entry.site, entry.alternative, entry.reason.c_str(), entry.count};
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

void impossible_size(const char* transform, const char* matrix, int dim, const char* formula, std::int64_t value) {
  throw UserError(std::string("call of ") + transform + ": dimension " + std::to_string(dim) + " of " + matrix +
                  (value < 0 ? " would be negative, `" : " would be larger than an index may be, `") + formula +
                  "` is " + std::to_string(value));
}

void beyond_64_bits(const char* formula) {
  throw UserError(std::string("`") + formula + "` is larger than 64 bits hold, for these sizes");
}

void variable_too_large(const char* rule, const char* variable, std::int64_t lo, std::int64_t hi) {
  throw UserError(std::string("rule ") + rule + ": `" + variable + "` would go from " + std::to_string(lo) + " to " +
                  std::to_string(hi - 1) + "; an int holds -2147483648 to 2147483647");
}

void division_by_zero(const char* formula) { throw UserError(std::string("`") + formula + "`: division by zero"); }

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

void copy_error_in(const char* rule, const char* origin, const CopyError& error) {
  throw RuntimeError(std::string(origin) + ": rule " + rule + ": " + error.what());
}

void check_apart(const char* written, const RawView& a, const char* other, const RawView& b, bool are_both_written) {
  if (!have_common_element(a, b)) return;
  throw OverlapError(std::string("the arguments for `") + written + "` and `" + other + "` overlap, and " +
                     (are_both_written ? "both are written" : std::string("`") + written + "` is written"));
}

void overlap_in(const char* origin, const char* call, const OverlapError& error) {
  throw UserError(std::string(origin) + ": in the call `" + call + "` " + error.what());
}

void abort_run(const char* why) { throw RunAborted(why); }

}  // namespace pbrt
