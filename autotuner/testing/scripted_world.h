// SPDX-License-Identifier: MIT
// What the parts of a search are tested with: the synthetic program, and a world in which a test says what each
// configuration takes. Its clock advances by the times of the runs alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autotuner/search/search_options.h"
#include "autotuner/testing/synthetic.h"
#include "autotuner/trials/population.h"
#include "autotuner/trials/trials.h"

namespace pbtune::testing {

struct ScriptedWorld {
  pbrt::TrainingInfo info = synthetic_program();
  InfoIndex index{info};
  Space space{index, {true, 2, 0, 1024}};
  SearchOptions options{.sizes = {1024}};
  SearchEvents events;
  Population population{options.max_population};
  double elapsed_s = 0;
  int num_runs = 0;
  /// What a run of a configuration says; its times are those of all its trials.
  std::function<Outcome(const Configuration&)> run = [](const Configuration&) { return ended(1e6); };

  [[nodiscard]] Evaluator evaluator() {
    Evaluator out;
    out.prepare = [](const PrepareSpec&) { return Prepared{PrepareStatus::Ready, 0, ""}; };
    out.run = [this](const Configuration& configuration, const RunSpec& spec) {
      Outcome outcome = run(configuration);
      ++num_runs;
      if (!outcome.times_ns.empty())
        outcome.times_ns.resize(static_cast<std::size_t>(spec.trials), outcome.times_ns[0]);
      for (const double time : outcome.times_ns) elapsed_s += time * 1e-9;
      return outcome;
    };
    out.elapsed_s = [this] { return elapsed_s; };
    return out;
  }
  [[nodiscard]] static Outcome ended(double time_ns) { return {OutcomeKind::Ok, {time_ns}, 0, 0, {}, ""}; }
  /// The default with another alternative at the site of the main transform.
  [[nodiscard]] Configuration choosing(int alternative) const {
    Configuration out = space.default_configuration();
    out.sites[kMainSite] = Selector{{{0, alternative}}};
    return out;
  }
  [[nodiscard]] static int choice_of(const Configuration& configuration) {
    return configuration.sites[kMainSite].select(1024);
  }
  [[nodiscard]] static Candidate timed(Configuration configuration, double time_ns) {
    Candidate out;
    out.configuration = std::move(configuration);
    out.times_ns = {time_ns};
    return out;
  }
};

}  // namespace pbtune::testing
