// SPDX-License-Identifier: MIT
#include "clgen/cpp/context/band_flags.h"

#include <algorithm>

namespace pb {

std::vector<std::string> flags_without(const LoweredTransform& lowered, MatrixId matrix) {
  std::vector<std::string> out;
  for (const TiledSteps& bands : lowered.bands)
    for (const TiledMatrix& tiled : bands.matrices)
      if (tiled.matrix == matrix) out.push_back(bands_flag_name(bands.reader));
  return out;
}

std::vector<std::string> flags_of_readers(const LoweredTransform& lowered, StepId step) {
  std::vector<std::string> out;
  for (const TiledSteps& bands : lowered.bands)
    if (bands.is_maker(step)) out.push_back(bands_flag_name(bands.reader));
  return out;
}

bool has_bands(const LoweredTransform& lowered, StepId step) {
  return std::any_of(lowered.bands.begin(), lowered.bands.end(),
                     [&](const TiledSteps& bands) { return bands.reader == step; });
}

bool may_run_in_bands(const LoweredTransform& lowered, StepId step) {
  return has_bands(lowered, step) || !flags_of_readers(lowered, step).empty();
}

}  // namespace pb
