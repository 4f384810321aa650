// SPDX-License-Identifier: MIT
// The measurement protocol of `--serve` (docs/reference/formats.md 3): messages as structs and their JSON lines, one
// codec for both ends. The program answers, the tuner asks; one object per line.
//
//   program: hello, then one reply per request, in order
//   tuner:   inputs, reference, run (many), …, quit (or it closes the pipe)
//
// `inputs` replaces what was there, also the reference. `reference` computes the outputs that later runs
// are compared with, twice: if the two differ, it says so in `message` and nothing is verified. A `run`
// does, once per kernel and work-group shape, an untimed warm-up, then `trials` timed ones; it stops
// early, status ok, when a trial took longer than limit_ms, beside what it waited for processors. The tuner kills the
// process group of a program that does not answer: the program needs no watchdog of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/config/formats/device_costs.h"
#include "runtime/config/info.h"
#include "runtime/config/machine.h"

namespace pbrt::protocol {

inline constexpr int kFormat = 1;
/// Words of the message about an output whose size is not that of the reference: `B has the size 1, the reference 3`.
inline constexpr std::string_view kHasTheSize = " has the size ";
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

/// First line: {"format": 1, "program": …, "source": …, "devices": [{"name", "driver"}]}.
struct Hello {
  int format = kFormat;
  std::string program;
  std::string source;
  std::vector<DeviceId> devices;  ///< usable ones in `--list-devices` order; the one in use first in `device`
  std::string device;             ///< name of the device in use; empty: none
  int num_devices = 0;            ///< in use
  bool is_debug = false;          ///< compiled for debuggers: its times say nothing
};

enum class Op : std::uint8_t { Inputs, Reference, Run, Quit };

/// {"id": 3, "op": "inputs", "n": 512, "sizes": {"K": 7}, "seed": 1}             n and sizes together, as --n and
/// --size
/// {"id": 3, "op": "inputs", "files": ["in.npy"], "seed": 1}
/// {"id": 3, "op": "inputs", "n": 512, "set": {"Weight": "0.5", "Limit": "inf"}, "seed": 1}   with n or files
/// {"id": 4, "op": "reference", "config": {"global": …, "transforms": …}}        without config: default, one thread,
/// CPU
/// {"id": 5, "op": "run", "config": {…}, "trials": 3, "limit_ms": 500, "verify": true, "resident": false, "tolerance":
/// 1e-9}
/// {"id": 6, "op": "quit"}
struct Request {
  std::int64_t id = 0;
  Op op = Op::Quit;
  std::int64_t n = -1;  ///< < 0: not given
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<std::pair<std::string, std::string>> given;  ///< names and values, as --set has them
  std::vector<std::string> files;
  std::uint64_t seed = 0;
  std::string config;  ///< JSON object, one line; empty: not given
  int trials = 1;
  double limit_ms = 0;  ///< 0: none
  bool verify = true;
  bool is_resident = false;
  double tolerance = -1;  ///< relative; < 0: the program's own
};

enum class Status : std::uint8_t {
  Ok,
  Wrong,  ///< ran, outputs differ from the reference by more than the tolerance
  AccuracyMissed,
  Aborted,  ///< the program gave up: PetabricksRuntime::abort, recursion that does not end
  Error,    ///< an error with a message (sizes that do not fit, a failed JASSERT that was caught …)
  Skipped,  ///< reply to `inputs`: no such sizes exist (a header size is negative, …); not a failure
};
[[nodiscard]] const char* to_string(Status status);

struct Ran {
  std::string site;  ///< InfoIndex::site_name: `Convolve2D.Out#1`
  std::string rule;
  Version on = Version::Cpu;
  std::int64_t count = 0;
};

struct Fallback {
  std::string site;
  std::string rule;
  Version on = Version::OpenCl;  ///< the version that was asked for and did not run
  std::string reason;
  std::int64_t count = 0;
};

/// A reply. Fields that have no meaning for its request are left out.
struct Reply {
  std::int64_t id = 0;
  Status status = Status::Ok;
  std::vector<double> times_ns;   ///< one per timed trial; `reference`: its time
  std::vector<double> waited_ns;  ///< part of each time spent waiting for processors in use by others; empty: none
  std::vector<double> kernel_ns;  ///< per timed trial with `--profile`: on the device, by its clock
  bool has_accuracy = false;
  double accuracy = 0;
  double max_error_abs = 0;         ///< against the reference; infinite or NaN errors are written as 1e308
  double max_error_rel = 0;         ///< relative to the largest magnitude of the reference
  std::vector<Ran> ran;             ///< what ran in the last trial
  std::vector<Fallback> fallbacks;  ///< fallbacks of all trials
  /// Chosen device versions in whose place the CPU version ran in the last trial, because a call was below the
  /// sequential cut-off. The configuration says so, so they are no fallbacks.
  std::vector<Ran> below_cutoff;
  std::int64_t bytes_moved = 0;             ///< to and from the device, last trial
  std::optional<DeviceCosts> device_costs;  ///< with `--profile`, of the last trial, if a device took part
  std::int64_t n = -1;                      ///< reply to `inputs`: the largest size variable of the main transform
  /// Whether a matrix of the run was so large that it may lie on large pages: else asking for them changes nothing.
  bool has_large_matrices = false;
  std::string message;
};

/// A message as one line, without the newline.
[[nodiscard]] std::string to_line(const Hello& hello);
[[nodiscard]] std::string to_line(const Request& request);
[[nodiscard]] std::string to_line(const Reply& reply);
/// Readers of lines. They throw ConfigError with the reason.
[[nodiscard]] Hello parse_hello(std::string_view line);
[[nodiscard]] Request parse_request(std::string_view line);
/// The `id` of a line that is not a valid request, so that its sender learns which request failed; 0 if it has none.
[[nodiscard]] std::int64_t id_of(std::string_view line);
[[nodiscard]] Reply parse_reply(std::string_view line);

}  // namespace pbrt::protocol
