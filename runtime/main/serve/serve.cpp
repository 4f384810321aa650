// SPDX-License-Identifier: MIT
#include "runtime/main/serve/serve.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/config/protocol.h"
#include "runtime/main/engine/judge.h"
#include "runtime/main/engine/verify.h"
#include "runtime/main/failure/thrown_from.h"
#include "runtime/main/machine/native_libraries.h"
#include "runtime/main/machine/processor_waits.h"
#include "runtime/main/modes/session.h"
#include "runtime/main/program/run_context.h"
#include "runtime/main/serve/line_channel.h"

namespace pbrt {

namespace {

using protocol::Reply;
using protocol::Request;
using protocol::Status;

constexpr std::int64_t kMostParkedBytes = std::int64_t{1} << 30;

/// Answers requests one after the other. Errors of a request are its reply; the server goes on.
class Server {
 public:
  explicit Server(Session& session) : session_(session) {
    device_index_ = session.devices.choose(session.options.device);
    for (int i = 0; i < session.transform.num_outputs; ++i)
      output_names_.emplace_back(session.transform.outputs[i].name);
  }

  [[nodiscard]] protocol::Hello hello() {
    const TrainingInfo& info = session_.engine.index().info();
    protocol::Hello hello;
    hello.program = info.program;
    hello.source = info.source;
    hello.devices = session_.devices.ids();
    if (device_index_ >= 0) hello.device = hello.devices[static_cast<std::size_t>(device_index_)].name;
    return hello;
  }

  [[nodiscard]] Reply answer(const Request& request) {
    Reply reply;
    reply.id = request.id;
    try {
      switch (request.op) {
        case protocol::Op::Inputs:
          make_inputs(request, reply);
          break;
        case protocol::Op::Reference:
          make_reference(request, reply);
          break;
        case protocol::Op::Run:
          measure(request, reply);
          break;
        case protocol::Op::Quit:
          break;
      }
    } catch (const NoSuchSizes& error) {
      fail(reply, request.op == protocol::Op::Inputs ? Status::Skipped : Status::Error, error.what());
    } catch (const RunAborted& error) {
      fail(reply, Status::Aborted, error.what());
    } catch (...) {
      fail(reply, Status::Error, words_of_exception(session_.engine.program()).c_str());
    }
    return reply;
  }

 private:
  static void fail(Reply& reply, Status status, const char* message) {
    reply.status = status;
    reply.message = message;
  }

  void make_inputs(const Request& request, Reply& reply) {
    // The problem before goes first: two at a time may not fit into memory.
    problem_.reset();
    snapshot_ = Snapshot();
    on_other_pages_.clear();
    reference_.clear();
    has_reference_ = false;
    warmed_.clear();
    wishes_ = SizeWishes();
    if (request.n >= 0) wishes_.n = request.n;
    wishes_.named = request.sizes;
    for (const auto& [name, value] : request.sizes)
      if (value < 0 || value > INT32_MAX) throw UserError("size " + name + " is not between 0 and 2147483647");
    GivenValues::Texts texts = session_.options.given;
    texts.insert(texts.end(), request.given.begin(), request.given.end());
    const GivenValues given(session_.transform, texts);
    given.add_to(wishes_);
    seed_ = request.seed;
    input_names_.assign(static_cast<std::size_t>(session_.transform.num_inputs), "the generated inputs");
    problem_ = request.files.empty()
                   ? session_.engine.generate(session_.transform, wishes_, seed_, session_.engine.default_config())
                   : read_files(request, given);
    if (request.files.empty()) given.put_into(*problem_);
    snapshot_ = Engine::take_snapshot(*problem_);
    reply.n = problem_->largest_size();
  }

  Problem read_files(const Request& request, const GivenValues& given) {
    const TransformDesc& transform = session_.transform;
    int num_files = 0;
    for (int i = 0; i < transform.num_inputs; ++i) num_files += given.has_input(i) ? 0 : 1;
    if (request.files.size() != static_cast<std::size_t>(num_files))
      throw UserError("expected " + std::to_string(num_files) + " input files, found " +
                      std::to_string(request.files.size()));
    check_size_names(wishes_, {&transform});
    Problem problem;
    problem.transform = &transform;
    MatrixReader reader;
    auto file = request.files.begin();
    for (int i = 0; i < transform.num_inputs; ++i) {
      input_names_[static_cast<std::size_t>(i)] = given.has_input(i) ? "--set" : *file;
      problem.inputs.push_back(given.has_input(i) ? given.input(i)
                                                  : reader.read(*file++, spec_of(transform.inputs[i])));
    }
    (void)session_.engine.fit_outputs(problem, input_names_, wishes_, seed_, session_.engine.default_config());
    return problem;
  }

  Problem& problem() {
    if (!problem_) throw UserError("there are no inputs yet");
    return *problem_;
  }

