// SPDX-License-Identifier: MIT
#include "autotuner/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "autotuner/measure/interruption.h"
#include "autotuner/measure/journal.h"
#include "autotuner/report/configuration_words.h"
#include "autotuner/report/progress.h"
#include "autotuner/space/tuning_targets.h"
#include "runtime/config/config_file.h"
#include "runtime/config/errors.h"

namespace pbtune {
namespace {

constexpr std::int64_t kSizeIfUnknown = 1024;
constexpr const char* kBefore = "the configuration of before";
constexpr const char* kNotFinished = ", not finished";

std::string count_text(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 ? text : "";
}

/// Options for a measurement with this budget: a reference that takes longer than a share of the time is computed by
/// the best configuration so far instead.
MeasureOptions patient(MeasureOptions options, double budget_s) {
  constexpr double kShare = 0.3, kLeastS = 5, kGraceShare = 0.2;
  options.patience_s = std::max(std::min(kLeastS, budget_s), kShare * budget_s);
  options.grace_s = std::min(options.grace_s, kGraceShare * budget_s);
  return options;
}

/// One run of the command, its parts in the order in which they are made.
class Session {
 public:
  Session(const TuneOptions& options, Clock clock)
      : options_(options),
        clock_(std::move(clock)),
        output_(options.output.empty() ? options.run.program + ".cfg" : options.output),
        info_(info_of(options.run.program)),
        index_(info_),
        targets_(targets_of(info_)),
        progress_(options.is_quiet, std::chrono::steady_clock::now()),
        search_options_(search_options(options.effort, options.time_limit_s, options.run.seed)) {
    search_options_.has_pure_starts = !is_recursive(info_);
  }

  int run();

 private:
  void read_existing();
  void describe_machine();
  void choose_sizes();
  void find_known();
  [[nodiscard]] Space make_space() const;
  void open_journal();
  [[nodiscard]] SearchEvents events();
  [[nodiscard]] Evaluator live_evaluator();
  void note_load();
  void note_trouble();
  Measurement& measurement(std::size_t target, int variant = 0);
  [[nodiscard]] std::vector<NamedConfiguration> starting_points() const;
  [[nodiscard]] Outcome confirm(const Configuration& configuration, const RunSpec& spec);
  [[nodiscard]] Outcome run_variant(std::size_t target, int variant, const Configuration& configuration,
                                    const RunSpec& spec);
  void add_result(const SearchResult& result);
  void save(const SearchResult& result);
  void report(const SearchResult& result);
  [[nodiscard]] bool has_bins() const { return targets_[0].accuracy.has_target; }
  /// Whether the target is the main transform, tuned after the instances for bins that it calls.
  [[nodiscard]] bool is_main_of_bins(std::size_t target) const {
    return has_bins() && !targets_[target].accuracy.has_target;
  }
  /// Whether the target is an instance for a bin that the main transform calls.
  [[nodiscard]] bool is_called_by_main(std::size_t target) const {
    return targets_[target].accuracy.has_target && !targets_.back().accuracy.has_target;
  }
  [[nodiscard]] const pbrt::TransformInfo& transform_info(const std::string& name) const;
  [[nodiscard]] std::string accuracy_words(const SearchResult& result) const;
  [[nodiscard]] bool has_finished_entry() const;
  [[nodiscard]] int stop_early(const Search& search, const std::string& why, int status);
  [[nodiscard]] std::vector<std::string> arguments() const;
  [[nodiscard]] std::string how() const;

