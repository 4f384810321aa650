// SPDX-License-Identifier: MIT
#include "autotuner/measure/interruption.h"

#include <csignal>

#include "autotuner/trials/evaluator.h"
#include "base/ending_signals.h"

namespace pbtune {
namespace {

volatile std::sig_atomic_t interrupted_by = 0;  // only signal handlers write it
void note_signal(int number) { interrupted_by = number; }

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) pb::act_unless_ignored(number, action);
  std::signal(SIGPIPE, SIG_IGN);
}

bool forget_interruption() {
  const bool is_by_key = interrupted_by == SIGINT;
  interrupted_by = 0;
  return is_by_key;
}

void throw_if_interrupted() {
  if (interrupted_by != 0) throw Interrupted();
}

}  // namespace pbtune
