// SPDX-License-Identifier: MIT
// Runs transforms: configuration, scheduler, random numbers, times, counts, and what to do
// when a device is lost. Used by the modes of program_main and by the measurement server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/config/active_config.h"
#include "runtime/config/configuration.h"
#include "runtime/config/formats/protocol.h"
#include "runtime/config/info.h"
#include "runtime/gpu/several/manager_set.h"
#include "runtime/main/inputs/problem.h"
#include "runtime/main/program/program_desc.h"
#include "runtime/sched/trace/trace.h"

namespace pbrt {

class ProcessorWaits;
class Scheduler;
struct RunSetup;

/// Contents to put back before runs. There are none of inputs, which no run writes.
struct Snapshot {
  std::vector<AnyMatrix> outputs;  ///< an empty matrix stands for zeros
};

/// The outputs that get their first contents back before a run (docs/reference/formats.md 4). Others keep what they
/// hold, because writing them takes what the run uses out of the caches of all processors right before it is timed.
enum class PutBack : std::uint8_t {
  AllOutputs,   ///< for the first of several runs, and for those whose outputs are judged: cells not written then show
  OutputsRead,  ///< those that a rule may read before it writes them
};

/// Whether nobody has used the memory of the matrix yet, which is then zero. False if that is not known.
[[nodiscard]] bool is_unused(const AnyMatrix& matrix);
void fill_zeros(const AnyMatrix& matrix);

[[nodiscard]] std::vector<AnyMatrix> clones_of(const std::vector<AnyMatrix>& matrices);

struct RunWishes {
  const ActiveConfig* config = nullptr;
  gpu::ManagerSet devices;
  std::uint64_t seed = 0;
  bool is_strict = false;
  bool is_resident = false;  ///< inputs are put on the device before, outputs are left there
  PutBack put_back = PutBack::AllOutputs;
  ProcessorWaits* waits = nullptr;  ///< to be asked how long the run waited for processors
  std::string trace_label;          ///< name of the run in a trace; empty: it is not traced
};

/// Counts of what a run did on a device.
struct DeviceReport {
  std::string name;
  std::int64_t launches = 0;                  ///< kernels that ran
  std::int64_t kernel_ns = 0;                 ///< their time by the device's clock; 0 unless it is profiled
  std::int64_t launches_in_blocks = 0;        ///< of kernels whose folds ran in blocks of rounds
  std::int64_t launches_in_parts = 0;         ///< among them, with groups for each of several ranges of rounds
  std::int64_t launches_in_vectors = 0;       ///< of kernels whose work-items ran neighbouring instances in vectors
  std::int64_t launches_on_matrix_units = 0;  ///< among them, those whose rounds matrix units ran
  std::int64_t launches_by_workers = 0;       ///< launches that did not go through the device's management thread
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t bytes_by_threads = 0;        ///< of copies that several threads made together
  std::int64_t bytes_locked = 0;            ///< of the host's memory that are page-locked when the run ends
  std::int64_t lock_ns = 0;                 ///< how long page-locking took
  std::int64_t evictions = 0;               ///< buffers that were freed because others needed their memory
  std::int64_t bytes_evicted = 0;           ///< their size
  std::int64_t copies_before_eviction = 0;  ///< copies to the host for evictions
  std::int64_t launches_cut = 0;            ///< steps that were launched in pieces
  std::int64_t launches_in_windows = 0;     ///< launches that had parts of matrices only
  std::int64_t launches_verified = 0;       ///< launches whose results were compared with the CPU's
  std::int64_t launches_differing = 0;      ///< among them, those with other results
  std::int64_t launches_not_verified = 0;   ///< launches whose results should have been compared and were not
  // In traced and in profiled runs:
  std::vector<RuleTotals> kernels;
  std::int64_t copy_in_ns = 0, copy_out_ns = 0;  ///< how long copies took, to the device and to the host
  std::int64_t start_ns = 0;  ///< how long it had nothing to do but what it had not begun yet: the cost of launches
};

/// The result of a run: its times and counts.
struct RunReport {
  std::int64_t elapsed_ns = 0;
  std::int64_t waited_ns = 0;  ///< part of it spent waiting for processors in use by others; 0 unless it was asked for
  [[nodiscard]] double seconds() const { return static_cast<double>(elapsed_ns) * 1e-9; }
  std::vector<protocol::Ran> ran;
  std::vector<protocol::Fallback> fallbacks;
  std::vector<protocol::Ran> below_cutoff;  ///< device versions that calls below the sequential cut-off had chosen
  // Sums over the devices.
  std::int64_t bytes_moved = 0;
  std::int64_t launches = 0;   ///< kernels that ran
  std::int64_t kernel_ns = 0;  ///< their time by the devices' clocks; 0 unless they are profiled
  // What the trace recorded of the run.
  RunProfile profile;
  std::vector<DeviceReport> devices;  ///< in the order of the wishes
};

class Engine {
 public:
  /// Reads the program's training information. `trace` is what traced runs are recorded in; it may be null, and it
  /// outlives the engine.
  explicit Engine(const ProgramDesc& program, Trace* trace = nullptr);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const ProgramDesc& program() const { return program_; }
  [[nodiscard]] const InfoIndex& index() const { return index_; }
  [[nodiscard]] const TransformInfo& info_of(const TransformDesc& transform) const;
  /// Whether some level of some site names a device version.
  [[nodiscard]] bool uses_device(const Configuration& configuration) const {
    return pbrt::uses_device(index_, configuration);
  }
  /// The default configuration with one thread. References and generators run with it.
  [[nodiscard]] const ActiveConfig& default_config() const { return default_config_; }
  /// A context for functions that only look at the configuration.
  [[nodiscard]] std::unique_ptr<RunContext> make_context(const ActiveConfig& config) const;
  /// The context of a run; the engine adds the names of sites to `setup`.
  [[nodiscard]] std::unique_ptr<RunContext> make_context(RunSetup setup) const;