  TuneOptions options_;
  Clock clock_;
  std::string output_;
  pbrt::TrainingInfo info_;
  InfoIndex index_;
  std::vector<Target> targets_;
  std::size_t current_ = 0;            // the target being tuned
  std::vector<SearchResult> results_;  // of the targets before it
  Progress progress_;
  SearchOptions search_options_;
  /// The measurements by target and variant of its inputs: variant 0 is what the target is tuned on, the others say
  /// whether it is accurate elsewhere.
  std::map<std::pair<std::size_t, int>, std::unique_ptr<Measurement>> measurements_;
  std::map<std::pair<std::size_t, int>, std::int64_t> variant_n_;  // the size of their inputs
  std::int64_t n_ = -1;
  pbrt::ConfigFile file_;
  pbrt::Machine machine_;
  std::string device_;  // name of the OpenCL device in use; empty: none
  bool has_device_ = false;
  std::optional<Journal> journal_;
  std::vector<NamedConfiguration> known_;
  std::string last_warning_;
  int num_wrong_but_fast_ = 0;
  bool is_unsaved_ = false;
  bool is_load_known_ = false, is_trouble_known_ = false;
};

/// Reads an existing file, which is kept with its entries for other machines; its entry for this one is a starting
/// point.
void Session::read_existing() {
  file_.program = info_.program;
  if (std::filesystem::exists(output_)) {
    file_ = pbrt::read_config_file(output_, index_);
    for (const std::string& line : file_.warnings.lines(output_)) progress_.say("warning: " + line, true);
  }
  file_.source = info_.source;
}

void Session::describe_machine() {
  const pbrt::protocol::Hello& hello = measurement(0).start();
  machine_ = pbrt::detect_machine(hello.devices);
  device_ = hello.device;
  has_device_ = !hello.device.empty() || (options_.run.device.empty() && !hello.devices.empty());
  std::string line = fmt::format("{}: tuning for {}", info_.program, describe(machine_));
  if (!has_device_) line += ", no OpenCL device in use";
  progress_.say(line);
}

const pbrt::TransformInfo& Session::transform_info(const std::string& name) const {
  return *std::find_if(info_.transforms.begin(), info_.transforms.end(),
                       [&](const pbrt::TransformInfo& transform) { return transform.name == name; });
}

/// The measurement of the program for this target; the program is started when it is needed.
Measurement& Session::measurement(std::size_t target, int variant) {
  std::unique_ptr<Measurement>& slot = measurements_[{target, variant}];
  if (slot != nullptr) return *slot;
  MeasureOptions how = patient(measure_options(options_.run, options_.is_resident), search_options_.budget_s);
  if (has_bins()) how.command.insert(how.command.end(), {"--transform", targets_[target].transform});
  if (is_called_by_main(target)) {
    // The user's files, sizes and numbers are those of the main transform.
    how.files.clear();
    const std::vector<std::string>& known = transform_info(targets_[target].transform).sizes;
    std::erase_if(how.sizes,
                  [&](const auto& size) { return std::find(known.begin(), known.end(), size.first) == known.end(); });
    const std::vector<std::string>& numbers = transform_info(targets_[target].transform).numbers;
    std::erase_if(how.given, [&](const auto& given) {
      return std::find(numbers.begin(), numbers.end(), given.first) == numbers.end();
    });
  }
  // The results of the main transform depend on what the instances for bins were tuned to.
  if (is_main_of_bins(target)) how.reference = results_.back().best;
  how.seed += static_cast<std::uint64_t>(variant);
  slot = std::make_unique<Measurement>(index_, how, [this] {
    progress_.tick();
    throw_if_interrupted();
  });
  return *slot;
}

void Session::choose_sizes() {
  if (options_.run.inputs.empty()) {
    search_options_.sizes =
        growing_sizes(options_.run.n, options_.effort == Effort::Quick ? 4 : 2, is_recursive(info_));
  } else {
    Measurement main(index_, measure_options(options_.run, options_.is_resident), [this] {
      progress_.tick();
      throw_if_interrupted();
    });
    const std::int64_t n = main.size_of_inputs();
    search_options_.sizes = {n >= 0 ? n : kSizeIfUnknown};
  }
}

Space Session::make_space() const {
  SpaceOptions space;
  space.has_device = has_device_;
  space.is_recursive = is_recursive(info_);
  space.has_large_pages = pbrt::has_large_pages_on_request();
  space.max_threads = machine_.cpus;
  space.fixed_threads = options_.threads;
  space.target_n = search_options_.sizes.back();
  space.transforms = transforms_tuned_with(targets_, current_);
  if (targets_[0].reached.empty()) space.transforms.clear();
  space.measured = targets_[current_].transform;
  space.accuracy = targets_[current_].accuracy;
  if (current_ > 0) {
    space.has_globals = is_main_of_bins(current_);
    space.base = results_.back().best;
  }
  return {index_, space};
}

void Session::find_known() {
  const pbrt::ChosenEntry chosen = pbrt::choose_entry(file_, machine_);
  if (chosen.entry == nullptr) return;
  Configuration before = chosen.entry->configuration;
  make_space().fit(before);
  const bool is_ours = chosen.note.empty();
  known_.push_back({is_ours ? kBefore : "the configuration of another machine", std::move(before), is_ours});
}

/// The configurations that a search starts from: what is known from before; from the second target on, what the one
/// before was tuned to.
std::vector<NamedConfiguration> Session::starting_points() const {
  if (current_ == 0) return known_;
  const std::string& before = targets_[current_ - 1].transform;
  NamedConfiguration copied{"the values of " + before, results_.back().best};
  copy_values(index_, before, targets_[current_].transform, copied.configuration);
  return {copied};
}

std::vector<std::string> Session::arguments() const {
  std::vector<std::string> out{
      std::string("--effort=") + to_string(options_.effort), fmt::format("--n={}", options_.run.n),
      fmt::format("--threads={}", options_.threads),         fmt::format("--time-limit={}", options_.time_limit_s),
      fmt::format("--tolerance={}", options_.run.tolerance), "--device=" + options_.run.device};
  for (const auto& [name, size] : options_.run.sizes) out.push_back(fmt::format("--size={}={}", name, size));
  for (const auto& [name, value] : options_.run.given) out.push_back("--set=" + name + "=" + value);
  for (const std::string& path : options_.run.inputs) out.push_back("--inputs=" + absolute(path));
  if (options_.is_resident) out.emplace_back("--resident");
  return out;
}

std::string Session::how() const {
  std::string out;
  if (options_.run.n >= 0) out += fmt::format("--n {} ", options_.run.n);
  for (const auto& [name, size] : options_.run.sizes) out += fmt::format("--size {}={} ", name, size);
  for (const auto& [name, value] : options_.run.given) out += "--set " + name + "=" + value + " ";
  if (!options_.run.inputs.empty()) out += "--inputs ";
  for (const std::string& path : options_.run.inputs) out += path + " ";
  if (options_.threads > 0) out += fmt::format("--threads {} ", options_.threads);
  if (!options_.run.device.empty()) out += "--device " + options_.run.device + " ";
  if (options_.is_resident) out += "--resident ";
  if (!out.empty()) out.pop_back();
  return out;
}

void Session::open_journal() {
  JournalHeader header;
  header.tuner = kTunerVersion;
  header.program = info_.program;
  header.source = info_.source;
  header.machine = describe(machine_);
  header.arguments = arguments();
  header.seed = options_.run.seed;
  for (const NamedConfiguration& known : known_) {
    header.known.push_back(pbrt::to_json(index_, known.configuration, -1));
    header.is_known_incumbent = known.is_incumbent;
  }
  journal_.emplace(output_ + ".journal", index_, header);
  if (!journal_->note().empty()) progress_.say("note: " + journal_->note(), true);
  if (journal_->num_replayable() == 0) return;
  progress_.say(fmt::format("resuming: {} measurements are in {}.journal", journal_->num_replayable(), output_), true);
  // The file may have been rewritten by this very search, which must start from what it started from.
  known_.clear();
  for (const std::string& text : journal_->header().known) {
    pbrt::ConfigWarnings warnings;
    known_.push_back({kBefore, pbrt::parse_configuration(text, output_ + ".journal", index_, warnings),
                      journal_->header().is_known_incumbent});
  }
}

Evaluator Session::live_evaluator() {
  Evaluator live;
  live.prepare = [this](std::int64_t n, const Configuration* trusted) {
    n_ = n;
    const Prepared prepared = measurement(current_).prepare(n, trusted);
    // Such a message says, for example, that two runs of the default differ, so that nothing can be verified.
    if (prepared.status == PrepareStatus::Ready && !prepared.message.empty() && prepared.message != last_warning_) {
      last_warning_ = prepared.message;
      progress_.say("warning: " + prepared.message, true);
      journal_->add_note(prepared.message);
    }
    return prepared;
  };
  live.run = [this](const Configuration& configuration, const RunSpec& spec) {
    const Outcome outcome =
        spec.is_confirmation ? confirm(configuration, spec) : measurement(current_).run(configuration, spec);
    note_load();
    note_trouble();
    return outcome;
  };
  live.elapsed_s = [] { return 0.0; };
  return live;
}

/// Says once that other programs keep processors busy.
void Session::note_load() {
  constexpr double kEnoughNs = 0.5e9, kMuch = 0.1;
  const Measurement& program = measurement(current_);
  if (is_load_known_ || program.total_ns() < kEnoughNs || program.waited_ns() < kMuch * program.total_ns()) return;
  is_load_known_ = true;
  const std::string text = fmt::format(
      "other programs keep this machine busy: runs wait {:.0f} % of their time for a processor. That is not counted, "
      "but on a quiet machine the search sees more, and clearer",
      100 * program.waited_ns() / program.total_ns());
  progress_.say("note: " + text);
  journal_->add_note(text);
}

/// Says once that the search cannot be resumed any more.
void Session::note_trouble() {
  if (is_trouble_known_ || journal_->trouble().empty()) return;
  is_trouble_known_ = true;
  progress_.say("warning: " + journal_->trouble() +
                    "; the search goes on, but after an interruption what it finds from now on is lost",
                true);
}

/// Runs the configuration on inputs of another seed, of the same size as those that are tuned on.
Outcome Session::run_variant(std::size_t target, int variant, const Configuration& configuration, const RunSpec& spec) {
  Measurement& program = measurement(target, variant);
  const auto [known, is_new] = variant_n_.emplace(std::pair(target, variant), -1);
  if (known->second != n_) {
    known->second = -1;
    if (program.prepare(n_, nullptr).status == PrepareStatus::Ready) known->second = n_;
  }
  if (known->second == n_) return program.run(configuration, spec);
  Outcome out;  // there are no such inputs: nothing speaks against it
  out.kind = OutcomeKind::Ok;
  return out;
}

/// Asks whether the configuration is accurate elsewhere: on one input it may be luck. It must also stay good enough for
/// the earlier targets, where they use what was changed.
Outcome Session::confirm(const Configuration& configuration, const RunSpec& spec) {
  constexpr double kSlowest = 8, kLeastMs = 200;
  const int num_variants = options_.run.inputs.empty() ? 3 : 0;
  Outcome worst;
  worst.kind = OutcomeKind::Ok;
  for (int variant = 1; variant <= num_variants && worst.kind == OutcomeKind::Ok; ++variant)
    worst = run_variant(current_, variant, configuration, spec);
  for (std::size_t k = 0; k < current_ && worst.kind == OutcomeKind::Ok; ++k) {
    if (!is_different_for(targets_[k], index_, configuration, results_.back().best)) continue;
    RunSpec check{1, kLeastMs + kSlowest * results_[k].best_ns * 1e-6, "check of " + targets_[k].transform};
    // An earlier target may be met so narrowly on the inputs that it was tuned on that others miss it; this is
    // accepted.
    for (int variant = 0; variant <= num_variants; ++variant) {
      const Outcome before = run_variant(k, variant, results_.back().best, check);
      const Outcome after = run_variant(k, variant, configuration, check);
      if (before.kind != OutcomeKind::Ok || after.kind == OutcomeKind::Ok) continue;
      worst.kind = OutcomeKind::Error;
      worst.message = targets_[k].transform + " misses its target with it";
    }
  }
  return worst;
}

SearchEvents Session::events() {
  SearchEvents out;
  out.on_state = [this](const SearchState& state) { progress_.set_state(state); };
  out.on_trying = [this](const std::string& what) { progress_.set_trying(what); };
  out.on_note = [this](const std::string& text) {
    progress_.say("note: " + text);
    journal_->add_note(text);
  };
  out.on_failed = [this](const Candidate& candidate, const Outcome& outcome, bool is_wrong_but_fast) {
    if (outcome.kind != OutcomeKind::Wrong && outcome.kind != OutcomeKind::Crashed) return;
    const std::string name = fingerprint(index_, candidate.configuration);
    std::string text = fmt::format("{} ({}) ", name, candidate.origin);
    if (outcome.kind == OutcomeKind::Wrong)
      text += fmt::format("{}gives wrong outputs, relative error {:.2g}: rejected (seed {})",
                          is_wrong_but_fast ? "is fast and " : "", outcome.max_error_rel, options_.run.seed);
    else
      text += "crashes: " + outcome.message;
    if (is_wrong_but_fast) ++num_wrong_but_fast_;
    journal_->add_note(text);
    progress_.say("warning: configuration " + text);
  };
  return out;
}

void Session::save(const SearchResult& result) {
  pbrt::ConfigEntry entry;
  entry.machine = machine_;
  entry.configuration = result.best;
  for (Selector& selector : entry.configuration.sites) simplify(selector);
  pbrt::Provenance& provenance = entry.provenance;
  provenance.when = utc_now();
  provenance.tuner = kTunerVersion;
  provenance.effort =
      result.is_complete ? to_string(options_.effort) : std::string(to_string(options_.effort)) + kNotFinished;
  provenance.seed = options_.run.seed;
  provenance.how = how();
  provenance.device = device_;
  for (const std::int64_t n : search_options_.sizes)
    if (n <= result.n) provenance.sizes.push_back(n);
  std::vector<SearchResult> all = results_;
  if (all.size() == current_ && current_ < targets_.size()) all.push_back(result);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool is_main = targets_[k].transform == info_.main;
    const std::string prefix = is_main ? "" : targets_[k].transform + ": ";
    if (all[k].default_ns > 0) provenance.times_ns.emplace_back(prefix + "default", all[k].default_ns);
    provenance.times_ns.emplace_back(prefix + "tuned", all[k].best_ns);
    const pbrt::AccuracyInfo& accuracy = targets_[k].accuracy;
    if (accuracy.has_target)
      provenance.accuracies.emplace_back(targets_[k].transform,
                                         accuracy.higher_is_better ? all[k].accuracy : -all[k].accuracy);
    for (const auto& loss : all[k].losses) provenance.losses.push_back(loss);
    for (const RanChoice& ran : all[k].ran) {
      const std::string name = index_.site_name(ran.site);
      if (std::find(provenance.ran.begin(), provenance.ran.end(), name) == provenance.ran.end())
        provenance.ran.push_back(name);
    }
  }
  const Configuration chosen = entry.configuration;
  pbrt::put_entry(file_, std::move(entry));
  try {
    pbrt::save_config_file(output_, index_, file_);
  } catch (const pbrt::IoError& error) {
    is_unsaved_ = true;
    progress_.say(fmt::format("error: {}; what was found follows, for a file that --config names", error.what()), true);
    fmt::print("{}\n", pbrt::to_short_file(index_, chosen));
  }
}

void Session::report(const SearchResult& result) {
  progress_.finish();
  if (options_.is_quiet) return;
  std::vector<std::string> ran;
  for (const RanChoice& choice : result.ran) ran.push_back(index_.site_name(choice.site));
  std::string text = (has_bins() ? targets_[current_].transform + " " : "") + fmt::format("at size {}", result.n);
  for (const auto& [name, size] : options_.run.sizes) text += fmt::format(", {} = {}", name, size);
  for (const auto& [name, value] : options_.run.given) text += ", " + name + " = " + value;
  text += ": " + time_text(result.best_ns);
  if (result.default_ns > 0)
    text +=
        fmt::format(", default {}: {}", time_text(result.default_ns), ratio_text(result.default_ns, result.best_ns));
  fmt::print("{}\n", text + accuracy_words(result));
  if (result.kept == Kept::Default)
    fmt::print("  nothing that was tried is measurably faster than the default, so its choices are kept\n");
  if (result.kept == Kept::Before)
    fmt::print("  nothing that was tried is measurably faster than the configuration of before, so it is kept\n");
  for (const std::string& line :
       explain(index_, result.best, result.n, device_name(device_), ran, targets_[current_].reached))
    fmt::print("  {}\n", line);
  for (const std::string& line : loss_lines(result.losses)) fmt::print("  {}\n", line);
}

std::string Session::accuracy_words(const SearchResult& result) const {
  const pbrt::AccuracyInfo& accuracy = targets_[current_].accuracy;
  if (!accuracy.has_target) return "";
  return fmt::format(", accuracy {:.6g}, target {:.6g}", accuracy.higher_is_better ? result.accuracy : -result.accuracy,
                     accuracy.target);
}

/// Keeps what was found for a target, and says so if it misses the target.
void Session::add_result(const SearchResult& result) {
  // What bins are tuned to first is worth little without the rest, so only an interruption writes it.
  if (current_ + 1 == targets_.size()) save(result);
  report(result);
  if (!result.meets_accuracy) {
    const std::string text =
        targets_[current_].transform + ": no configuration that was found is accurate enough" + accuracy_words(result);
    journal_->add_note(text);
    progress_.say("warning: " + text, true);
  }
  results_.push_back(result);
}

/// Whether the file has a result for this machine that was compared with the default at its size. What an interrupted
/// search knows was not.
bool Session::has_finished_entry() const {
  const pbrt::ChosenEntry chosen = pbrt::choose_entry(file_, machine_);
  return chosen.entry != nullptr && chosen.note.empty() &&
         chosen.entry->provenance.effort.find(kNotFinished) == std::string::npos;
}

/// Ends the run after an interruption, or where the program is gone: writes what is known, and says what is to be done.
int Session::stop_early(const Search& search, const std::string& why, int status) {
  progress_.finish();
  if (has_finished_entry()) {
    progress_.say(fmt::format("{}: {} keeps the configuration of before", why, output_), true);
  } else if (search.has_result()) {
    save(search.best_so_far());
    if (!is_unsaved_)
      progress_.say(
          fmt::format("{}: the best so far (tuned to size {}) is in {}", why, search.best_so_far().n, output_), true);
  } else if (!results_.empty()) {
    results_.back().is_complete = false;
    --current_;
    save(results_.back());
    if (!is_unsaved_) progress_.say(fmt::format("{}: what was tuned so far is in {}", why, output_), true);
  } else {
    progress_.say(why + ": nothing was measured yet, nothing is written", true);
  }
  progress_.say("run the same command again to go on where it stopped", true);
  return status;
}

int Session::run() {
  read_existing();
  describe_machine();
  choose_sizes();
  find_known();
  open_journal();
  const Evaluator evaluator = journal_->recording(live_evaluator(), clock_);
  const double budget_s = search_options_.budget_s;
  for (; current_ < targets_.size(); ++current_) {
    const Space space = make_space();
    const double elapsed_s = evaluator.elapsed_s();
    search_options_.budget_s =
        elapsed_s + std::max(0.0, budget_s - elapsed_s) / static_cast<double>(targets_.size() - current_);
    Search search(space, search_options_, evaluator, events(), starting_points());
    progress_.say(fmt::format("{}{} and {} to choose, seed {}, at most {:.0f} s",
                              has_bins() ? targets_[current_].transform + ": " : "",
                              count_text(space.sites().size(), "site"), count_text(space.tunables().size(), "value"),
                              options_.run.seed, search_options_.budget_s - elapsed_s));
    try {
      add_result(search.run());
    } catch (const Interrupted&) {
      return stop_early(search, "interrupted", kExitInterrupted);
    } catch (const pbrt::IoError& error) {
      return stop_early(search, error.what(), 1);
    } catch (const pbrt::ConfigError& error) {
      return stop_early(search, error.what(), 1);
    }
  }
  if (is_unsaved_) return 1;  // the same command replays the journal and writes again
  journal_->mark_done(fingerprint(index_, results_.back().best));
  if (options_.is_quiet) return 0;
  if (num_wrong_but_fast_ > 0) fmt::print("{} fast but wrong configurations were rejected\n", num_wrong_but_fast_);
  fmt::print("written to {}\n", output_);
  return 0;
}

}  // namespace

const char* to_string(Effort effort) {
  switch (effort) {
    case Effort::Quick:
      return "quick";
    case Effort::Normal:
      return "normal";
    case Effort::Full:
      return "full";
  }
  return "?";
}

SearchOptions search_options(Effort effort, double time_limit_s, std::uint64_t seed) {
  SearchOptions out;
  out.seed = seed;
  switch (effort) {
    case Effort::Quick:
      out.budget_s = 48;
      break;
    case Effort::Normal:
      out.budget_s = 300;
      out.max_population = 16;
      out.max_failures = 150;
      out.max_trials = 10;
      out.num_finalists = 6;
      out.final_trials = 15;
      break;
    case Effort::Full:
      out.budget_s = 3600;
      out.max_population = 32;
      out.max_failures = 600;
      out.max_trials = 20;
      out.num_finalists = 8;
      out.final_trials = 30;
      break;
  }
  if (time_limit_s > 0) out.budget_s = 0.95 * time_limit_s;
  return out;
}

Clock wall_clock() {
  return [begin = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

int tune(const TuneOptions& options, const Clock& clock) {
  catch_signals();
  return Session(options, clock).run();
}

}  // namespace pbtune
