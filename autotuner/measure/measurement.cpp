// SPDX-License-Identifier: MIT
#include "autotuner/measure/measurement.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "runtime/config/errors.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/text_cut.h"

namespace pbtune {
namespace {

using pbrt::protocol::Op;
using pbrt::protocol::Reply;
using pbrt::protocol::Request;
using pbrt::protocol::Status;

constexpr double kStartPatienceS = 60;
constexpr double kMostSlowdown = 20;   // a hang is found at last, however busy the machine is
constexpr double kRestartShare = 0.5;  // share of the time of a restart that is waited for, to save one
constexpr double kKernelShare = 0.5;   // share of the patience that is added per kernel that is built first, up to all

OutcomeKind kind_of(Status status) {
  switch (status) {
    case Status::Ok:
      return OutcomeKind::Ok;
    case Status::Wrong:
      return OutcomeKind::Wrong;
    case Status::AccuracyMissed:
      return OutcomeKind::AccuracyMissed;
    case Status::Aborted:
      return OutcomeKind::Aborted;
    case Status::Error:
    case Status::Skipped:
      return OutcomeKind::Error;
  }
  return OutcomeKind::Error;
}

std::string seconds_text(double seconds) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.2g s", seconds);  // a few digits fit
  return text;
}

std::string last_line(const std::string& text) {
  std::size_t end = text.find_last_not_of("\n \t");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

/// What the program says when it starts.
pbrt::protocol::Hello hello_of(const std::string& line, const std::string& program) {
  constexpr std::size_t kMostShown = 60;
  try {
    return pbrt::protocol::parse_hello(line);
  } catch (const pbrt::ConfigError& error) {
    if (line.starts_with('{')) throw;
    throw pbrt::ConfigError("the first line that `" + program + " --serve` prints is `" +
                            line.substr(0, pbrt::length_that_fits(line, kMostShown)) +
                            "`, not its answer to pbtune: nothing may be printed to standard output before `main` "
                            "begins, as by constructors of static objects");
  }
}

}  // namespace

Measurement::Measurement(const InfoIndex& index, MeasureOptions options, std::function<void()> on_tick,
                         std::function<void(int num_kernels)> on_build)
    : index_(index),
      options_(std::move(options)),
      on_tick_([this, tick = std::move(on_tick)] {
        builder_.tick();
        tick();
      }),
      on_build_(std::move(on_build)),
      builder_(options_.command, options_.build_priority) {}

void Measurement::expect(std::span<const Configuration> configurations) {
  std::vector<std::string> on_device;
  for (const Configuration& configuration : configurations)
    if (pbrt::uses_device(index_, configuration)) on_device.push_back(pbrt::to_json(index_, configuration, -1));
  builder_.expect(on_device);
}

const pbrt::protocol::Hello& Measurement::start() {
  std::vector<std::string> command = options_.command;
  command.emplace_back("--serve");
  child_ = std::make_unique<ChildProcess>(command);
  warm_.clear();
  std::string line;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kStartPatienceS));
  const ChildProcess::Read how = child_->read_line(line, deadline, on_tick_);
  if (how != ChildProcess::Read::Line) {
    const std::string reason = how == ChildProcess::Read::TimedOut ? "it does not answer" : bury();
    child_.reset();
    throw pbrt::IoError("`" + options_.command[0] + " --serve` did not start: " + reason);
  }
  hello_ = hello_of(line, options_.command[0]);
  const pbrt::TrainingInfo& info = index_.info();
  if (hello_.format > pbrt::protocol::kFormat)
    throw pbrt::ConfigError("`" + options_.command[0] + "` speaks protocol format " + std::to_string(hello_.format) +
                            ", newer than the newest that this program speaks, " +
                            std::to_string(pbrt::protocol::kFormat));
  if (hello_.program != info.program ||
      (!hello_.source.empty() && !info.source.empty() && hello_.source != info.source))
    throw pbrt::ConfigError(
        was_started_ ? "`" + options_.command[0] + "` was replaced by another program while it was tuned"
                     : "`" + options_.command[0] +
                           "` and its training information do not belong together; compile the program again");
  if (hello_.is_debug)
    throw pbrt::ConfigError("`" + options_.command[0] +
                            "` was made by `pbc --debug`, so its times say nothing; compile it without --debug");
  was_started_ = true;
  return hello_;
}

