// SPDX-License-Identifier: MIT
#include "autotuner/measure/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "runtime/config/errors.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/json_reader.h"

namespace pbtune {
namespace {

using pbrt::json::Json;
using pbrt::json::Node;

constexpr std::int64_t kMaxInteger = std::int64_t{1} << 60;

/// Locks the file, or returns false where another process keeps it. A program that a killed tuner was just starting has
/// the tuner's lock until it runs, so this waits a while.
bool is_locked_soon(int fd) {
  for (int i = 0; i < 50; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    ::usleep(10'000);
  }
  return false;
}

[[noreturn]] void throw_io(const std::string& what, const std::string& path) {
  const bool is_about_place =
      what == "write" && (errno == EACCES || errno == EROFS || errno == ENOENT || errno == ENOTDIR);
  const std::string reason = std::strerror(errno);
  throw pbrt::IoError(
      "cannot " + what + " `" + path + "`: " + reason +
      (is_about_place ? "; the journal lies beside the configuration, and `-o FILE` puts both elsewhere" : ""));
}

Json to_value(const JournalHeader& header) {
  Json out;
  out["journal"] = 1;
  out["tuner"] = header.tuner;
  out["program"] = header.program;
  out["source"] = header.source;
  out["machine"] = header.machine;
  out["executable"] = header.executable;
  out["inputs"] = header.inputs;
  out["arguments"] = header.arguments;
  out["seed"] = header.seed;
  out["known"] = header.known;
  if (header.is_known_incumbent) out["known_is_incumbent"] = true;
  return out;
}

JournalHeader header_of(const Node& node) {
  if (!node.has("journal")) node.fail("this is no journal of a search");
  JournalHeader out;
  out.tuner = node.string_or("tuner", "");
  out.program = node.at("program").string();
  out.source = node.string_or("source", "");
  out.machine = node.string_or("machine", "");
  out.executable = node.string_or("executable", "");
  if (node.has("inputs")) out.inputs = node.at("inputs").strings();
  out.arguments = node.at("arguments").strings();
  out.seed = node.natural_or("seed", 0);
  out.known = node.at("known").strings();
  out.is_known_incumbent = node.boolean_or("known_is_incumbent", false);
  return out;
}

Json prepare_to_value(const JournalEntry& entry) {
  Json out;
  out["prepare"] = entry.n;
  if (entry.is_renewal) out["renewed_by"] = entry.fingerprint;
  out["status"] = static_cast<int>(entry.prepared.status);
  out["reference_ns"] = pbrt::json::number_to_json(entry.prepared.reference_ns);
  if (!entry.prepared.message.empty()) out["message"] = entry.prepared.message;
  if (entry.prepared.maker != ReferenceMaker::Default) out["maker"] = static_cast<int>(entry.prepared.maker);
  out["elapsed_s"] = entry.elapsed_s;
  return out;
}

Json run_to_value(const JournalEntry& entry, const InfoIndex& index) {
  Json out;
  out["run"] = entry.fingerprint;
  out["n"] = entry.n;
  out["what"] = entry.spec.what;
  out["trials"] = entry.spec.trials;
  out["limit_ms"] = entry.spec.limit_ms;
  if (entry.spec.is_side_by_side) out["side_by_side"] = true;
  out["outcome"] = to_string(entry.outcome.kind);
  out["times_ns"] = Json::array();
  for (const double time : entry.outcome.times_ns) out["times_ns"].push_back(pbrt::json::number_to_json(time));
  for (const Sample& times : entry.outcome.case_times_ns) {
    Json list = Json::array();
    for (const double time : times) list.push_back(pbrt::json::number_to_json(time));
    out["case_times_ns"].push_back(std::move(list));
  }
  if (entry.outcome.accuracy != 0) out["accuracy"] = entry.outcome.accuracy;
  if (entry.outcome.max_error_rel != 0) out["max_error_rel"] = entry.outcome.max_error_rel;
  if (!entry.outcome.message.empty()) out["message"] = entry.outcome.message;
  if (entry.outcome.has_large_matrices) out["large_matrices"] = true;
  out["ran"] = Json::array();
  for (const RanChoice& ran : entry.outcome.ran) {
    const pbrt::Choice choice = index.site(ran.site).site->choice(ran.alternative);
    out["ran"].push_back({index.site_name(ran.site), choice.rule, to_string(choice.on)});
  }
  out["elapsed_s"] = entry.elapsed_s;
  return out;
}

RanChoice ran_of(const Node& node, const InfoIndex& index) {
  const std::vector<std::string> words = node.strings();
  const auto on = words.size() == 3 ? pb::find_version(words[2]) : std::nullopt;
  if (!on) node.fail("expected site, rule and version");
  for (int id = 0; id < index.num_sites(); ++id) {
    if (index.site_name(id) != words[0]) continue;
    const int alternative = index.site(id).site->index_of(words[1], *on);
    if (alternative >= 0) return {id, alternative};
  }
  node.fail("the program has no such choice");
}

JournalEntry entry_of(const Node& node, const InfoIndex& index) {
  JournalEntry out;
  out.is_prepare = node.has("prepare");
  out.elapsed_s = node.at("elapsed_s").number();
  if (out.elapsed_s < 0) node.at("elapsed_s").fail("a time is not below 0");
  if (out.is_prepare) {
    out.n = node.at("prepare").integer(0, kMaxInteger);
    out.is_renewal = node.has("renewed_by");
    out.fingerprint = node.string_or("renewed_by", "");
    out.prepared.status = static_cast<PrepareStatus>(node.at("status").integer(0, 3));
    out.prepared.reference_ns = node.at("reference_ns").number();
    out.prepared.message = node.string_or("message", "");
    if (node.has("maker")) out.prepared.maker = static_cast<ReferenceMaker>(node.at("maker").integer(0, 2));
    return out;
  }
  out.fingerprint = node.at("run").string();
  out.n = node.at("n").integer(0, kMaxInteger);
  out.spec.what = node.string_or("what", "");
  out.spec.trials = static_cast<int>(node.at("trials").integer(1, 1000000));
  out.spec.limit_ms = node.at("limit_ms").number();
  out.spec.is_side_by_side = node.boolean_or("side_by_side", false);
  if (!parse_outcome_kind(node.at("outcome").string(), out.outcome.kind)) node.at("outcome").fail("no such outcome");
  out.outcome.times_ns = node.at("times_ns").numbers();
  if (node.has("case_times_ns"))
    node.at("case_times_ns").each_item([&](const Node& item) { out.outcome.case_times_ns.push_back(item.numbers()); });
  out.outcome.accuracy = node.number_or("accuracy", 0);
  out.outcome.max_error_rel = node.number_or("max_error_rel", 0);
  out.outcome.message = node.string_or("message", "");
  out.outcome.has_large_matrices = node.boolean_or("large_matrices", false);
  node.at("ran").each_item([&](const Node& item) { out.outcome.ran.push_back(ran_of(item, index)); });
  return out;
}

void read_line(const Node& node, const InfoIndex& index, JournalContents& out) {
  if (node.has("config")) {
    out.configurations[node.at("fingerprint").string()] = pbrt::json::dump_line(node.at("config").json());
  } else if (node.has("note")) {
    out.notes.push_back(node.at("note").string());
  } else if (node.has("done")) {
    out.is_done = true;
    out.best = node.at("done").string();
  } else {
    out.entries.push_back(entry_of(node, index));
  }
}

/// What differs between the headers, for the note; empty if nothing does.
std::string difference(const JournalHeader& a, const JournalHeader& b) {
  if (a.program != b.program) return "of another program";
  if (a.source != b.source) return "of another state of the program's source, or of other options of pbc";
  if (a.executable != b.executable) return "of another build of the program";
  if (a.machine != b.machine) return "of another machine";
  if (a.tuner != b.tuner) return "of another version of pbtune";
  if (a.arguments != b.arguments || a.seed != b.seed) return "with other arguments";
  if (a.inputs != b.inputs) return "with other contents of the input files";
  return "";
}

}  // namespace

JournalContents read_journal(const std::string& path, const InfoIndex& index) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_io("read", path);
  JournalContents out;
  bool has_header = false;
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) break;  // the line has no newline: its writer was stopped in the middle
    try {
      const pbrt::json::Document document(line, path);
      const Node node(document);
      if (has_header)
        read_line(node, index, out);
      else
        out.header = header_of(node);
    } catch (const pbrt::ConfigError&) {
      if (!has_header) throw;
      break;  // lines after a damaged line cannot be trusted
    }
    has_header = true;
    out.num_good_bytes += static_cast<std::int64_t>(line.size()) + 1;
  }
  if (!has_header) throw pbrt::ConfigError(path + ": this is no journal of a search");
  return out;
}

