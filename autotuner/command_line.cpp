// SPDX-License-Identifier: MIT
#include "autotuner/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "autotuner/commands.h"
#include "autotuner/measure/interruption.h"
#include "autotuner/migrate/migrate.h"
#include "autotuner/tune/tune.h"
#include "runtime/config/errors.h"
#include "runtime/config/nearest_word.h"

namespace pbtune {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;
/// Accepts whole numbers of a range, and names the range.
template <class Integer>
CLI::Validator whole_number(Integer least, Integer most) {
  const auto fault_of = [least, most](std::string& text) -> std::string {
    Integer value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= least && value <= most) return {};
    return fmt::format("expected a whole number from {} to {}, found `{}`", least, most, text);
  };
  return {fault_of, ""};
}

CLI::Validator existing_file() {
  const auto fault_of = [](std::string& path) -> std::string {
    return std::filesystem::exists(path) ? "" : "there is no file `" + path + "`";
  };
  return {fault_of, ""};
}

CLI::Validator seconds_or_ratio(double least, double most) {
  const auto fault_of = [least, most](std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0' && value >= least && value <= most) return {};
    return fmt::format("expected a number from {} to {}, found `{}`", least, most, text);
  };
  return {fault_of, ""};
}

constexpr double kMinTimeLimit = 0.001;
constexpr double kMaxTimeLimit = 1e7;  // seconds: four months

/// `K=7` -> {"K", 7}; throws CLI::ValidationError.
std::pair<std::string, std::int64_t> parse_size(const std::string& text) {
  const std::size_t equals = text.find('=');
  char* end = nullptr;
  const char* digits = equals == std::string::npos ? "" : text.c_str() + equals + 1;
  const long long value = std::strtoll(digits, &end, 10);
  if (equals == 0 || *digits == '\0' || *end != '\0' || value < 0)
    throw CLI::ValidationError("--size", "expected NAME=NUMBER, found `" + text + "`");
  return {text.substr(0, equals), value};
}

/// `By=0.5` -> {"By", "0.5"}, which the program judges; throws CLI::ValidationError.
void add_given(const std::string& text, ProgramOptions& options) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    throw CLI::ValidationError("--set", "expected NAME=VALUE, found `" + text + "`");
  const std::string name = text.substr(0, equals);
  for (const auto& known : options.given)
    if (known.first == name) throw CLI::ValidationError("--set", name + " is given twice");
  options.given.emplace_back(name, text.substr(equals + 1));
}

/// Adds the options for the size, the device and the seed.
void add_run_options(CLI::App& app, ProgramOptions& options) {
  app.add_option("--n", options.n, "size: sets every size variable that is not fixed")
      ->type_name("N")
      ->check(whole_number(std::int64_t{0}, kMaxSize));
  app.add_option("--device", options.device,
                 "OpenCL device: none, index or part of its name, as ./prog --list-devices shows them")
      ->type_name("WHICH");
  app.add_option("--device-memory", options.device_memory, "the most memory that the program uses on each device")
      ->type_name("BYTES");
  app.add_option("--device-limit", options.device_limit, "an operation of a device that takes longer hangs")
      ->type_name("SECONDS");
  app.add_option("--seed", options.seed, "seed of everything random")
      ->type_name("S")
      ->capture_default_str()
      ->check(whole_number(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()));
}

/// Adds the options for the problems that are run. They are read in the order in which the command line has them.
void add_case_options(CLI::App& app, ProgramOptions& options) {
  const auto reader = std::make_shared<CaseReader>(options.cases);
  app.add_option_function<std::vector<std::string>>(
         "--size",
         [reader](const std::vector<std::string>& words) {
           for (const std::string& word : words) {
             const auto [name, value] = parse_size(word);
             reader->add_size(name, value);
           }
         },
         "fix a size variable; repeatable. A variable that is given again begins another case")
      ->type_name("NAME=V")
      ->expected(1)
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option_function<std::vector<std::string>>(
         "--inputs", [reader](const std::vector<std::string>& paths) { reader->add_inputs(paths); },
         "use these input files, in header order; given again, they are another case")
      ->type_name("FILE")
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(existing_file());
}