std::string Measurement::bury() {
  if (!child_) return "it is gone";
  std::string reason = child_->end();
  const std::string words = last_line(child_->last_errors());
  if (!words.empty()) reason += ": " + words;
  child_.reset();
  return reason;
}

Measurement::Answer Measurement::ask(Request request, double limit_s) {
  Answer answer;
  request.id = next_id_++;
  const Clock::time_point begin = Clock::now();
  const auto deadline = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
  if (!child_->send_line(pbrt::protocol::to_line(request))) return answer;
  std::string line;
  do {
    answer.how = child_->read_line(line, deadline, on_tick_);
    if (answer.how != ChildProcess::Read::Line) return answer;
    try {
      answer.reply = pbrt::protocol::parse_reply(line);
    } catch (const pbrt::ConfigError& error) {
      answer.reply = Reply{};
      answer.reply.id = request.id;
      answer.reply.status = Status::Error;
      answer.reply.message = error.what();
    }
  } while (answer.reply.id != request.id);
  answer.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return answer;
}

Request Measurement::inputs_request() const {
  Request inputs;
  inputs.op = Op::Inputs;
  inputs.sizes = options_.sizes;
  inputs.given = options_.given;
  inputs.files = options_.files;
  if (options_.files.empty()) inputs.n = n_;
  inputs.seed = seed_;
  return inputs;
}

std::int64_t Measurement::size_of_inputs() {
  if (!child_) (void)start();
  const Answer answer = ask(inputs_request(), options_.last_patience_s);
  if (answer.how == ChildProcess::Read::TimedOut) child_->kill();
  if (answer.how != ChildProcess::Read::Line) throw pbrt::UserError("the program cannot read the inputs: " + bury());
  if (answer.reply.status != Status::Ok)
    throw pbrt::UserError("the program cannot use the inputs: " + answer.reply.message);
  return answer.reply.n;
}

Prepared Measurement::make_inputs(double patience_s) {
  builder_.begin(inputs_request());
  const Answer answer = ask(inputs_request(), patience_s);
  if (answer.how == ChildProcess::Read::TimedOut) {
    child_->kill();
    (void)bury();  // its words are not needed: it was killed for being too slow
    return {PrepareStatus::TooSlow, 0, "making the inputs takes longer than " + seconds_text(patience_s)};
  }
  if (answer.how != ChildProcess::Read::Line)
    return {PrepareStatus::Failed, 0, "the program fails while it makes inputs: " + bury()};
  if (answer.reply.status == Status::Skipped) return {PrepareStatus::Skipped, 0, answer.reply.message};
  if (answer.reply.status != Status::Ok)
    return {PrepareStatus::Failed, 0, "the program cannot make inputs: " + answer.reply.message};
  return {PrepareStatus::Ready, 0, ""};
}

Prepared Measurement::make_reference(double patience_s) {
  const std::string culprit = reference_config_.empty() ? "the program fails under its default configuration: "
                                                        : "the program fails while it makes the reference: ";
  Request reference;
  reference.op = Op::Reference;
  reference.config = reference_config_;
  const Answer answer = ask(reference, patience_s);
  if (answer.how == ChildProcess::Read::TimedOut) {
    child_->kill();
    (void)bury();  // its words are not needed: it was killed for being too slow
    return {PrepareStatus::TooSlow, 0, "the reference run takes longer than " + seconds_text(patience_s)};
  }
  if (answer.how != ChildProcess::Read::Line) return {PrepareStatus::Failed, 0, culprit + bury()};
  if (answer.reply.status != Status::Ok) return {PrepareStatus::Failed, 0, culprit + answer.reply.message};
  return {PrepareStatus::Ready, answer.reply.times_ns.empty() ? 0 : answer.reply.times_ns[0], answer.reply.message};
}

