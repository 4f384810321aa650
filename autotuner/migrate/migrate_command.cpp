// SPDX-License-Identifier: MIT
// `pbtune migrate`: the files and the words around migrate().
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "autotuner/measure/program_options.h"
#include "autotuner/migrate/former_configuration.h"
#include "autotuner/migrate/migrate.h"
#include "autotuner/report/configuration_words.h"
#include "autotuner/report/progress.h"
#include "runtime/config/atomic_file.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/config_file.h"
#include "runtime/config/formats/former_names.h"
#include "runtime/config/formats/json_reader.h"

namespace pbtune {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSizeIfUnknown = 1024;
constexpr const char* kMigrated = ", migrated";

bool is_current(const pbrt::ConfigFile& file, const pbrt::TrainingInfo& info) {
  return file.program == info.program && (file.source.empty() || file.source == info.source) &&
         file.warnings.unknown_names.empty() && file.warnings.bad_values.empty() && file.warnings.wrong_kinds.empty();
}

/// A name beside `path` at which nothing is, or the same bytes.
std::string name_for_old(const std::string& path, const std::string& text) {
  for (int number = 1;; ++number) {
    std::string name = path + ".old" + (number > 1 ? std::to_string(number) : "");
    if (!fs::exists(fs::symlink_status(name)) ||
        (fs::is_regular_file(name) && pbrt::json::read_bounded_file(name) == text))
      return name;
  }
}

/// Moves what is at `path` aside and returns its new name; empty if nothing was there.
std::string set_aside(const std::string& path) {
  if (!fs::is_regular_file(path)) return "";  // nor would something else be replaced
  const std::string text = pbrt::json::read_bounded_file(path);
  std::string old = name_for_old(path, text);
  pbrt::write_file_atomically(old, text);
  return old;
}

void print_lines(const char* head, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("  {:<8} {}\n", head, line);
}

/// The provenance without the times and without the sites that ran, which belong to the old program.
pbrt::Provenance provenance_now(pbrt::Provenance provenance) {
  provenance.times_ns.clear();
  provenance.ran.clear();
  if (!provenance.effort.ends_with(kMigrated)) provenance.effort += kMigrated;
  return provenance;
}

class Command {
 public:
  explicit Command(const MigrateOptions& options)
      : options_(options),
        info_(info_of(options.program)),
        index_(info_),
        path_(options.config.empty() ? options.program + ".cfg" : options.config),
        output_(options.output.empty() ? path_ : options.output) {}

  int run() {
    if (options_.config.empty() && !fs::exists(path_))
      throw pbrt::IoError("`" + path_ + "` is missing; --config FILE says what to migrate");
    const std::string text = pbrt::json::read_bounded_file(path_);
    if (pbrt::is_former_configuration(text)) return run_former(text);
    const pbrt::ConfigFile before = pbrt::parse_config_file(text, path_, index_, pbrt::OfProgram::Any);
    if (is_current(before, info_) && options_.renames.empty()) {
      if (before.format < pbrt::kConfigFormat) return rewrite(before);
      fmt::print("{}: all of it applies to {} as it is, nothing is written\n", path_, options_.program);
      return 0;
    }
    print_head(before);
    for (const pbrt::ConfigEntry& entry : before.entries) move_entry(entry);
    return finish(before.is_short);
  }

 private:
  /// Writes a file of an older format anew. It is of this state of the program, so what was measured stays.
  int rewrite(pbrt::ConfigFile file) const {
    fmt::print("{}: all of it applies to {}; format {} becomes {}\n", path_, options_.program, file.format,
               pbrt::kConfigFormat);
    if (options_.is_dry) return 0;
    const std::string old = set_aside(output_);
    for (pbrt::ConfigEntry& entry : file.entries) entry.raw.clear();
    if (file.is_short)
      pbrt::write_file_atomically(output_, pbrt::to_short_file(index_, file.entries.at(0).configuration) + "\n");
    else
      pbrt::save_config_file(output_, index_, file);
    fmt::print("written to {}{}\n", output_, old.empty() ? "" : "; what was there is " + old);
    return 0;
  }

