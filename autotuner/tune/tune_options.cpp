// SPDX-License-Identifier: MIT
#include "autotuner/tune/tune_options.h"

#include <fmt/format.h>

namespace pbtune {

const char* to_string(Effort effort) {
  switch (effort) {
    case Effort::Quick:
      return "quick";
    case Effort::Normal:
      return "normal";
    case Effort::Full:
      return "full";
  }
  return "?";
}

SearchOptions search_options(Effort effort, double time_limit_s, std::uint64_t seed) {
  SearchOptions out;
  out.seed = seed;
  switch (effort) {
    case Effort::Quick:
      out.budget_s = 48;
      break;
    case Effort::Normal:
      out.budget_s = 300;
      out.max_population = 16;
      out.max_failures = 150;
      out.max_trials = 10;
      out.num_finalists = 6;
      out.final_trials = 15;
      break;
    case Effort::Full:
      out.budget_s = 3600;
      out.max_population = 32;
      out.max_failures = 600;
      out.max_trials = 20;
      out.num_finalists = 8;
      out.final_trials = 30;
      break;
  }
  if (time_limit_s > 0) out.budget_s = 0.95 * time_limit_s;
  return out;
}

std::vector<std::string> journal_arguments(const TuneOptions& options) {
  std::vector<std::string> out{std::string("--effort=") + to_string(options.effort),
                               fmt::format("--n={}", options.run.n), fmt::format("--threads={}", options.threads),
                               fmt::format("--time-limit={}", options.time_limit_s),
                               fmt::format("--tolerance={}", options.run.tolerance)};
  for (std::string& word : device_arguments(options.run)) out.push_back(std::move(word));
  for (const ProblemCase& one : options.run.cases) {
    if (options.run.cases.size() > 1) out.emplace_back("case");
    for (const auto& [name, size] : one.sizes) out.push_back(fmt::format("--size={}={}", name, size));
    for (const std::string& path : one.inputs) out.push_back("--inputs=" + absolute(path));
  }
  for (const auto& [name, value] : options.run.given) out.push_back("--set=" + name + "=" + value);
  if (options.is_resident) out.emplace_back("--resident");
  return out;
}

std::string arguments_text(const TuneOptions& options) {
  std::string out;
  if (options.run.n >= 0) out += fmt::format("--n {} ", options.run.n);
  for (const ProblemCase& one : options.run.cases) {
    if (!one.inputs.empty()) out += "--inputs ";
    for (const std::string& path : one.inputs) out += path + " ";
    for (const auto& [name, size] : one.sizes) out += fmt::format("--size {}={} ", name, size);
  }
  for (const auto& [name, value] : options.run.given) out += "--set " + name + "=" + value + " ";
  if (options.threads > 0) out += fmt::format("--threads {} ", options.threads);
  for (const std::string& word : device_arguments(options.run)) out += word + " ";
  if (options.is_resident) out += "--resident ";
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace pbtune
