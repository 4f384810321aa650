// SPDX-License-Identifier: MIT
// `--serve`: the program runs what the tuner asks for, on inputs that stay between requests.
#pragma once

#include "runtime/main/modes/session.h"

namespace pbrt {

/// Answers requests on `request_fd` (docs/reference/formats.md 3) until quit or end of file.
void run_serve_mode(Session& session, int request_fd, int reply_fd);

}  // namespace pbrt