/// Adds the options of add_run_options, and the others that say how the program is run and judged.
void add_measure_options(CLI::App& app, ProgramOptions& options) {
  add_run_options(app, options);
  add_case_options(app, options);
  app.add_option_function<std::vector<std::string>>(
         "--set",
         [&options](const std::vector<std::string>& words) {
           for (const std::string& word : words) add_given(word, options);
         },
         "give a value to a param, or to an input that is one number; repeatable")
      ->type_name("NAME=V")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--tolerance", options.tolerance, "relative difference up to which outputs agree")
      ->type_name("RATIO")
      ->check(seconds_or_ratio(0, 1e300));
}

/// Only tuning serves several cases.
void check_is_one_case(const ProgramOptions& options) {
  if (options.cases.size() == 1) return;
  std::string found;
  for (const std::string& name : case_names(options.cases)) found += (found.empty() ? "`" : ", `") + name + "`";
  throw CLI::ValidationError(fmt::format("expected one case, found {}: {}", options.cases.size(), found));
}

struct CommandLine {
  TuneOptions tune;
  LookOptions look;
  OutputCheckOptions outputs;
  SampleOptions sample;
  CompareOptions compare;
  MigrateOptions migrate;
  bool is_checking_outputs = false;
  std::string diff_program, diff_first, diff_second;
  int status = 0;
};

Effort parse_effort(const std::string& word) {
  static const std::map<std::string, Effort> kEfforts{
      {"quick", Effort::Quick}, {"normal", Effort::Normal}, {"full", Effort::Full}};
  const auto found = kEfforts.find(word);
  if (found == kEfforts.end())
    throw CLI::ValidationError("--effort", "expected quick, normal or full, found `" + word + "`");
  return found->second;
}

void add_tune(CLI::App& app, CommandLine& line) {
  app.add_option("program", line.tune.run.program, "the compiled program; PROGRAM.info is read beside it")
      ->type_name("");
  add_measure_options(app, line.tune.run);
  app.add_option("-o,--output", line.tune.output, "configuration to write (default: PROGRAM.cfg)")->type_name("FILE");
  app.add_option_function<std::string>(
         "--effort", [&line](const std::string& word) { line.tune.effort = parse_effort(word); },
         "quick (at most a minute), normal (5 minutes), full (an hour)")
      ->type_name("quick|normal|full")
      ->default_str("normal");
  app.add_option("--time-limit", line.tune.time_limit_s, "seconds, instead of the effort's own")
      ->type_name("SEC")
      ->check(seconds_or_ratio(kMinTimeLimit, kMaxTimeLimit));
  app.add_option("--threads", line.tune.threads, "use so many CPU threads (default: tuned)")
      ->type_name("N")
      ->check(whole_number(1, 512));
  app.add_flag("--resident", line.tune.is_resident, "time with inputs on the device and outputs left there");
  app.add_flag("--quiet", line.tune.is_quiet, "print errors and warnings only");
}

void add_look(CLI::App& command, LookOptions& options) {
  command.add_option("program", options.run.program, "the compiled program")->type_name("")->required();
  command.add_option("--config", options.config, "configuration to look at (default: PROGRAM.cfg)")->type_name("FILE");
}

void add_sample(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "sample", "print random valid configurations, one per line; a line in a file is good for --config");
  command->add_option("program", line.sample.run.program, "the compiled program")->type_name("")->required();
  add_run_options(*command, line.sample.run);
  command->add_option("--count", line.sample.num_configurations, "how many")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(1, 100000));
  command->add_option("--max-n", line.sample.max_n, "cut-offs are drawn up to this size if --n is not given")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(std::int64_t{0}, kMaxSize));
  command->add_option("--threads", line.sample.max_threads, "most threads")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(1, 512));
  command->callback([&line] {
    if (line.sample.run.n >= 0) line.sample.max_n = line.sample.run.n;
    line.status = sample(line.sample);
  });
  command->footer("Example: pbtune sample ./prog --seed 7 > random.cfg");
}