Prepared Measurement::send_inputs(const Patience& patience) {
  const Clock::time_point begin = Clock::now();
  Prepared out = make_inputs(patience.inputs_s);
  is_input_slow_ = out.status == PrepareStatus::TooSlow;
  if (out.status == PrepareStatus::Ready && options_.verifies) out = make_reference(patience.reference_s);
  prepare_s_ = std::chrono::duration<double>(Clock::now() - begin).count();
  return out;
}

/// Where the person's program has results for bins, these are the default.
Prepared Measurement::prepare(const PrepareSpec& spec) {
  if (!child_) (void)start();
  n_ = spec.n;
  seed_ = options_.seed;
  overhead_ms_ = 0;
  reference_config_ = options_.reference ? pbrt::to_json(index_, *options_.reference, -1) : "";
  const double most_s = std::min(options_.last_patience_s, spec.patience_s);
  const double default_s = std::min({options_.patience_s, spec.patience_s, spec.default_patience_s});
  Prepared out{PrepareStatus::TooSlow, 0, ""};
  is_input_slow_ = false;
  if (default_s > 0) out = send_inputs({most_s, default_s});
  const bool has_other = spec.trusted != nullptr || !options_.reference;
  if (out.status == PrepareStatus::TooSlow && !is_input_slow_ && has_other) {
    if (!child_) (void)start();
    const Configuration maker = spec.trusted != nullptr ? *spec.trusted : pbrt::default_configuration(index_);
    reference_config_ = pbrt::to_json(index_, maker, -1);
    out = send_inputs({most_s, most_s});
    out.maker = spec.trusted != nullptr ? ReferenceMaker::Trusted : ReferenceMaker::DefaultInParallel;
  }
  return out;
}

Prepared Measurement::renew(const Configuration& reference) {
  constexpr std::uint64_t kStep = 1000003;  // far from the seeds of variants
  ensure_ready();
  const std::string former = reference_config_;
  seed_ += kStep;
  reference_config_ = pbrt::to_json(index_, reference, -1);
  Prepared prepared = send_inputs(usual_patience());
  if (prepared.status == PrepareStatus::Ready) return prepared;
  seed_ -= kStep;
  reference_config_ = former;
  if (!child_) (void)start();
  const Prepared again = send_inputs(usual_patience());
  if (again.status != PrepareStatus::Ready) throw pbrt::IoError("the program does not run any more: " + again.message);
  return prepared;
}

void Measurement::ensure_ready() {
  if (child_) return;
  ++num_restarts_;
  (void)start();
  const Prepared prepared = send_inputs(usual_patience());
  if (prepared.status != PrepareStatus::Ready)
    throw pbrt::IoError("the program does not run any more: " + prepared.message);
}

int Measurement::note_kernels(const Configuration& configuration) {
  int num_new = 0;
  for (int id = 0; id < index_.num_sites(); ++id) {
    for (const pbrt::Level& level : configuration.sites[static_cast<std::size_t>(id)].levels) {
      const pbrt::Choice choice = index_.site(id).site->choice(level.alternative);
      const std::string name = index_.site_name(id) + "." + choice.rule + "." + to_string(choice.on);
      if (!pbrt::is_device(choice.on) || std::find(warm_.begin(), warm_.end(), name) != warm_.end()) continue;
      ++num_new;
      warm_.push_back(name);
    }
  }
  return num_new;
}

/// How long to wait before the child is killed. The time is generous: killing costs a restart with inputs and
/// reference, and is for hangs; mere slowness is found by the limit.
double Measurement::patience_for(const Configuration& configuration, const RunSpec& spec) {
  const int num_kernels = note_kernels(configuration);
  if (num_kernels > 0 && on_build_) on_build_(num_kernels);
  const double build_s = std::min(1.0, kKernelShare * num_kernels) * options_.patience_s;
  const double grace_s = std::max(options_.grace_s, kRestartShare * prepare_s_) + 4 * overhead_ms_ * 1e-3 + build_s;
  if (spec.limit_ms <= 0) return options_.patience_s + grace_s;
  // Where kernels are built, a warm-up comes first, which may take twice as long as a trial. Limits are wide already.
  const double more_trials = pbrt::uses_device(index_, configuration) ? 2 : 0.5;
  return grace_s + slowdown_ * spec.limit_ms * 1e-3 * (spec.trials + more_trials);
}