Journal::Journal(const std::string& path, const InfoIndex& index, JournalHeader header)
    : index_(index), path_(path), header_(std::move(header)) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) throw_io("write", path);
  if (!is_locked_soon(fd_)) {
    ::close(fd_);
    throw pbrt::IoError("`" + path + "` is in use: another pbtune is tuning this program");
  }
  try {
    load(path);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

Journal::~Journal() { ::close(fd_); }

void Journal::load(const std::string& path) {
  const off_t size = ::lseek(fd_, 0, SEEK_END);
  std::string reason;
  if (size > 0) {
    try {
      JournalContents contents = read_journal(path, index_);
      // A resumed search begins with the configurations in the journal. Those in the file may differ by now, because
      // the search itself writes its first results there.
      reason = contents.is_done ? "of a search that is over" : difference(contents.header, header_);
      if (reason.empty()) {
        header_ = contents.header;
        replay_ = std::move(contents.entries);
        for (const auto& [fingerprint, text] : contents.configurations) written_.insert(fingerprint);
        if (::ftruncate(fd_, contents.num_good_bytes) != 0) throw_io("write", path);
        return;
      }
      if (!contents.is_done && !contents.entries.empty())
        note_ = "the journal `" + path + "` is one " + reason + ": the search starts anew and keeps it as `" + path +
                ".old`";
    } catch (const pbrt::ConfigError& error) {
      note_ = std::string(error.what()) + "; the search starts anew and keeps it as `" + path + ".old`";
    }
    is_in_place_ = false;
  }
  append(pbrt::json::dump_line(to_value(header_)));
}

/// Moves the journal of another search aside, and writes what waited.
void Journal::take_place() {
  if (is_in_place_) return;
  if (::rename(path_.c_str(), (path_ + ".old").c_str()) != 0) throw_io("rename", path_);
  ::close(fd_);
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) throw_io("write", path_);
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) throw_io("lock", path_);
  is_in_place_ = true;
  write(std::exchange(waiting_, {}));
}