void add_compare(CLI::App& app, CommandLine& line) {
  CLI::App* command =
      app.add_subcommand("compare", "which of two configurations is faster, measured in turns in one process");
  command->add_option("program", line.compare.run.program, "the compiled program")->type_name("")->required();
  command->add_option("first", line.compare.first, "a configuration; none: the program's default")
      ->type_name("")
      ->required();
  command->add_option("second", line.compare.second, "another one (default: none)")->type_name("");
  add_measure_options(*command, line.compare.run);
  command->add_option("--rounds", line.compare.num_rounds, "times that each is measured, at most")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(1, 1000));
  command->add_option("--time-limit", line.compare.time_limit_s, "no further round after so many seconds")
      ->type_name("SEC")
      ->capture_default_str()
      ->check(seconds_or_ratio(kMinTimeLimit, kMaxTimeLimit));
  command->add_flag("--resident", line.compare.is_resident, "time with inputs on the device and outputs left there");
  command->footer("Example: pbtune compare ./prog prog.cfg none --n 1000");
  command->callback([&line] {
    check_is_one_case(line.compare.run);
    if (line.compare.run.n < 0 && line.compare.run.cases[0].inputs.empty())
      throw CLI::ValidationError("expected the size to measure at (--n N), or --inputs FILES");
    line.status = compare_command(line.compare);
  });
}

void add_migrate(CLI::App& app, CommandLine& line) {
  MigrateOptions& options = line.migrate;
  CLI::App* command =
      app.add_subcommand("migrate", "carry the configuration of an older version of the program over to this one");
  command->add_option("program", options.program, "the compiled program")->type_name("")->required();
  command->add_option("--config", options.config, "configuration to carry over (default: PROGRAM.cfg)")
      ->type_name("FILE");
  command
      ->add_option("-o,--output", options.output,
                   "where to write it (default: to its own place; what was there is kept as FILE.old)")
      ->type_name("FILE");
  command
      ->add_option(
          "--rename", options.renames,
          "what is called otherwise now: OLD=NEW for a transform, TRANSFORM.OLD=NEW for a rule or a value; repeatable")
      ->type_name("OLD=NEW")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag_callback(
      "--no-guess", [&options] { options.may_guess = false; }, "equal names alone: do not guess what was renamed");
  command->add_flag("--dry-run", options.is_dry, "say what would happen, write nothing");
  command->footer("Example: pbtune migrate ./prog --rename Sort.Halves=Merge");
  command->callback([&line] { line.status = migrate_command(line.migrate); });
}

void add_subcommands(CLI::App& app, CommandLine& line) {
  CLI::App* report_app =
      app.add_subcommand("report", "how the entries of a configuration came to be and what they gain");
  add_look(*report_app, line.look);
  report_app
      ->add_option("--html", line.look.html,
                   "write a page with plots instead: what was chosen for which sizes, and how the search went")
      ->type_name("FILE");
  report_app->footer("Example: pbtune report ./prog --html report.html");
  report_app->callback([&line] { line.status = report(line.look); });

  CLI::App* explain_app =
      app.add_subcommand("explain", "which choices a configuration makes on this machine, in words");
  add_look(*explain_app, line.look);
  explain_app->add_option("--n", line.look.run.n, "size (default: the one it was tuned for)")
      ->type_name("N")
      ->check(whole_number(std::int64_t{0}, kMaxSize));
  explain_app->footer("Example: pbtune explain ./prog");
  explain_app->callback([&line] { line.status = explain_command(line.look); });

  CLI::App* check_app =
      app.add_subcommand("check", "is a configuration valid; with --outputs: do all choices give the same outputs");
  add_look(*check_app, line.look);
  check_app->add_flag("--outputs", line.is_checking_outputs,
                      "run random configurations and compare their outputs with the default's");
  add_measure_options(*check_app, line.outputs.run);
  check_app->add_option("--count", line.outputs.num_configurations, "random configurations per size")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(1, 100000));
  check_app->add_option("--max-n", line.outputs.max_n, "largest size tried if --n is not given")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(std::int64_t{0}, kMaxSize));
  check_app->footer("Example: pbtune check ./prog --outputs --n 100");
  check_app->callback([&line] {
    check_is_one_case(line.outputs.run);
    line.outputs.run.program = line.look.run.program;
    line.status = line.is_checking_outputs ? check_outputs(line.outputs) : check(line.look);
  });

  add_sample(app, line);
  add_migrate(app, line);
  add_compare(app, line);

  CLI::App* diff_app = app.add_subcommand("diff", "what differs between two configurations of a program");
  diff_app->add_option("program", line.diff_program, "the compiled program")->type_name("")->required();
  diff_app->add_option("first", line.diff_first, "a configuration; none: the program's default")
      ->type_name("")
      ->required();
  diff_app->add_option("second", line.diff_second, "another one")->type_name("")->required();
  diff_app->footer("Example: pbtune diff ./prog prog.cfg none");
  diff_app->callback([&line] { line.status = diff(line.diff_program, line.diff_first, line.diff_second); });
}