  /// Runs the transform once. The time counts from the call until every output is whole in host memory (resident: until
  /// the device has finished).
  ///
  /// Errors:  UserError, RunAborted, gpu::DeviceLost, what a body throws
  RunReport run(const Problem& problem, const RunWishes& wishes);

  /// Runs the transform as run() does. When data is lost with a device, of which its manager warns, the work is done
  /// again without it, on the other devices or the CPU, from `snapshot` where given.
  RunReport run_or_recover(const Problem& problem, const RunWishes& wishes, const Snapshot* snapshot);

  /// Copies of the contents of all outputs.
  ///
  /// Errors:  UserError if memory is too small for them beside inputs and outputs
  [[nodiscard]] static Snapshot take_snapshot(const Problem& problem);
  /// Copies of the outputs that a run reads, for one that may have to be repeated. Memory that nobody used has no copy.
  [[nodiscard]] static Snapshot take_outputs(const Problem& problem);
  /// Puts contents back into the outputs that the wishes name, and forgets what of inputs and outputs is on the device.
  void restore(const Problem& problem, const Snapshot& snapshot, const RunWishes& wishes);

  /// Makes a problem on generated inputs: the transform's generator, else random numbers; initial outputs are filled.
  /// `config`: its values may be part of sizes. `most_cells`: larger inputs are left without numbers.
  [[nodiscard]] Problem generate(const TransformDesc& transform, const SizeWishes& wishes, std::uint64_t seed,
                                 const ActiveConfig& config, std::int64_t most_cells = INT64_MAX);
  /// Gives `problem` outputs of the sizes that `config` says, filled as generate does; false if it has them already.
  bool fit_outputs(Problem& problem, const std::vector<std::string>& input_names, const SizeWishes& wishes,
                   std::uint64_t seed, const ActiveConfig& config) const;

 private:
  Scheduler& scheduler(int threads);
  void run_generator(const TransformDesc& transform, const SizeWishes& wishes, std::uint64_t seed, Problem& problem);

  const ProgramDesc& program_;
  Trace* trace_;
  TrainingInfo info_;
  InfoIndex index_;
  ActiveConfig default_config_;
  std::vector<int> num_alternatives_;
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace pbrt
