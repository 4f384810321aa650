// SPDX-License-Identifier: MIT
#include "runtime/main/engine/engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/config/formats/info_json.h"
#include "runtime/config/machine.h"
#include "runtime/config/runtime_check.h"
#include "runtime/gpu/launch.h"
#include "runtime/gpu/manager.h"
#include "runtime/gpu/residency/untouched_pages.h"
#include "runtime/main/engine/root_run.h"
#include "runtime/main/inputs/generated_inputs.h"
#include "runtime/main/machine/processor_waits.h"
#include "runtime/main/program/run_context.h"
#include "runtime/matrix/random.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/scheduler.h"

namespace pbrt {

namespace {

constexpr std::uint64_t kInputSeed = 0x1001;
constexpr std::uint64_t kOutputSeed = 0x2001;

/// Whether a run may meet data on a device: on the device that it uses, or where earlier runs left the matrices.
bool may_meet_device(const Problem& problem, const RunWishes& wishes) {
  const auto was_on_device = [](const AnyMatrix& matrix) { return gpu::device_state(matrix) != 0; };
  return !wishes.devices.is_empty() || std::any_of(problem.inputs.begin(), problem.inputs.end(), was_on_device) ||
         std::any_of(problem.outputs.begin(), problem.outputs.end(), was_on_device);
}

void fill_report(const RunContext& ctx, const InfoIndex& index, RunReport& report) {
  for (int site = 0; site < index.num_sites(); ++site) {
    const SiteInfo& info = *index.site(site).site;
    for (int i = 0; i < info.num_choices(); ++i) {
      const Choice choice = info.choice(i);
      if (const std::int64_t count = ctx.times_run(site, i); count != 0)
        report.ran.push_back({index.site_name(site), choice.rule, choice.on, count});
      if (const std::int64_t count = ctx.times_below_cutoff(site, i); count != 0)
        report.below_cutoff.push_back({index.site_name(site), choice.rule, choice.on, count});
    }
  }
  for (int i = 0; i < ctx.num_fallbacks(); ++i) {
    const RunContext::FallbackCount entry = ctx.fallback_at(i);
    const Choice choice = index.site(entry.site).site->choice(entry.alternative);
    report.fallbacks.push_back({index.site_name(entry.site), choice.rule, choice.on, entry.reason, entry.count});
  }
}

void make_outputs(const RunContext& ctx, std::uint64_t seed, Problem& problem) {
  problem.outputs = allocate_outputs(ctx, *problem.transform, problem.sizes);
  for (std::size_t i = 0; i < problem.outputs.size(); ++i)
    fill_initial_output(problem.transform->outputs[i], problem.outputs[i], seed + kOutputSeed + i);
}

/// What a device did between two looks at its statistics.
DeviceReport device_report(const gpu::Manager& device, const gpu::DeviceStatistics& before) {
  const gpu::DeviceStatistics after = device.statistics();
  DeviceReport report;
  report.name = device.info().name;
  report.launches = after.launches - before.launches;
  report.kernel_ns = after.kernel_ns - before.kernel_ns;
  report.launches_in_blocks = after.launches_in_blocks - before.launches_in_blocks;
  report.launches_in_parts = after.launches_in_parts - before.launches_in_parts;
  report.launches_in_vectors = after.launches_in_vectors - before.launches_in_vectors;
  report.launches_on_matrix_units = after.launches_on_matrix_units - before.launches_on_matrix_units;
  report.launches_by_workers = after.launches_by_workers - before.launches_by_workers;
  report.bytes_to_device = after.bytes_to_device - before.bytes_to_device;
  report.bytes_to_host = after.bytes_to_host - before.bytes_to_host;
  report.bytes_by_threads = after.bytes_by_threads - before.bytes_by_threads;
  report.bytes_locked = after.bytes_locked;
  report.lock_ns = after.lock_ns - before.lock_ns;
  report.evictions = after.evictions - before.evictions;
  report.bytes_evicted = after.bytes_evicted - before.bytes_evicted;
  report.copies_before_eviction = after.copies_before_eviction - before.copies_before_eviction;
  report.launches_cut = after.launches_cut - before.launches_cut;
  report.launches_in_windows = after.launches_in_windows - before.launches_in_windows;
  report.launches_verified = after.launches_verified - before.launches_verified;
  report.launches_differing = after.launches_differing - before.launches_differing;
  report.launches_not_verified = after.launches_not_verified - before.launches_not_verified;
  report.copy_in_ns = after.copy_in_ns - before.copy_in_ns;
  report.copy_out_ns = after.copy_out_ns - before.copy_out_ns;
  report.start_ns = after.start_ns - before.start_ns;
  for (const gpu::KernelTotals& now : after.kernels) {
    gpu::KernelTotals run = now;
    for (const gpu::KernelTotals& old : before.kernels) {
      if (old.rule != now.rule) continue;
      run.launches -= old.launches;
      run.cells -= old.cells;
      run.time_ns -= old.time_ns;
    }
    if (run.launches != 0 && run.rule->name != nullptr)
      report.kernels.push_back({run.rule->name, run.rule->version, run.launches, run.cells, run.time_ns});
  }
  return report;
}

/// Looks at the statistics of devices before a run and after it.
class DeviceCounts {
 public:
  explicit DeviceCounts(const gpu::ManagerSet& devices) : devices_(devices) {
    for (const gpu::Manager* each : devices.managers()) before_.push_back(each->statistics());
  }
  void report(RunReport& report) const {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      report.devices.push_back(device_report(*devices_.managers()[i], before_[i]));
      const DeviceReport& device = report.devices.back();
      report.bytes_moved += device.bytes_to_device + device.bytes_to_host;
      report.launches += device.launches;
      report.kernel_ns += device.kernel_ns;
    }
  }

