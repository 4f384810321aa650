// SPDX-License-Identifier: MIT
#include "runtime/config/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace pbrt {

void hold_standard_streams() {
  // Each closed descriptor is opened for the direction in which it is not used, so that a use fails. open() takes the
  // lowest free descriptor. That is `fd`, since those before it are open.
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;  // then they stay as they are
  }
}

}  // namespace pbrt
