// SPDX-License-Identifier: MIT
#include "runtime/gpu/several/manager_set.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "runtime/gpu/manager/manager_impl.h"
#include "runtime/gpu/manager/queue/launch_job.h"

namespace pbrt::gpu {
namespace {

/// What a launch would cost on a device, in bytes.
struct Cost {
  std::int64_t missing = 0;          ///< what it reads and the device lacks
  std::int64_t newer_elsewhere = 0;  ///< the part of it that is newer on another device
};

std::int64_t bytes_of(const StorageRecord& record, const BoxSet& boxes) {
  return boxes.num_cells() * record.layout().element_bytes();
}

/// Adds what the region costs on each device, and what it touches.
void add_region(const LaunchRegion& region, const std::vector<Manager*>& managers, std::vector<Cost>& costs,
                std::int64_t& touched, bool& is_any_newer) {
  StorageRecord& record = StorageRecord::of(*region.storage.get(), region.touched.element_bytes);
  const std::lock_guard lock(record.mutex);
  const BoxSet boxes(record.box_of(region.touched));
  touched += bytes_of(record, boxes);
  if (!region.is_read) return;
  BoxSet newer;
  for (const auto& home : record.residences())
    for (const GridBox& box : boxes.boxes()) newer.add(home->dirty.intersect(box));
  is_any_newer = is_any_newer || !newer.is_empty();
  for (std::size_t i = 0; i < managers.size(); ++i) {
    const Residence* const home = record.at(*managers[i]->impl().memory.registry());
    BoxSet missing = boxes, elsewhere = newer;
    if (home != nullptr) {
      missing.remove(home->valid);
      elsewhere.remove(home->dirty);
    }
    costs[i].missing += bytes_of(record, missing);
    costs[i].newer_elsewhere += bytes_of(record, elsewhere);
  }
}

std::int64_t load_of(Manager& manager) {
  return manager.impl().queue.launches().number() + manager.impl().num_chosen.load(std::memory_order_relaxed);
}

}  // namespace

ManagerSet::ManagerSet(Manager* manager) {
  if (manager != nullptr) managers_.push_back(manager);
  weights_.assign(managers_.size(), 1);
}

ManagerSet::ManagerSet(std::vector<Manager*> managers) : managers_(std::move(managers)), weights_(managers_.size(), 1) {
  if (managers_.size() > 1) choosing_ = std::make_shared<std::mutex>();
}

ManagerSet ManagerSet::with_weights(const std::vector<std::int64_t>& weights) const {
  ManagerSet out = *this;
  if (weights.empty()) return out;
  out.weights_ = weights;
  out.weights_.resize(managers_.size(), *std::max_element(weights.begin(), weights.end()));
  if (out.sum_of_weights() == 0) out.weights_.assign(managers_.size(), 1);
  return out;
}

std::int64_t ManagerSet::sum_of_weights() const {
  return std::accumulate(weights_.begin(), weights_.end(), std::int64_t{0});
}

std::vector<Indices> ManagerSet::parts_of(std::int64_t num_indices) const {
  const std::int64_t sum = sum_of_weights();
  std::vector<Indices> parts;
  std::int64_t first = 0, weight = 0;
  for (const std::int64_t of_device : weights_) {
    weight += of_device;
    const std::int64_t end = num_indices / sum * weight + num_indices % sum * weight / sum;
    parts.push_back({first, end - first});
    first = end;
  }
  return parts;
}

ManagerSet ManagerSet::alive() const {
  std::vector<Manager*> left;
  std::vector<std::int64_t> weights;
  for (std::size_t i = 0; i < managers_.size(); ++i) {
    if (!managers_[i]->is_alive()) continue;
    left.push_back(managers_[i]);
    weights.push_back(weights_[i]);
  }
  return left.size() == managers_.size() ? *this : ManagerSet(std::move(left)).with_weights(weights);
}

// Relaxed: the mutex of the set orders choices; else the number is a hint.
ManagerSet::Choice::Choice(Manager& manager, std::mutex* choosing) : manager_(&manager), choosing_(choosing) {
  manager.impl().num_chosen.fetch_add(1, std::memory_order_relaxed);
}

void ManagerSet::Choice::begin() {
  std::unique_lock<std::mutex> lock;
  if (choosing_ != nullptr) lock = std::unique_lock(*choosing_);
  ManagerImpl& manager = std::exchange(manager_, nullptr)->impl();
  manager.queue.launches().begin();
  manager.num_chosen.fetch_sub(1, std::memory_order_relaxed);
}

ManagerSet::Choice::~Choice() {
  if (manager_ != nullptr) manager_->impl().num_chosen.fetch_sub(1, std::memory_order_relaxed);
}

ManagerSet::Choice ManagerSet::choose(const LaunchPlan& plan) const {
  if (managers_.size() == 1) return Choice(*managers_.front());
  std::vector<Manager*> able;
  for (Manager* each : managers_)
    if (each->is_alive() && (each->info().has_fp64 || !plan.kernel->needs_fp64)) able.push_back(each);
  if (able.empty()) return Choice(*managers_.front(), choosing_.get());
  if (able.size() == 1) return Choice(*able.front(), choosing_.get());
  std::vector<Cost> costs(able.size());
  std::int64_t touched = 0;
  bool is_any_newer = false;
  const std::lock_guard lock(*choosing_);
  for (const LaunchRegion& region : plan.regions) add_region(region, able, costs, touched, is_any_newer);
  const auto cost_of = [&](std::size_t i) {
    const std::int64_t waiting = is_any_newer ? 0 : load_of(*able[i]) * std::max<std::int64_t>(touched, 1);
    return costs[i].missing + costs[i].newer_elsewhere + waiting;
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < able.size(); ++i)
    if (cost_of(i) < cost_of(best)) best = i;
  return Choice(*able[best], choosing_.get());
}

}  // namespace pbrt::gpu

// Note [Which device]
//
// Steps that can be cut run in blocks on all devices (blocks.cpp). Every other launch has one device: the one on which
// it costs least, and of those the first. The cost is what must be copied to the device, in bytes. What is newer on
// another device counts twice, since it goes through the host.
//
// If nothing that the launch reads is newer on a device, the work that a device has counts, too: for each launch that
// was chosen for it and has not ended, as many bytes as this launch touches. So independent launches spread, also if
// they read the same matrix, which each device then has. If something is newer on a device, launches in flight do not
// count: they may be the ones that make it, and to go elsewhere means to wait for them, too. So a chain of launches
// stays where it is.
//
// Which device runs a launch changes no result: all devices read the same cells, and what a kernel computes for a cell
// does not depend on where it runs, if the devices are alike.
