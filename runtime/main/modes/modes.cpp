// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "runtime/main/engine/judge.h"
#include "runtime/main/machine/native_libraries.h"
#include "runtime/main/modes/run_watch.h"
#include "runtime/main/modes/session.h"
#include "runtime/main/program/run_context.h"
#include "runtime/main/report/stats.h"
#include "runtime/matrix/new_contents.h"
#include "runtime/matrix/storage.h"

namespace pbrt {

void Session::open_configuration() {
  found = find_configuration(options, program_name, engine, devices);
  config = ActiveConfig(engine.index(), found.configuration);
  if (found.configuration.openblas_coretype != "auto") use_core_type(found.configuration.openblas_coretype);
  if (config.openblas_threads() > 1) use_library_threads(config.openblas_threads());
  apply_options(config);
  Storage::ask_for_large_pages(config.large_pages());
  if (options.device || engine.uses_device(found.configuration))
    device = devices.open(devices.choose(options.device, found.device));
}

void Session::apply_options(ActiveConfig& to) const {
  if (options.threads > 0) to.set_threads(options.threads);
  if (options.large_pages) to.set_large_pages(*options.large_pages);
}

RunWishes Session::wishes() const {
  RunWishes wishes;
  wishes.config = &config;
  wishes.device = device;
  wishes.seed = seed;
  wishes.is_strict = options.is_strict;
  wishes.is_resident = options.is_resident;
  return wishes;
}

SizeWishes Session::size_wishes() const {
  SizeWishes wishes{options.n, options.sizes};
  given.add_to(wishes);
  return wishes;
}

std::string usage_line(const char* program_name, const TransformDesc& transform, const GivenValues& given) {
  std::string line = std::string("usage: ") + program_name + " [options]";
  for (int p = 0; p < transform.num_params; ++p)
    if (!given.has_param(p)) line += std::string(" ") + transform.size_vars[transform.params[p]];
  for (int i = 0; i < transform.num_inputs; ++i)
    if (!given.has_input(i)) line += " " + header_of(transform.inputs[i]);
  for (int i = 0; i < transform.num_outputs; ++i) line += " " + header_of(transform.outputs[i]);
  return line;
}

namespace {

StatsInput stats_input(const Session& session, const Problem& problem, const Trials& trials) {
  StatsInput input;
  input.program = session.engine.program().name;
  input.transform = session.transform.name;
  input.n = problem.largest_size();
  input.seed = session.seed;
  input.threads = session.config.threads();
  if (session.device != nullptr) input.device = session.device->info().name;
  input.seconds = trials.seconds;
  input.last = trials.last;
  input.accuracies = trials.accuracies;
  input.accuracy = session.engine.info_of(session.transform).accuracy;
  return input;
}

void print_stats(const Options& options, const StatsInput& input);

/// What a run that --max-sec ended counts as: infinitely slow (docs/reference/language.md 11.5), or aborted where there
/// are files.
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

namespace {

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
  // Whether a matrix goes to standard output: then nothing else does, so that it stays a clean file.
  bool is_stdout_used = false;
  for (const std::string& word : options.words) is_stdout_used = is_stdout_used || word == "-";
  std::FILE* stream = is_stdout_used ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

using Words = std::vector<std::string>::const_iterator;

/// The integers before the files; returns the word behind them.
Words take_params(const Session& session, SizeWishes& wishes) {
  const TransformDesc& transform = session.transform;
  Words word = session.options.words.begin();
  for (int p = 0; p < transform.num_params; ++p) {
    if (session.given.has_param(p)) continue;
    const std::string name = transform.size_vars[transform.params[p]];
    const std::int64_t value = param_value("param " + name, *word++);
    for (const auto& known : wishes.named)
      if (known.first == name) throw UserError("param " + name + " and --size " + name + " are both given");
    wishes.named.emplace_back(name, value);
  }
  return word;
}

/// Inputs from the files that begin at `word`, which moves behind them, and from --set.
void take_inputs(const Session& session, Words& word, std::vector<AnyMatrix>& inputs, std::vector<std::string>& names) {
  const TransformDesc& transform = session.transform;
  MatrixReader reader;
  for (int i = 0; i < transform.num_inputs; ++i) {
    if (session.given.has_input(i)) {
      names.emplace_back("--set");
      inputs.push_back(session.given.input(i));
      continue;
    }
    names.push_back(*word == "-" ? "standard input" : *word);
    inputs.push_back(reader.read(*word++, spec_of(transform.inputs[i])));
  }
}

/// Refuses a command line that has not as many words as the transform has params, inputs and outputs, but for those of
/// --set.
void check_num_words(const Session& session) {
  const TransformDesc& transform = session.transform;
  const auto found = static_cast<int>(session.options.words.size());
  const int expected = transform.num_params + transform.num_inputs + transform.num_outputs - session.given.count();
  if (found == expected) return;
  std::string text = "expected " + std::to_string(expected) + " arguments, found " + std::to_string(found);
  if (found == 0) text += "; on generated inputs it runs with --n N";
  if (found > expected && session.given.count() > 0)
    text += "; what --set gives has no place among them: " + session.given.names();
  throw UserError(text + "\n" + usage_line(session.program_name, transform, session.given));
}

/// Runs --trials times. A measurement starts each run from the same contents, and its first run does not count if it
/// launched kernels: drivers build and specialise them then.
Trials run_trials(const Session& session, const Problem& problem, bool is_measurement) {
  RunWishes wishes = session.wishes();
  Snapshot snapshot;
  if (is_measurement) snapshot = Engine::take_snapshot(problem);
  const auto run_once = [&](const std::string& label) {
    wishes.trace_label = label;
    if (is_measurement) session.engine.restore(problem, snapshot, wishes);
    const RunWatch watch(session.options.max_sec, [&] { give_up(session, problem); });
    return session.engine.run_or_recover(problem, wishes, is_measurement ? &snapshot : nullptr);
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

void zero_fill(const AnyMatrix& matrix) {
  char* data = static_cast<char*>(matrix.data());
  for (std::int64_t i = 0; i < matrix.bytes(); ++i) data[i] = 0;
}

}  // namespace

void run_file_mode(Session& session) {
  const TransformDesc& transform = session.transform;
  const Options& options = session.options;
  check_num_words(session);
  SizeWishes wishes = session.size_wishes();
  check_size_names(wishes, {&transform});
  Words word = take_params(session, wishes);
  session.open_configuration();

  Problem problem;
  problem.transform = &transform;
  std::vector<std::string> input_names;
  take_inputs(session, word, problem.inputs, input_names);
  const std::unique_ptr<RunContext> ctx = session.engine.make_context(session.config);
  problem.sizes = sizes_from_inputs(*ctx, transform, problem.inputs, input_names, wishes);
  problem.outputs = allocate_outputs(*ctx, transform, problem.sizes);
  for (int i = 0; i < transform.num_outputs; ++i)
    if (transform.outputs[i].is_read_initially && !are_new_matrices_nan())
      zero_fill(problem.outputs[static_cast<std::size_t>(i)]);
  MatrixWriter writer({options.precision, options.maxval});
  for (auto output = word; output != options.words.end(); ++output) writer.open(*output);

  const Trials trials = run_trials(session, problem, options.trials > 1);
  for (int i = 0; i < transform.num_outputs; ++i)
    writer.write(static_cast<std::size_t>(i), problem.outputs[static_cast<std::size_t>(i)],
                 header_of(transform.outputs[i]));
  writer.commit();
  print_results(session, problem, trials);
}

namespace {

std::string iogen_name(const std::string& prefix, const char* kind, std::size_t index, std::size_t count) {
  // The numbers in the names count down: the last matrix has 0.
  return prefix + "_" + kind + std::to_string(count - 1 - index) + ".dat";
}

void write_iogen(const Session& session, const Problem& problem) {
  MatrixWriter writer({session.options.precision, session.options.maxval});
  std::size_t next = 0;
  const auto write_all = [&](const std::vector<AnyMatrix>& matrices, const MatrixDesc* descs, const char* kind) {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      writer.open(iogen_name(session.options.iogen_create, kind, i, matrices.size()));
      writer.write(next++, matrices[i], header_of(descs[i]));
    }
  };
  write_all(problem.inputs, session.transform.inputs, "in");
  write_all(problem.outputs, session.transform.outputs, "out");
  writer.commit();
}

Problem read_iogen(const Session& session) {
  const TransformDesc& transform = session.transform;
  const std::string& prefix = session.options.iogen_run;
  Problem problem;
  problem.transform = &transform;
  MatrixReader reader;
  std::vector<std::string> names;
  const auto num_inputs = static_cast<std::size_t>(transform.num_inputs);
  const auto num_outputs = static_cast<std::size_t>(transform.num_outputs);
  for (std::size_t i = 0; i < num_inputs; ++i) {
    names.push_back(iogen_name(prefix, "in", i, num_inputs));
    problem.inputs.push_back(reader.read(names.back(), spec_of(transform.inputs[i])));
  }
  const std::unique_ptr<RunContext> ctx = session.engine.make_context(session.config);
  problem.sizes = sizes_from_inputs(*ctx, transform, problem.inputs, names, session.size_wishes());
  problem.outputs = allocate_outputs(*ctx, transform, problem.sizes);
  for (std::size_t i = 0; i < num_outputs; ++i) {
    const std::string name = iogen_name(prefix, "out", i, num_outputs);
    const AnyMatrix initial = reader.read(name, spec_of(transform.outputs[i]));
    if (!initial.has_same_shape(problem.outputs[i]))
      throw UserError(name + ": does not have the size of `" + header_of(transform.outputs[i]) + "`");
    problem.outputs[i].copy_from(initial);
  }
  return problem;
}

}  // namespace

namespace {

/// Refuses a word where everything is generated: it is mostly the value of a `param`, whose place falls away as well.
[[noreturn]] void refuse_words(const Session& session) {
  const TransformDesc& transform = session.transform;
  const std::vector<std::string>& words = session.options.words;
  const auto is_number = [](const std::string& word) {
    return word.find_first_not_of("+-0123456789") == std::string::npos;
  };
  std::string text = words.front() + " is one argument too many: with --n the inputs are generated";
  const auto num_values = std::min(words.size(), static_cast<std::size_t>(transform.num_params));
  for (std::size_t p = 0; p < num_values && is_number(words[p]); ++p)
    text += (p == 0 ? "; a param has no place then, write --set " : " --set ") +
            std::string(transform.size_vars[transform.params[p]]) + "=" + words[p];
  if (transform.num_params == 0) text += "; without --n it runs on files";
  throw UserError(text);
}

}  // namespace

void run_timing_mode(Session& session) {
  const Options& options = session.options;
  if (!options.words.empty()) refuse_words(session);
  session.open_configuration();
  const Problem problem = options.iogen_run.empty() ? session.engine.generate(session.transform, session.size_wishes(),
                                                                              session.seed, session.config)
                                                    : read_iogen(session);
  session.given.put_into(problem);
  if (!options.iogen_create.empty()) {
    write_iogen(session, problem);
    return;
  }
  const Trials trials = run_trials(session, problem, true);
  print_results(session, problem, trials);
}

}  // namespace pbrt
