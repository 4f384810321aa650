// SPDX-License-Identifier: MIT
// The journal of a search: an append-only file of JSON lines beside the configuration, one per
// measurement, written as soon as it is known. An interrupted search is replayed from it, decision by
// decision, and goes on where it stopped: at most the running measurement is lost. See Note [Replay].
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autotuner/trials/evaluator.h"

namespace pbtune {

/// What must be the same for a search to go on.
struct JournalHeader {
  std::string tuner;  ///< its version: another version may decide differently
  std::string program, source, machine;
  std::string executable;              ///< fingerprint of the program's file: another build has other times
  std::vector<std::string> inputs;     ///< fingerprints of the input files
  std::vector<std::string> arguments;  ///< all arguments that influence the search, in one normal form
  std::uint64_t seed = 0;
  std::vector<std::string> known;   ///< configurations that the search starts from, as JSON
  bool is_known_incumbent = false;  ///< see NamedConfiguration
  bool operator==(const JournalHeader&) const = default;
};

struct JournalEntry {
  bool is_prepare = false;
  bool is_renewal = false;  ///< of inputs: a prepare that made other ones of the same size
  std::int64_t n = 0;
  Prepared prepared;
  std::string fingerprint;  ///< fingerprint of the configuration that ran; of a renewal: that made the reference
  RunSpec spec;
  Outcome outcome;
  double elapsed_s = 0;  ///< time of the search at the entry's end
};

/// What a journal holds, for reports: also of a search that is over or was interrupted.
struct JournalContents {
  JournalHeader header;
  std::vector<JournalEntry> entries;
  std::map<std::string, std::string> configurations;  ///< fingerprint -> JSON
  std::vector<std::string> notes;
  bool is_done = false;
  std::string best;                 ///< fingerprint of what was chosen at the end
  std::int64_t num_good_bytes = 0;  ///< length of the whole lines
};

/// Reads a journal up to its last whole line. Throws pbrt::IoError; ConfigError if its first line is not that of a
/// journal.
[[nodiscard]] JournalContents read_journal(const std::string& path, const InfoIndex& index);

class Journal {
 public:
  /// Opens the journal at `path` for a search with this header. One of the same search that is not over is
  /// resumed. Any other one is moved aside to `path.old` once this search has inputs with a reference: a command that
  /// the program refuses takes nothing away.
  ///
  /// Errors: throws pbrt::IoError, also if another process is writing it
  Journal(const std::string& path, const InfoIndex& index, JournalHeader header);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] std::size_t num_replayable() const { return replay_.size(); }
  /// Why an existing journal was not resumed, or what was cut off; empty: nothing to say.
  [[nodiscard]] const std::string& note() const { return note_; }
  [[nodiscard]] const JournalHeader& header() const { return header_; }

  /// An evaluator that asks `live` and records everything. What is known from before is replayed first. The clock is
  /// asked once per entry, and once where the replay ends. Keeps references to the journal.
  [[nodiscard]] Evaluator recording(Evaluator live, Clock clock);

  /// Why nothing is recorded any more (the disk is full, for example); empty if all is well. What was recorded before
  /// stays.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  /// From now on measurements are made, but not recorded: those after an interruption are no part of the search, and a
  /// resumed one does without them.
  void stop_recording();

  /// Adds a line for people; does nothing while replaying, since the line is there already.
  void add_note(const std::string& text);
  void mark_done(const std::string& fingerprint);

 private:
  void append(const std::string& line);
  void write(const std::string& text);
  void load(const std::string& path);
  void take_place();
  [[nodiscard]] bool is_replaying() const { return position_ < replay_.size(); }
  [[nodiscard]] const JournalEntry* next(const JournalEntry& wanted);
  Prepared prepare(const PrepareSpec& spec);
  Prepared renew(const Configuration& reference);
  Outcome run(const Configuration& configuration, const RunSpec& spec);
  void go_live();
  [[nodiscard]] double now_s() const { return base_s_ + clock_() - begin_s_; }

  const InfoIndex& index_;
  std::string path_;
  JournalHeader header_;
  std::string note_, trouble_;
  bool is_in_place_ = true;  ///< what is appended goes to the file; else it waits until take_place()
  std::string waiting_;      ///< whole lines
  int fd_ = -1;
  std::vector<JournalEntry> replay_;
  std::size_t position_ = 0;
  std::set<std::string> written_;  ///< configurations that are in the file
  Evaluator live_;
  Clock clock_;
  double begin_s_ = 0;  ///< what the clock said when base_s_ had passed
  double base_s_ = 0, elapsed_s_ = 0;
  bool is_live_prepared_ = false, is_recording_ = true;
  std::int64_t n_ = 0;
  ReferenceMaker maker_ = ReferenceMaker::Default;
  std::optional<Configuration> trusted_, renewed_by_;
};

}  // namespace pbtune
