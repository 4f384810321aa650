// SPDX-License-Identifier: MIT
// `pbtune ./prog --n N`: everything around a search: what the program says about itself, the existing
// configuration, the journal, progress, and the file that is written.
#pragma once

#include "autotuner/trials/evaluator.h"
#include "autotuner/tune/tune_options.h"

namespace pbtune {

/// The clock that the time limit is compared with: seconds since the process, or a test, began.
[[nodiscard]] Clock wall_clock();

/// Tunes. Returns the exit status. Throws pbrt::RuntimeError.
int tune(const TuneOptions& options, const Clock& clock);

}  // namespace pbtune
