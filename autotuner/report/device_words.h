// SPDX-License-Identifier: MIT
// Why the CPU won, in words.
#pragma once

#include <string>
#include <vector>

#include "runtime/config/formats/config_file.h"

namespace pbtune {

/// One or two lines for each attempt: which sites were how much slower on the device, and where the time went.
/// `device`: its name, for people.
[[nodiscard]] std::vector<std::string> device_loss_lines(const std::vector<pbrt::DeviceLoss>& losses,
                                                         const std::string& device);

}  // namespace pbtune