  /// Carries over a configuration of PetaBricks, which is for no machine in particular.
  int run_former(const std::string& text) {
    const FormerConfiguration former = read_former(text, index_);
    fmt::print("{}: a configuration of PetaBricks\n", path_);
    move(former.written, kSizeIfUnknown, {}, {}, former.changed, former.dropped);
    return finish(true);
  }

  int finish(bool is_short) {
    if (num_kept_ == 0) {
      fmt::print("nothing of it applies to {}: nothing is written\n", options_.program);
      return 1;
    }
    if (!options_.is_dry) write(is_short);
    return 0;
  }

  void print_head(const pbrt::ConfigFile& before) const {
    const char* state =
        before.source == info_.source || before.source.empty() ? "" : ", of another state of its source";
    fmt::print(
        "{}: {} {}{}{}\n", path_, before.entries.size(), before.entries.size() == 1 ? "entry" : "entries",
        before.program == info_.program ? "" : " of program `" + before.program + "`, now `" + info_.program + "`",
        state);
  }

  void move_entry(const pbrt::ConfigEntry& entry) {
    const WrittenConfiguration written = read_written(entry.raw, path_);
    const std::int64_t n = entry.provenance.sizes.empty() ? kSizeIfUnknown : entry.provenance.sizes.back();
    if (!(entry.machine == pbrt::Machine{})) fmt::print("{}\n", describe(entry.machine));
    move(written, n, entry.machine, entry.provenance);
    if (!entry.provenance.sizes.empty()) tuned_n_ = n;
  }

  /// Carries one entry over. `changed` and `dropped` hold further lines to print.
  void move(const WrittenConfiguration& written, std::int64_t n, const pbrt::Machine& machine,
            const pbrt::Provenance& provenance, const std::vector<std::string>& changed = {},
            const std::vector<std::string>& dropped = {}) {
    const Names names = match_names(written, info_, options_.renames, options_.may_guess);
    Migration found = migrate(written, names, index_, n);
    num_kept_ += found.num_sites + found.num_values;
    is_guessed_ = is_guessed_ || !names.guesses.empty();
    fmt::print("  {:<8} {}, {}\n", "kept", count_text(static_cast<std::size_t>(found.num_sites), "choice"),
               count_text(static_cast<std::size_t>(found.num_values), "value"));
    print_lines("renamed", names.guesses);
    print_lines("changed", changed);
    print_lines("changed", found.changed);
    print_lines("dropped", dropped);
    print_lines("dropped", found.dropped);
    print_lines("default", found.added);
    entries_.push_back({machine, provenance_now(provenance), std::move(found.configuration), ""});
  }

  void write(bool is_short) {
    const std::string old = set_aside(output_);
    if (is_short) {
      pbrt::write_file_atomically(output_, pbrt::to_short_file(index_, entries_.at(0).configuration) + "\n");
    } else {
      pbrt::ConfigFile file;
      file.program = info_.program;
      file.source = info_.source;
      file.entries = std::move(entries_);
      pbrt::save_config_file(output_, index_, file);
    }
    if (is_guessed_)
      fmt::print("what is called `renamed` is a guess from names: --rename OLD=NEW says it, --no-guess leaves it\n");
    fmt::print("written to {}{}\n", output_, old.empty() ? "" : "; what was there is " + old);
    const std::string how = fmt::format("{} --n {}", options_.program, tuned_n_ > 0 ? std::to_string(tuned_n_) : "N");
    fmt::print("nothing was measured: `pbtune {}` tunes on from it\n", how);
  }

  MigrateOptions options_;
  pbrt::TrainingInfo info_;
  InfoIndex index_;
  std::string path_, output_;
  std::vector<pbrt::ConfigEntry> entries_;
  int num_kept_ = 0;
  bool is_guessed_ = false;
  std::int64_t tuned_n_ = 0;
};

}  // namespace

int migrate_command(const MigrateOptions& options) { return Command(options).run(); }

}  // namespace pbtune