  /// Sets `config` and the device from a request's configuration.
  RunWishes wishes_of(const Request& request, ActiveConfig& config) {
    ConfigWarnings warnings;
    const Configuration configuration =
        parse_configuration(request.config, "config", session_.engine.index(), warnings);
    if (!warnings.differences.empty()) throw ConfigError(warnings.differences.front());
    for (const std::string& line : warnings.lines("config")) std::fprintf(stderr, "warning: %s\n", line.c_str());
    if (configuration.openblas_coretype != core_type_) use_core_type(core_type_ = configuration.openblas_coretype);
    config = ActiveConfig(session_.engine.index(), configuration);
    if (config.openblas_threads() != openblas_threads_)
      use_library_threads(openblas_threads_ = config.openblas_threads());
    session_.apply_options(config);
    use_large_pages(config.large_pages());
    RunWishes wishes;
    wishes.config = &config;
    wishes.seed = seed_;
    wishes.is_strict = session_.options.is_strict;
    wishes.is_resident = request.is_resident;
    if (session_.engine.uses_device(configuration)) wishes.device = session_.devices.open(device_index_);
    return wishes;
  }

  /// Moves all matrices to the kind of pages that a configuration wants; run_once() gives them their contents again.
  /// Matrices on the other kind wait for the next change, unless they are large: new memory may take longer than a run.
  void use_large_pages(bool is_wanted) {
    if (is_wanted == large_pages_) return;
    std::vector<AnyMatrix> before = problem().inputs;
    before.insert(before.end(), problem().outputs.begin(), problem().outputs.end());
    large_pages_ = is_wanted;
    Storage::ask_for_large_pages(is_wanted);
    std::swap(before, on_other_pages_);
    const auto is_same = [](const AnyMatrix& a, const AnyMatrix& b) { return a.has_same_shape(b); };
    if (!std::equal(before.begin(), before.end(), on_other_pages_.begin(), on_other_pages_.end(), is_same)) {
      before.clear();
      for (const AnyMatrix& matrix : on_other_pages_)
        before.push_back(AnyMatrix::allocate(matrix.kind(), matrix.num_dims(), matrix.sizes()));
      are_pages_new_ = true;
    }
    const auto num_inputs = static_cast<std::ptrdiff_t>(problem().inputs.size());
    problem().inputs.assign(before.begin(), before.begin() + num_inputs);
    problem().outputs.assign(before.begin() + num_inputs, before.end());
    std::int64_t bytes = 0;
    for (const AnyMatrix& matrix : before) bytes += matrix.bytes();
    if (bytes > kMostParkedBytes) on_other_pages_.clear();
  }

  /// Runs the transform once. Extents that name configuration values follow the configuration in use. `label` is for
  /// traces.
  RunReport run_once(RunWishes wishes, const std::string& label) {
    if (session_.engine.fit_outputs(problem(), input_names_, wishes_, seed_, *wishes.config)) {
      snapshot_.outputs.clear();
      for (const AnyMatrix& output : problem().outputs) snapshot_.outputs.push_back(output.clone());
    }
    wishes.trace_label = label;
    wishes.waits = &waits_;
    session_.engine.restore(problem(), snapshot_, wishes);
    return session_.engine.run(problem(), wishes);
  }

  void make_reference(const Request& request, Reply& reply) {
    ActiveConfig config;
    RunWishes wishes;
    if (request.config.empty()) {
      wishes.config = &session_.engine.default_config();
      wishes.seed = seed_;
    } else {
      wishes = wishes_of(request, config);
    }
    reference_.clear();
    has_reference_ = true;
    const RunReport first = run_once(wishes, "reference");
    std::vector<AnyMatrix> outputs;
    for (const AnyMatrix& output : problem().outputs) outputs.push_back(output.clone());
    reply.times_ns.push_back(static_cast<double>(first.elapsed_ns));
    reply.ran = first.ran;
    if (accuracy().has_target) return;  // results need not agree
    (void)run_once(wishes, "reference, repeated");
    if (!agrees_with(outputs, -1).is_within) {
      reply.message = "two runs of the default with the same seed differ: outputs are not verified";
      return;
    }
    reference_ = std::move(outputs);
  }

  [[nodiscard]] const AccuracyInfo& accuracy() const { return session_.engine.info_of(session_.transform).accuracy; }

  /// How outputs differ from the reference; whether that is too much is for the verifier to say, where there is one.
  [[nodiscard]] Difference agrees_with(const std::vector<AnyMatrix>& reference, double tolerance) {
    Difference found = compare_outputs(problem().outputs, reference, output_names_,
                                       session_.engine.info_of(session_.transform).tolerance, tolerance);
    if (session_.transform.verifier < 0) return found;
    found.is_within = is_accepted(session_.engine, problem(), reference);
    if (!found.is_within)
      found.where = std::string(session_.engine.program().transforms[session_.transform.verifier].name) +
                    " does not accept the outputs";
    return found;
  }

