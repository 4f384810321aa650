// SPDX-License-Identifier: MIT
#include "autotuner/tune/notices.h"

#include <fmt/format.h>

namespace pbtune {

void Notices::note(const std::string& text) {
  outlets_.say("note: " + text, false);
  outlets_.keep(text);
}

void Notices::warn(const std::string& text) {
  outlets_.say("warning: " + text, true);
  outlets_.keep(text);
}

void Notices::note_prepared(const Prepared& prepared) {
  if (prepared.status != PrepareStatus::Ready || prepared.message.empty() || prepared.message == last_prepared_) return;
  last_prepared_ = prepared.message;
  warn(prepared.message);
}

void Notices::note_load(double total_ns, double waited_ns) {
  constexpr double kEnoughNs = 0.5e9, kMuch = 0.1;
  if (is_load_known_ || total_ns < kEnoughNs || waited_ns < kMuch * total_ns) return;
  is_load_known_ = true;
  note(fmt::format(
      "other programs keep this machine busy: runs wait {:.0f} % of their time for a processor. That is not counted, "
      "but on a quiet machine the search tells more configurations apart",
      100 * waited_ns / total_ns));
}

void Notices::note_trouble(const std::string& trouble) {
  if (is_trouble_known_ || trouble.empty()) return;
  is_trouble_known_ = true;
  outlets_.say(
      "warning: " + trouble + "; the search goes on, but after an interruption what it finds from now on is lost",
      true);
}

void Notices::note_failed(const Candidate& candidate, const Outcome& outcome, bool is_wrong_but_fast) {
  if (outcome.kind != OutcomeKind::Wrong && outcome.kind != OutcomeKind::Crashed) return;
  std::string text = fmt::format("{} ({}) ", fingerprint(index_, candidate.configuration), candidate.origin);
  if (outcome.kind == OutcomeKind::Wrong)
    text += fmt::format("{}gives wrong outputs, relative error {:.2g}{}: rejected (seed {})",
                        is_wrong_but_fast ? "is fast and " : "", outcome.max_error_rel,
                        outcome.message.empty() ? "" : " (" + outcome.message + ")", seed_);
  else
    text += "crashes: " + outcome.message;
  if (is_wrong_but_fast) ++num_wrong_but_fast_;
  outlets_.keep(text);
  outlets_.say("warning: configuration " + text, false);
}

}  // namespace pbtune
