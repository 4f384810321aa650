// SPDX-License-Identifier: MIT
// Why the CPU won: what the sites that stay there took on a device, and where the time went. See Note [Profiled runs].
#pragma once

#include <functional>
#include <vector>

#include "autotuner/search/search_result.h"
#include "runtime/config/formats/config_file.h"

namespace pbtune {

/// Runs a configuration that uses a device in a profiled program. An outcome without costs: they are not known.
using ProfiledRun = std::function<Outcome(const DeviceAttempt&)>;

/// What was tried on a device and lost, the fastest first. The costs of the first few are measured.
[[nodiscard]] std::vector<pbrt::DeviceLoss> device_losses(const InfoIndex& index, const SearchResult& result,
                                                          const ProfiledRun& run);

}  // namespace pbtune
