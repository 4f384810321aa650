// SPDX-License-Identifier: MIT
// What tools do at signals that would end them. Used by pbc and by pbtune.
#pragma once

#include <signal.h>

namespace pb {

/// Sets the action of a signal, unless the process ignores it: `nohup` stays in force.
inline void act_unless_ignored(int number, const struct sigaction& action) {
  struct sigaction old = {};
  sigaction(number, nullptr, &old);
  if (old.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
}

}  // namespace pb
