// SPDX-License-Identifier: MIT
#include "runtime/main/serve/serve.h"

#include <cstdio>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/protocol.h"
#include "runtime/main/failure/thrown_from.h"
#include "runtime/main/machine/native_libraries.h"
#include "runtime/main/machine/processor_waits.h"
#include "runtime/main/modes/session.h"
#include "runtime/main/program/run_context.h"
#include "runtime/main/serve/line_channel.h"
#include "runtime/main/serve/output_check.h"
#include "runtime/main/serve/served_problem.h"
#include "runtime/matrix/storage.h"

namespace pbrt {

namespace {

using protocol::Reply;
using protocol::Request;
using protocol::Status;

/// Answers requests one after the other. Errors of a request are its reply; the server goes on.
class Server {
 public:
  explicit Server(Session& session)
      : session_(session),
        device_indices_(session.devices.choose(session.options.device)),
        served_(session.engine, session.transform, session.options.given, !session.options.only_builds),
        check_(session.engine, session.transform) {}

  [[nodiscard]] protocol::Hello hello() {
    const TrainingInfo& info = session_.engine.index().info();
    protocol::Hello hello;
    hello.program = info.program;
    hello.source = info.source;
    hello.is_debug = session_.engine.program().is_debug;
    hello.devices = session_.devices.ids();
    // Several devices are called by the name of the first.
    if (!device_indices_.empty()) hello.device = hello.devices[static_cast<std::size_t>(device_indices_.front())].name;
    hello.num_devices = static_cast<int>(device_indices_.size());
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
    check_.forget_reference();
    warmed_.clear();
    served_.make(request);
    reply.n = served_.problem().largest_size();
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
    served_.use_large_pages(config.large_pages());
    RunWishes wishes;
    wishes.config = &config;
    wishes.seed = served_.seed();
    wishes.is_strict = session_.options.is_strict;
    wishes.is_resident = request.is_resident;
    if (session_.engine.uses_device(configuration)) wishes.devices = session_.devices.open(device_indices_);
    return wishes;
  }

  /// Runs the transform once. `label` is for traces.
  RunReport run_once(RunWishes wishes, const std::string& label) {
    wishes.trace_label = label;
    wishes.waits = &waits_;
    served_.restore(wishes);
    return session_.engine.run(served_.problem(), wishes);
  }

  void make_reference(const Request& request, Reply& reply) {
    ActiveConfig config;
    RunWishes wishes;
    if (request.config.empty()) {
      wishes.config = &session_.engine.default_config();
      wishes.seed = served_.seed();
    } else {
      wishes = wishes_of(request, config);
    }
    check_.set_reference({});
    const RunReport first = run_once(wishes, "reference");
    std::vector<AnyMatrix> outputs = clones_of(served_.problem().outputs), others;
    reply.times_ns.push_back(static_cast<double>(first.elapsed_ns));
    reply.ran = first.ran;
    if (check_.is_by_accuracy()) return;
    CheckedCells sums = check_.checked_sums(served_.problem());
    if (sums.has_bad_reference()) {
      const std::string maker = request.config.empty() ? "the default" : "the reference";
      reply.message = "sums of " + maker +
                      " err by more than rounding must: outputs are held to sums in wider numbers, " +
                      "or may err as " + maker + " does";
    }
    // Runs that agree although their folds run in two orders show as well as alike ones that runs repeat.
    const auto other_order = wishes.config->in_other_fold_order(session_.engine.index());
    if (other_order && !sums.are_all()) {
      RunWishes in_other_order = wishes;
      in_other_order.config = &*other_order;
      (void)run_once(in_other_order, "reference, folds in the other order");
      const Difference difference = check_.compare(served_.problem(), outputs, -1);
      if (difference.is_within) return check_.set_reference(std::move(outputs), {}, std::move(sums));
      others = clones_of(served_.problem().outputs);
      if (reply.message.empty())
        reply.message = "the order of sums matters more than the tolerance: outputs of both orders are right";
    }
    (void)run_once(wishes, "reference, repeated");
    if (!check_.compare(served_.problem(), outputs, -1).is_within) {
      reply.message = "two runs of the default with the same seed differ: outputs are not verified";
      return;
    }
    check_.set_reference(std::move(outputs), std::move(others), std::move(sums));
  }

  void measure(const Request& request, Reply& reply) {
    if (request.config.empty()) throw UserError("a run needs a configuration");
    if (request.verify && !session_.options.only_builds && !check_.has_reference())
      throw UserError("there is no reference yet");
    ActiveConfig config;
    RunWishes wishes = wishes_of(request, config);
    if (session_.options.only_builds) {
      (void)run_once(wishes, "kernels are built");
      return;
    }
    const std::int64_t num_large_before = Storage::num_large_blocks();
    for (int trial = 0; trial < request.trials; ++trial) {
      const std::string label = "request " + std::to_string(request.id) + ", trial " + std::to_string(trial + 1);
      RunReport report = run_once(wishes, label);
      if (!request.verify) wishes.put_back = PutBack::OutputsRead;
      const bool built_kernels = report.launches != 0 && warmed_.insert(request.config).second;
      if (trial == 0 && (served_.take_new_pages() || built_kernels)) {
        // The first run is not timed: kernels were built and specialised in it, and temporaries touched their pages.
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
      if (session_.options.is_profiled) reply.device_costs = costs_of(report);
      reply.has_large_matrices = served_.has_large_matrices() || Storage::num_large_blocks() > num_large_before;
      if (request.verify) check_.check(served_.problem(), request.tolerance, reply);
      if (reply.status != Status::Ok) return;
      const double own_ms = static_cast<double>(report.elapsed_ns - report.waited_ns) * 1e-6;
      if (request.limit_ms > 0 && own_ms > request.limit_ms) return;
    }
  }

  /// What the devices of a profiled run did; none if they did nothing.
  static std::optional<DeviceCosts> costs_of(const RunReport& report) {
    if (report.launches == 0 && report.bytes_moved == 0) return std::nullopt;
    DeviceCosts costs;
    for (const DeviceReport& device : report.devices) {
      costs.launches += device.launches;
      costs.bytes_to_device += device.bytes_to_device;
      costs.bytes_to_host += device.bytes_to_host;
      for (const RuleTotals& kernel : device.kernels) costs.kernel_ns += static_cast<double>(kernel.time_ns);
      costs.copy_in_ns += static_cast<double>(device.copy_in_ns);
      costs.copy_out_ns += static_cast<double>(device.copy_out_ns);
      costs.start_ns += static_cast<double>(device.start_ns);
    }
    return costs;
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
  const std::vector<int> device_indices_;
  ServedProblem served_;
  OutputCheck check_;
  std::string core_type_ = "auto";  ///< the core type of OpenBLAS
  int openblas_threads_ = 0;        ///< not set yet
  ProcessorWaits waits_;
  std::set<std::string> warmed_;  ///< configurations whose kernels were built for the current inputs
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