Sample Measurement::own_times(const Reply& reply) {
  constexpr double kMemory = 0.9;
  Sample out = reply.times_ns;
  for (std::size_t i = 0; i < std::min(out.size(), reply.waited_ns.size()); ++i) {
    const double waited = std::clamp(reply.waited_ns[i], 0.0, out[i]);
    total_ns_ += out[i];
    waited_ns_ += waited;
    const double own = std::max(1.0, out[i] - waited);
    slowdown_ = std::max({1.0, out[i] / own, kMemory * slowdown_});
    out[i] = own;
  }
  slowdown_ = std::min(slowdown_, kMostSlowdown);
  return out;
}

Outcome Measurement::outcome_of(const Reply& reply, const RunSpec& spec) {
  Outcome out;
  out.kind = kind_of(reply.status);
  out.times_ns = own_times(reply);
  out.accuracy = reply.accuracy;
  out.max_error_rel = reply.max_error_rel;
  out.message = reply.message;
  out.has_large_matrices = reply.has_large_matrices;
  out.device_costs = reply.device_costs;
  for (const pbrt::protocol::Ran& ran : reply.ran) {
    for (int id = 0; id < index_.num_sites(); ++id) {
      if (index_.site_name(id) != ran.site) continue;
      const int alternative = index_.site(id).site->index_of(ran.rule, ran.on);
      if (alternative >= 0 && ran.count > 0) out.ran.push_back({id, alternative});
    }
  }
  if (out.kind == OutcomeKind::Ok && !reply.fallbacks.empty()) {
    const pbrt::protocol::Fallback& first = reply.fallbacks[0];
    out.kind = OutcomeKind::FellBack;
    out.message = pbrt::did_not_run(first.site, {first.rule, first.on}) + ": " + first.reason;
  }
  const bool is_slow = out.kind == OutcomeKind::Ok && spec.limit_ms > 0 && !out.times_ns.empty() &&
                       minimum(out.times_ns) > spec.limit_ms * 1e6;
  if (is_slow) out.kind = OutcomeKind::TimedOut;
  if (out.kind == OutcomeKind::Ok && out.times_ns.empty()) {
    out.kind = OutcomeKind::Error;
    out.message = "the program reports no time";
  }
  return out;
}

Outcome Measurement::run_once(const Configuration& configuration, const RunSpec& spec) {
  ensure_ready();
  Request request;
  request.op = Op::Run;
  request.config = pbrt::to_json(index_, configuration, -1);
  request.trials = spec.trials;
  request.limit_ms = spec.limit_ms;
  request.is_resident = options_.is_resident;
  request.verify = options_.verifies;
  builder_.note_measured(request.config);
  request.tolerance = options_.tolerance;
  const Answer answer = ask(request, patience_for(configuration, spec));
  if (answer.how == ChildProcess::Read::Line) {
    double trials_ms = 0;
    for (const double time : answer.reply.times_ns) trials_ms += time * 1e-6;
    overhead_ms_ = std::max(overhead_ms_, answer.wall_ms - trials_ms);
    return outcome_of(answer.reply, spec);
  }
  Outcome out;
  out.kind = answer.how == ChildProcess::Read::TimedOut ? OutcomeKind::TimedOut : OutcomeKind::Crashed;
  if (answer.how == ChildProcess::Read::TimedOut) child_->kill();
  const std::string reason = bury();
  out.message = out.kind == OutcomeKind::TimedOut ? "it does not end" : reason;
  return out;
}

Outcome Measurement::run(const Configuration& configuration, const RunSpec& spec) {
  Outcome out = run_once(configuration, spec);
  // The child may have been killed from outside, so only a configuration that crashes twice is to blame.
  if (out.kind == OutcomeKind::Crashed) out = run_once(configuration, spec);
  return out;
}

}  // namespace pbtune
