// SPDX-License-Identifier: MIT
#include "runtime/main/modes/run_trials.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "runtime/main/engine/judge.h"
#include "runtime/main/modes/run_watch.h"
#include "runtime/main/report/stats.h"
#include "runtime/matrix/storage.h"

namespace pbrt {

namespace {

StatsInput stats_input(const Session& session, const Problem& problem, const Trials& trials) {
  StatsInput input;
  input.program = session.engine.program().name;
  input.transform = session.transform.name;
  input.n = problem.largest_size();
  input.seed = session.seed;
  input.threads = session.config.threads();
  for (const gpu::Manager* each : session.used_devices.managers())
    input.device += (input.device.empty() ? "" : ", ") + each->info().name;
  input.seconds = trials.seconds;
  input.last = trials.last;
  input.accuracies = trials.accuracies;
  input.accuracy = session.engine.info_of(session.transform).accuracy;
  return input;
}

void print_stats(const Options& options, const StatsInput& input) {
  std::string text;
  switch (options.stats) {
    case StatsFormat::None:
      break;
    case StatsFormat::Text:
      text = stats_text(input, true);
      break;
    case StatsFormat::Json:
      text = stats_json(input);
      break;
    case StatsFormat::Xml:
      text = stats_xml(input);
      break;
  }
  const bool is_for_people = options.stats == StatsFormat::None || options.stats == StatsFormat::Text;
  if (options.stats == StatsFormat::None && options.wants_time) text = stats_text(input, false);
  if (is_for_people && options.wants_accuracy && !input.accuracies.empty()) text += accuracy_text(input);
  if (is_for_people && input.has_hash) text += "hash of the outputs: " + hash_text(input) + "\n";
  // Whether a matrix goes to standard output. If so, nothing else is written there.
  bool is_stdout_used = false;
  for (const std::string& word : options.words) is_stdout_used = is_stdout_used || word == "-";
  std::FILE* stream = is_stdout_used ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

/// Ends the process after --max-sec. The run counts as infinitely slow (docs/reference/language.md 11.5), or as aborted
/// if it works on files.
[[noreturn]] void give_up(const Session& session, const Problem& problem) {
  const Options& options = session.options;
  std::fprintf(stderr, "%s: the run was ended after --max-sec %g\n", session.program_name, options.max_sec);
  session.trace_output.write_anyway();
  if (!options.n && options.iogen_run.empty()) _exit(kExitAborted);
  Trials trials;
  trials.seconds = {std::numeric_limits<double>::max()};
  print_stats(options, stats_input(session, problem, trials));
  std::fflush(nullptr);
  _exit(0);
}

/// Whether a run may have to be repeated, after the loss of a device, from contents that it has changed.
bool may_be_repeated(const Session& session) {
  const TransformDesc& transform = session.transform;
  return !session.used_devices.is_empty() &&
         std::any_of(transform.outputs, transform.outputs + transform.num_outputs,
                     [](const MatrixDesc& output) { return output.is_read_initially; });
}

}  // namespace

void print_results(const Session& session, const Problem& problem, const Trials& trials) {
  const Options& options = session.options;
  StatsInput input = stats_input(session, problem, trials);
  input.has_hash = options.wants_hash;
  if (options.wants_hash) {
    input.hash[0] = 1;
    input.hash[1] = 2;
    for (const AnyMatrix& output : problem.outputs)
      for (std::uint64_t& word : input.hash) word = detail::hash_view(output.raw(), word);
  }
  print_stats(options, input);
}

Trials run_trials(const Session& session, const Problem& problem, bool is_measurement) {
  RunWishes wishes = session.wishes();
  Snapshot snapshot;
  const bool has_snapshot = is_measurement || may_be_repeated(session);
  if (has_snapshot) snapshot = is_measurement ? Engine::take_snapshot(problem) : Engine::take_outputs(problem);
  const auto run_once = [&](const std::string& label) {
    wishes.trace_label = label;
    if (is_measurement) session.engine.restore(problem, snapshot, wishes);
    const RunWatch watch(session.options.max_sec, [&] { give_up(session, problem); });
    RunReport report = session.engine.run_or_recover(problem, wishes, has_snapshot ? &snapshot : nullptr);
    if (!session.options.wants_accuracy) wishes.put_back = PutBack::OutputsRead;
    return report;
  };
  Trials trials;
  for (int trial = 0; trial < session.options.trials; ++trial) {
    const std::string label = "trial " + std::to_string(trial + 1);
    trials.last = run_once(label);
    if (is_measurement && trial == 0 && trials.last.launches != 0) trials.last = run_once(label + ", repeated warm");
    trials.seconds.push_back(trials.last.seconds());
    if (session.options.wants_accuracy) trials.accuracies.push_back(accuracy_of(session.engine, problem));
    if (session.options.max_sec > 0 && trials.last.seconds() > session.options.max_sec) break;
  }
  return trials;
}

}  // namespace pbrt
