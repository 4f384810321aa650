// SPDX-License-Identifier: MIT
#include "runtime/main/engine/judge.h"

#include <utility>

namespace pbrt {
namespace {

double judge(Engine& engine, int transform, std::vector<AnyMatrix> given) {
  const TransformDesc& desc = engine.program().transforms[transform];
  Problem problem;
  problem.transform = &desc;
  problem.inputs = std::move(given);
  problem.outputs.push_back(AnyMatrix::allocate(desc.outputs[0].element, 0, nullptr));
  fill_initial_output(desc.outputs[0], problem.outputs[0], 0);
  RunWishes wishes;
  wishes.config = &engine.default_config();
  (void)engine.run(problem, wishes);
  return problem.outputs[0].number_at(0);
}

void append(std::vector<AnyMatrix>& to, const std::vector<AnyMatrix>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

double accuracy_of(Engine& engine, const Problem& problem) {
  if (problem.transform->metric < 0) return 1;
  std::vector<AnyMatrix> given = problem.outputs;
  append(given, problem.inputs);
  return judge(engine, problem.transform->metric, std::move(given));
}

bool is_accepted(Engine& engine, const Problem& problem, const std::vector<AnyMatrix>& reference) {
  std::vector<AnyMatrix> given = problem.outputs;
  append(given, reference);
  append(given, problem.inputs);
  return judge(engine, problem.transform->verifier, std::move(given)) != 0;
}

}  // namespace pbrt