void Journal::append(const std::string& line) {
  if (!trouble_.empty() || !is_recording_) return;
  if (is_in_place_)
    write(line + "\n");
  else
    waiting_ += line + "\n";
}

/// If lines cannot be written, the journal records nothing more, but the search goes on, because the search matters
/// more than its record.
void Journal::write(const std::string& text) {
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::write(fd_, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR) {
      trouble_ = "cannot write the journal `" + path_ + "`: " + std::strerror(errno);
      (void)!::ftruncate(fd_, before);  // if this fails, readers skip the broken last line anyway
      return;
    }
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

void Journal::add_note(const std::string& text) {
  if (!is_replaying()) append(pbrt::json::dump_line(Json{{"note", text}}));
}

void Journal::mark_done(const std::string& fingerprint) { append(pbrt::json::dump_line(Json{{"done", fingerprint}})); }

Evaluator Journal::recording(Evaluator live, Clock clock) {
  live_ = std::move(live);
  clock_ = std::move(clock);
  Evaluator out;
  out.prepare = [this](const PrepareSpec& spec) { return prepare(spec); };
  out.run = [this](const Configuration& configuration, const RunSpec& spec) { return run(configuration, spec); };
  if (live_.expect)
    out.expect = [this](std::span<const Configuration> next) {
      if (is_live_prepared_) live_.expect(next);
    };
  if (live_.renew) out.renew = [this](const Configuration& reference) { return renew(reference); };
  out.elapsed_s = [this] { return elapsed_s_; };
  return out;
}

void Journal::stop_recording() {
  is_recording_ = false;
  if (!is_replaying()) return;
  position_ = replay_.size();
  base_s_ = elapsed_s_;
  begin_s_ = clock_();
}

/// The next recorded entry if it is the one that is asked for; else null, and the rest of the record is not used.
const JournalEntry* Journal::next(const JournalEntry& wanted) {
  if (!is_replaying()) return nullptr;
  const JournalEntry& entry = replay_[position_];
  const bool is_it = entry.is_prepare == wanted.is_prepare && entry.is_renewal == wanted.is_renewal &&
                     entry.n == wanted.n && entry.fingerprint == wanted.fingerprint &&
                     (wanted.is_prepare || entry.spec.trials == wanted.spec.trials);
  if (!is_it) {
    position_ = replay_.size();
    add_note("the rest of the journal belongs to other decisions and is not used");
  } else {
    ++position_;
    elapsed_s_ = entry.elapsed_s;
  }
  if (!is_replaying()) {
    base_s_ = elapsed_s_;
    begin_s_ = clock_();
  }
  return is_it ? &entry : nullptr;
}

Prepared Journal::prepare(const PrepareSpec& spec) {
  n_ = spec.n;
  trusted_.reset();
  renewed_by_.reset();
  if (spec.trusted != nullptr) trusted_ = *spec.trusted;
  is_live_prepared_ = false;
  JournalEntry entry;
  entry.is_prepare = true;
  entry.n = spec.n;
  if (const JournalEntry* known = next(entry)) {
    maker_ = known->prepared.maker;
    return known->prepared;
  }
  entry.prepared = live_.prepare(spec);
  maker_ = entry.prepared.maker;
  is_live_prepared_ = true;
  if (entry.prepared.status == PrepareStatus::Ready) take_place();
  entry.elapsed_s = elapsed_s_ = now_s();
  append(pbrt::json::dump_line(prepare_to_value(entry)));
  return entry.prepared;
}

Prepared Journal::renew(const Configuration& reference) {
  JournalEntry entry;
  entry.is_prepare = entry.is_renewal = true;
  entry.n = n_;
  entry.fingerprint = pbtune::fingerprint(index_, reference);
  if (const JournalEntry* known = next(entry)) {
    if (known->prepared.status == PrepareStatus::Ready) renewed_by_ = reference;
    return known->prepared;
  }
  go_live();
  entry.prepared = live_.renew(reference);
  entry.elapsed_s = elapsed_s_ = now_s();
  append(pbrt::json::dump_line(prepare_to_value(entry)));
  return entry.prepared;
}

/// Prepares the program as the replayed part of the journal says.
void Journal::go_live() {
  if (is_live_prepared_) return;
  PrepareSpec spec{n_, trusted_ ? &*trusted_ : nullptr};
  if (maker_ != ReferenceMaker::Default) spec.default_patience_s = 0;  // it was too slow
  const Prepared prepared = live_.prepare(spec);
  if (prepared.status != PrepareStatus::Ready)
    throw pbrt::IoError("the program does not run any more: " + prepared.message);
  if (renewed_by_) (void)live_.renew(*renewed_by_);  // without others, the search ends on these inputs
  is_live_prepared_ = true;
}

Outcome Journal::run(const Configuration& configuration, const RunSpec& spec) {
  const std::string fingerprint = pbtune::fingerprint(index_, configuration);
  JournalEntry entry;
  entry.n = n_;
  entry.fingerprint = fingerprint;
  entry.spec = spec;
  if (const JournalEntry* known = next(entry)) return known->outcome;
  go_live();
  entry.outcome = live_.run(configuration, spec);
  entry.elapsed_s = elapsed_s_ = now_s();
  if (written_.insert(fingerprint).second) {
    const Json config = Json::parse(pbrt::to_json(index_, configuration, -1));
    append(pbrt::json::dump_line(Json{{"fingerprint", fingerprint}, {"config", config}}));
  }
  append(pbrt::json::dump_line(run_to_value(entry, index_)));
  return entry.outcome;
}

}  // namespace pbtune

// Note [Replay]
// A search's decisions depend on its seed, on the outcomes of its measurements and on the time that has passed at their
// ends, and on nothing else. All three are in the journal. So a search that is started again with the same arguments
// takes the same decisions as long as the journal answers in place of the program, reaches the same state, and goes on
// measuring from there. No state is saved, and none can disagree with the record.