 private:
  const gpu::ManagerSet& devices_;
  std::vector<gpu::DeviceStatistics> before_;
};

void drain(Frame& frame, const gpu::ManagerSet& devices) {
  for (gpu::Manager* each : devices.managers()) each->drain(frame);
}

/// Records a run in the trace while it lives; does nothing without a trace or a label.
class TracedRun {
 public:
  TracedRun(Trace* trace, const std::string& label, int num_workers) : trace_(label.empty() ? nullptr : trace) {
    if (trace_ != nullptr) trace_->begin_run(label, num_workers);
  }
  ~TracedRun() { (void)end(); }
  TracedRun(const TracedRun&) = delete;
  TracedRun& operator=(const TracedRun&) = delete;

  [[nodiscard]] bool is_on() const { return trace_ != nullptr; }
  RunProfile end() {
    Trace* const trace = std::exchange(trace_, nullptr);
    return trace != nullptr ? trace->end_run() : RunProfile{};
  }

 private:
  Trace* trace_;
};

Configuration sequential_default(const InfoIndex& index) { return default_configuration(index); }

}  // namespace

Engine::Engine(const ProgramDesc& program, Trace* trace)
    : program_(program),
      trace_(trace),
      info_(parse_training_info(program.info_json, "the program's training information")),
      index_(info_),
      default_config_(index_, sequential_default(index_)) {
  default_config_.set_threads(1);
  for (int site = 0; site < index_.num_sites(); ++site)
    num_alternatives_.push_back(index_.site(site).site->num_choices());
}

Engine::~Engine() = default;

const TransformInfo& Engine::info_of(const TransformDesc& transform) const {
  for (const TransformInfo& info : info_.transforms)
    if (info.name == transform.name) return info;
  PBRT_CHECK(false, "every transform is in the training information");
}

std::unique_ptr<RunContext> Engine::make_context(const ActiveConfig& config) const {
  return make_context(RunSetup{.config = &config});
}

std::unique_ptr<RunContext> Engine::make_context(RunSetup setup) const {
  setup.index = &index_;
  return std::make_unique<RunContext>(setup, index_.num_sites(), num_alternatives_.data());
}

Scheduler& Engine::scheduler(int threads) {
  if (scheduler_ == nullptr || scheduler_->num_workers() != threads) {
    scheduler_.reset();
    scheduler_ = std::make_unique<Scheduler>(threads, trace_);
  }
  return *scheduler_;
}

