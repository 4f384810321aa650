// SPDX-License-Identifier: MIT
// Transforms that judge results: the metric that says how accurate outputs are (docs/reference/language.md 4.7), the
// verifier that says whether they agree with reference outputs (docs/reference/language.md 20.5). They run like
// references: on one CPU thread, under the default configuration, whatever made the outputs. Comparing by tolerance:
// verify.h.
#pragma once

#include <vector>

#include "runtime/main/engine/engine.h"

namespace pbrt {

/// How accurate the outputs are, on the scale of the metric; 1 if the transform has none.
///
/// Pre:     outputs are whole in host memory
/// Errors:  as Engine::run
[[nodiscard]] double accuracy_of(Engine& engine, const Problem& problem);

/// Whether the transform's verifier takes the outputs for as good as the reference outputs.
///
/// Pre:     the transform has a verifier; outputs are whole in host memory
[[nodiscard]] bool is_accepted(Engine& engine, const Problem& problem, const std::vector<AnyMatrix>& reference);

}  // namespace pbrt
