// SPDX-License-Identifier: MIT
// Builds the kernels of configurations that will probably be measured soon, while others are measured: in a second
// child of the program, `--serve --builds-only`, which fills the program's cache of built kernels. It gets processor
// time that nobody else wants, so that measurements take as long as without it. Whether it works changes no result: a
// kernel that it did not build is built by the run that needs it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "autotuner/measure/child_process.h"
#include "runtime/config/formats/protocol.h"

namespace pbtune {

class KernelBuilder {
 public:
  /// `command`: the program and its options, without `--serve`.
  KernelBuilder(std::vector<std::string> command, ChildProcess::Priority priority);

  /// The inputs of the measurements that follow; `request` asks for them. What was expected before is forgotten.
  void begin(pbrt::protocol::Request request);
  /// Replaces what is expected: configurations as JSON, soonest first. The child is started when there are some.
  void expect(std::span<const std::string> configurations);
  /// A configuration is measured now: whoever measures it builds its kernels.
  void note_measured(const std::string& configuration);
  /// Reads answers and sends the next configuration, without waiting. A child that failed or took too long is started
  /// again a few times, then never.
  void tick();

  /// How many configurations have been built, and how many are waiting.
  [[nodiscard]] int num_built() const { return num_built_; }
  [[nodiscard]] std::size_t num_waiting() const { return waiting_.size(); }

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t {
    Absent,    ///< there is no child
    Starting,  ///< it has not said hello
    Ready,     ///< it has the inputs and nothing to do
    Busy,      ///< it makes inputs or builds
    Off        ///< no child will be started any more
  };

  void start();
  void send(pbrt::protocol::Request request);
  void send_next();
  void give_up_child();

  const std::vector<std::string> command_;
  const ChildProcess::Priority priority_;
  State state_ = State::Absent;
  std::unique_ptr<ChildProcess> child_;
  pbrt::protocol::Request inputs_;
  bool has_inputs_ = false;  ///< the child has made those of `inputs_`
  bool is_building_ = false;
  std::deque<std::string> waiting_;
  std::set<std::string> known_;  ///< built or measured with these inputs
  Clock::time_point since_{};    ///< when the child got what it does
  std::int64_t next_id_ = 1;
  int num_built_ = 0, num_failures_ = 0;
};

}  // namespace pbtune