RunReport Engine::run(const Problem& problem, const RunWishes& wishes) {
  RunSetup setup{wishes.config,        &wishes.devices,          wishes.seed, wishes.is_strict,
                 problem.sizes.data(), wishes.config->threads(), &index_};
  RunContext ctx(setup, index_.num_sites(), num_alternatives_.data());
  RunState state;
  prepare_run(state, ctx, program_.uses_random, may_meet_device(problem, wishes));
  RunReport report;
  const DeviceCounts counts(wishes.devices);
  const bool is_resident = wishes.is_resident && !wishes.devices.is_empty();
  const auto root_body = [&](Frame& root) {
    const RandomScope random(wishes.seed);
    if (is_resident) {
      for (gpu::Manager* device : wishes.devices.managers()) {
        for (const AnyMatrix& input : problem.inputs) (void)device->prefetch(root, input);
        for (std::size_t i = 0; i < problem.outputs.size(); ++i)
          if (problem.transform->outputs[i].is_read_initially) (void)device->prefetch(root, problem.outputs[i]);
      }
      drain(root, wishes.devices);
    }
    if (!wishes.is_resident) state.root = &root;
    if (wishes.waits != nullptr) wishes.waits->begin();
    const std::int64_t start = trace_clock_ns();
    const auto note_end = [&] {
      report.elapsed_ns = trace_clock_ns() - start;
      if (wishes.waits != nullptr) report.waited_ns = std::min(report.elapsed_ns, wishes.waits->end());
    };
    problem.transform->run(root, problem.outputs.data(), problem.inputs.data());
    if (is_resident) {
      drain(root, wishes.devices);
      note_end();
    }
    bring_to_host(root, problem.outputs);
    if (!is_resident) note_end();
  };
  Scheduler& workers = scheduler(wishes.config->threads());
  TracedRun traced(trace_, wishes.trace_label, workers.num_workers());
  state.is_traced = traced.is_on();
  if (wishes.waits != nullptr) wishes.waits->find_threads();
  workers.rouse();
  run_root(workers, state, root_body);
  report.profile = traced.end();
  fill_report(ctx, index_, report);
  counts.report(report);
  return report;
}

RunReport Engine::run_or_recover(const Problem& problem, const RunWishes& wishes, const Snapshot* snapshot) {
  RunWishes left = wishes;
  std::string where;
  try {
    return run(problem, wishes);
  } catch (const gpu::DeviceLost& error) {
    if (wishes.is_strict || wishes.devices.is_empty()) throw;
    // If none has failed, the devices did parts of a step that cannot be done again.
    left.devices = wishes.devices.alive();
    const bool has_failed = !(left.devices == wishes.devices);
    if (!has_failed) left.devices = {};
    where = left.devices.is_empty() ? "on the CPU" : "on the other devices";
    // The manager of a device that has failed has warned, and said that the CPU does the work.
    if (!has_failed || !left.devices.is_empty())
      std::fprintf(stderr, "warning: %s; the run is repeated %s\n", error.what(), where.c_str());
  }
  if (!left.trace_label.empty()) left.trace_label += ", again " + where;
  for (const std::vector<AnyMatrix>* matrices : {&problem.inputs, &problem.outputs})
    for (const AnyMatrix& matrix : *matrices) forget_launches(matrix);
  for (std::size_t i = 0; i < problem.outputs.size(); ++i)
    if (!problem.transform->outputs[i].is_read_initially) forget_lost(problem.outputs[i]);
  if (snapshot != nullptr) restore(problem, *snapshot, wishes);
  return run_or_recover(problem, left, snapshot);
}

std::vector<AnyMatrix> clones_of(const std::vector<AnyMatrix>& matrices) {
  std::vector<AnyMatrix> out;
  for (const AnyMatrix& matrix : matrices) out.push_back(matrix.clone());
  return out;
}

bool is_unused(const AnyMatrix& matrix) {
  const Storage* storage = matrix.storage_ref().get();
  if (storage == nullptr) return false;
  const auto first = static_cast<const char*>(matrix.data()) - static_cast<const char*>(storage->data());
  return gpu::is_untouched(*storage, static_cast<std::size_t>(first), static_cast<std::size_t>(matrix.bytes()));
}

void fill_zeros(const AnyMatrix& matrix) {
  if (matrix.bytes() != 0) std::memset(matrix.data(), 0, static_cast<std::size_t>(matrix.bytes()));
}

Snapshot Engine::take_outputs(const Problem& problem) {
  Snapshot taken;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const bool has_copy = problem.transform->outputs[i].is_read_initially && !is_unused(problem.outputs[i]);
    taken.outputs.push_back(has_copy ? problem.outputs[i].clone() : AnyMatrix());
  }
  return taken;
}

