// SPDX-License-Identifier: MIT
#include "autotuner/trials/evaluator.h"

namespace pbtune {

const char* to_string(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::Ok:
      return "ok";
    case OutcomeKind::Wrong:
      return "wrong";
    case OutcomeKind::AccuracyMissed:
      return "accuracy_missed";
    case OutcomeKind::Aborted:
      return "aborted";
    case OutcomeKind::Crashed:
      return "crashed";
    case OutcomeKind::TimedOut:
      return "timed_out";
    case OutcomeKind::FellBack:
      return "fell_back";
    case OutcomeKind::Error:
      return "error";
  }
  return "?";
}

bool parse_outcome_kind(const std::string& word, OutcomeKind& kind) {
  using enum OutcomeKind;
  for (const OutcomeKind candidate : {Ok, Wrong, AccuracyMissed, Aborted, Crashed, TimedOut, FellBack, Error}) {
    if (word != to_string(candidate)) continue;
    kind = candidate;
    return true;
  }
  return false;
}

}  // namespace pbtune