/// Says what is wrong with a command line that has no command; empty if nothing is.
std::string fault_of(const TuneOptions& tune, const CLI::App& app) {
  const std::string& program = tune.run.program;
  if (program.empty()) return "expected the compiled program";
  const bool is_path = program.find('/') != std::string::npos;
  if (!is_path && !std::filesystem::exists(program)) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    const std::string nearest = pbrt::nearest_word(program, names);
    return "`" + program + "` is neither a file nor a command" +
           (nearest.empty() ? "" : "; did you mean `" + nearest + "`?");
  }
  return fault_of_cases(tune.run.cases, tune.run.n >= 0);
}

/// The first word that looks like an option but is no option of the command.
std::string unknown_option_text(const CLI::App& command, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::size_t begin = std::min(word.find_first_not_of('-'), word.size());
    const std::string name = word.substr(begin, word.find('=') - begin);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string nearest = pbrt::nearest_word(name, names);
    return "unknown option `" + word.substr(0, word.find('=')) + "`" +
           (nearest.empty() ? "" : "; did you mean `--" + nearest + "`?");
  }
  return {};
}

/// The message about a wrong command line, on one line. It has words of its own where those of the library say little.
std::string failure_text(const CLI::App& app, const CLI::Error& error, const CommandLine& line,
                         const std::vector<std::string>& words) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands[0];
  const auto is = [&](CLI::ExitCodes code) { return error.get_exit_code() == static_cast<int>(code); };
  std::string fault;
  if (is(CLI::ExitCodes::ExtrasError)) {
    fault = unknown_option_text(command, words);
    if (fault.empty() && commands.empty()) fault = fault_of(line.tune, app);
  }
  const std::string text = error.what();
  if (is(CLI::ExitCodes::ArgumentMismatch)) {
    const std::size_t flag_end = text.find(" was given a disallowed flag override");
    fault = flag_end != std::string::npos ? "--" + text.substr(0, flag_end) + " takes no value"
                                          : text.substr(0, text.find(':')) + " needs a value";
  }
  if (is(CLI::ExitCodes::RequiredError)) fault = "`" + text.substr(0, text.find(' ')) + "` is missing";
  const std::string name = commands.empty() ? "" : " " + command.get_name();
  return "pbtune" + name + ": " + (fault.empty() ? text : fault) + "\n`pbtune" + name + " --help` says more\n";
}

int parse_and_run(int argc, char** argv, const Clock& clock) {
  CLI::App app{"Finds the fastest choices of a Polybricks program on this machine and writes them to a configuration."};
  app.name("pbtune");
  app.set_version_flag("--version", kTunerVersion);
  app.require_subcommand(0, 1);
  app.footer("Example: pbtune ./prog --n 1000 --effort quick");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->disable_flag_override();
  CommandLine line;
  add_tune(app, line);
  add_subcommands(app, line);
  const std::vector<std::string> words(argv + 1, argv + argc);
  app.failure_message([&](const CLI::App*, const CLI::Error& error) { return failure_text(app, error, line, words); });
  try {
    // People who know other tuners try `pbtune tune ./prog`.
    const bool says_tune = argc > 2 && words[0] == "tune" && !std::filesystem::is_regular_file(words[0]);
    app.parse(argc - (says_tune ? 1 : 0), argv + (says_tune ? 1 : 0));
    if (!app.get_subcommands().empty()) return line.status;
    if (const std::string fault = fault_of(line.tune, app); !fault.empty()) throw CLI::ValidationError(fault);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  return tune(line.tune, clock);
}

}  // namespace

int run_command(int argc, char** argv, const Clock& clock) {
  try {
    const int status = parse_and_run(argc, argv, clock);
    const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!is_written) std::fputs("pbtune: cannot write to standard output\n", stderr);
    return is_written ? status : 1;
  } catch (const Interrupted&) {
    std::fputs("pbtune: interrupted\n", stderr);
    return kExitInterrupted;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pbtune: %s\n", error.what());
    return 1;
  }
}

}  // namespace pbtune