Snapshot Engine::take_snapshot(const Problem& problem) {
  double bytes = 0;
  for (const AnyMatrix& input : problem.inputs) bytes += static_cast<double>(input.bytes());
  for (const AnyMatrix& output : problem.outputs) bytes += 2 * static_cast<double>(output.bytes());  // and its copy
  check_memory(*problem.transform, bytes, memory_bytes());
  return {clones_of(problem.outputs)};
}

void Engine::restore(const Problem& problem, const Snapshot& snapshot, const RunWishes& wishes) {
  RunState state;
  RunContext ctx({wishes.config, &wishes.devices, 0, false, nullptr, wishes.config->threads(), &index_},
                 index_.num_sites(), num_alternatives_.data());
  state.context = &ctx;
  scheduler(wishes.config->threads()).run(state, [&](Frame& root) {
    const auto put_back = [&](const AnyMatrix& matrix, const AnyMatrix& saved) {
      before_host_overwrite(root, matrix);
      saved.is_empty() ? fill_zeros(matrix) : matrix.copy_from(saved);
      wrote_on_host(matrix);
    };
    const auto drop_copies = [&](const AnyMatrix& matrix) {
      for (gpu::Manager* device : wishes.devices.managers())
        if (device->is_alive()) device->drop_device_copies(root, matrix.storage_ref().get());
    };
    std::for_each(problem.inputs.begin(), problem.inputs.end(), drop_copies);
    for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
      if (wishes.put_back == PutBack::AllOutputs || problem.transform->outputs[i].is_read_initially)
        put_back(problem.outputs[i], snapshot.outputs[i]);
      drop_copies(problem.outputs[i]);
    }
  });
}

void Engine::run_generator(const TransformDesc& transform, const SizeWishes& wishes, std::uint64_t seed,
                           Problem& problem) {
  const TransformDesc& generator = program_.transforms[transform.generator];
  const std::unique_ptr<RunContext> ctx = make_context(default_config_);
  Problem made;
  made.transform = &generator;
  made.sizes = sizes_from_wishes(*ctx, generator, wishes);
  made.inputs = allocate_inputs(*ctx, generator, made.sizes);
  made.outputs = allocate_outputs(*ctx, generator, made.sizes);
  fill_inputs(*ctx, generator, made.sizes, made.inputs, seed + kInputSeed);
  for (std::size_t i = 0; i < made.outputs.size(); ++i)
    fill_initial_output(generator.outputs[i], made.outputs[i], seed + kOutputSeed + i);
  RunWishes run_wishes;
  run_wishes.config = &default_config_;
  run_wishes.seed = seed;
  (void)run(made, run_wishes);
  problem.inputs = std::move(made.outputs);
}

Problem Engine::generate(const TransformDesc& transform, const SizeWishes& wishes, std::uint64_t seed,
                         const ActiveConfig& config, std::int64_t most_cells) {
  std::vector<const TransformDesc*> named{&transform};
  if (transform.generator >= 0) named.push_back(&program_.transforms[transform.generator]);
  check_size_names(wishes, named);
  const std::unique_ptr<RunContext> ctx = make_context(config);
  Problem problem;
  problem.transform = &transform;
  if (transform.generator >= 0) {
    run_generator(transform, wishes, seed, problem);
    std::vector<std::string> names(problem.inputs.size(), std::string("the generator ") + named[1]->name);
    problem.sizes = sizes_from_inputs(*ctx, transform, problem.inputs, names, wishes);
  } else {
    problem.sizes = sizes_from_wishes(*ctx, transform, wishes);
    problem.inputs = allocate_inputs(*ctx, transform, problem.sizes);
    fill_inputs(*ctx, transform, problem.sizes, problem.inputs, seed + kInputSeed, most_cells);
  }
  make_outputs(*ctx, seed, problem);
  return problem;
}

bool Engine::fit_outputs(Problem& problem, const std::vector<std::string>& input_names, const SizeWishes& wishes,
                         std::uint64_t seed, const ActiveConfig& config) const {
  const std::unique_ptr<RunContext> ctx = make_context(config);
  std::vector<std::int64_t> sizes = sizes_from_inputs(*ctx, *problem.transform, problem.inputs, input_names, wishes);
  if (are_outputs_of(*ctx, *problem.transform, sizes, problem.outputs)) return false;
  problem.sizes = std::move(sizes);
  problem.outputs.clear();
  make_outputs(*ctx, seed, problem);
  return true;
}

}  // namespace pbrt