  void measure(const Request& request, Reply& reply) {
    if (request.config.empty()) throw UserError("a run needs a configuration");
    if (request.verify && !has_reference_) throw UserError("there is no reference yet");
    ActiveConfig config;
    const RunWishes wishes = wishes_of(request, config);
    for (int trial = 0; trial < request.trials; ++trial) {
      const std::string label = "request " + std::to_string(request.id) + ", trial " + std::to_string(trial + 1);
      RunReport report = run_once(wishes, label);
      const bool built_kernels = report.launches != 0 && warmed_.insert(request.config).second;
      if (trial == 0 && (built_kernels || are_pages_new_)) {
        // The first run is not timed: kernels were built and specialised in it, and temporaries touched their pages.
        are_pages_new_ = false;
        add_fallbacks(report, reply);
        report = run_once(wishes, label + ", repeated warm");
      }
      reply.times_ns.push_back(static_cast<double>(report.elapsed_ns));
      reply.waited_ns.push_back(static_cast<double>(report.waited_ns));
      if (report.kernel_ns != 0) reply.kernel_ns.push_back(static_cast<double>(report.kernel_ns));
      add_fallbacks(report, reply);
      reply.ran = report.ran;
      reply.below_cutoff = report.below_cutoff;
      reply.bytes_moved = report.bytes_moved;
      if (request.verify && accuracy().has_target) check_accuracy(reply);
      if (request.verify && !reference_.empty()) verify(request, reply);
      if (reply.status != Status::Ok) return;
      const double own_ms = static_cast<double>(report.elapsed_ns - report.waited_ns) * 1e-6;
      if (request.limit_ms > 0 && own_ms > request.limit_ms) return;
    }
  }

  /// Judges the accuracy of a run; the reply carries the least accurate trial.
  void check_accuracy(Reply& reply) {
    constexpr double kMost = 1e308;  // what the protocol can carry
    const double measured = accuracy_of(session_.engine, problem());
    const double worst = accuracy().higher_is_better ? -kMost : kMost;
    const double found = std::isnan(measured) ? worst : std::clamp(measured, -kMost, kMost);
    const bool is_worse = accuracy().higher_is_better ? found < reply.accuracy : found > reply.accuracy;
    if (!reply.has_accuracy || is_worse) reply.accuracy = found;
    reply.has_accuracy = true;
    if (!accuracy().is_met_by(found)) fail(reply, Status::AccuracyMissed, "");
  }

  void verify(const Request& request, Reply& reply) {
    const Difference found = agrees_with(reference_, request.tolerance);
    reply.max_error_abs = std::max(reply.max_error_abs, found.abs);
    reply.max_error_rel = std::max(reply.max_error_rel, found.rel);
    if (found.is_within) return;
    fail(reply, Status::Wrong, found.where.c_str());
  }

  static void add_fallbacks(const RunReport& report, Reply& reply) {
    for (const protocol::Fallback& fallback : report.fallbacks) {
      bool is_known = false;
      for (protocol::Fallback& known : reply.fallbacks) {
        if (known.site != fallback.site || known.rule != fallback.rule || known.on != fallback.on ||
            known.reason != fallback.reason)
          continue;
        known.count += fallback.count;
        is_known = true;
      }
      if (!is_known) reply.fallbacks.push_back(fallback);
    }
  }

  Session& session_;
  int device_index_ = -1;
  std::vector<std::string> output_names_;
  std::optional<Problem> problem_;
  std::vector<std::string> input_names_;  ///< for messages
  SizeWishes wishes_;
  Snapshot snapshot_;
  std::uint64_t seed_ = 0;
  std::vector<AnyMatrix> reference_;  ///< empty although has_reference_: verification is off
  bool has_reference_ = false;
  std::string core_type_ = "auto";  ///< of OpenBLAS
  int openblas_threads_ = 0;        ///< not set yet
  bool large_pages_ = false;
  bool are_pages_new_ = false;             ///< since then nothing was timed
  std::vector<AnyMatrix> on_other_pages_;  ///< inputs and outputs for configurations that want the other kind
  ProcessorWaits waits_;
  std::set<std::string> warmed_;  ///< configurations whose kernels were built, for the inputs at hand
};

}  // namespace

void run_serve_mode(Session& session, int request_fd, int reply_fd) {
  LineChannel channel(request_fd, reply_fd);
  Server server(session);
  channel.write_line(protocol::to_line(server.hello()));
  while (const std::optional<std::string> line = channel.read_line()) {
    if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
    Reply reply;
    protocol::Request request;
    try {
      request = protocol::parse_request(*line);
      reply = server.answer(request);
    } catch (const ConfigError& error) {
      request = {};
      request.op = protocol::Op::Run;
      reply.id = protocol::id_of(*line);
      reply.status = Status::Error;
      reply.message = error.what();
    }
    // What bodies printed comes before the reply.
    std::fflush(stdout);
    channel.write_line(protocol::to_line(reply));
    if (request.op == protocol::Op::Quit) return;
  }
}

}  // namespace pbrt
