// SPDX-License-Identifier: MIT
#include "autotuner/tune/result_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "autotuner/report/configuration_words.h"
#include "autotuner/report/progress.h"

namespace pbtune {

std::string accuracy_words(const Target& target, const SearchResult& result) {
  const pbrt::AccuracyInfo& accuracy = target.accuracy;
  if (!accuracy.has_target) return "";
  return fmt::format(", accuracy {:.6g}, target {:.6g}", accuracy.higher_is_better ? result.accuracy : -result.accuracy,
                     accuracy.target);
}

/// `1.2 ms, default 2.4 ms: 2.00x faster`, without the default if its time is not known.
static std::string times_words(double best_ns, double default_ns) {
  std::string out = time_text(best_ns);
  if (default_ns > 0) out += fmt::format(", default {}: {}", time_text(default_ns), ratio_text(default_ns, best_ns));
  return out;
}

/// Whether one of several cases has a size that the size of the search does not say. Then choices for all sizes matter.
static bool has_own_sizes(const TuneOptions& options, const pbrt::TrainingInfo& info, const Target& target) {
  const std::vector<ProblemCase>& cases = options.run.cases;
  const std::vector<std::string>& variables = find_transform(info, target.transform)->sizes;
  return cases.size() > 1 && std::any_of(cases.begin(), cases.end(), [&](const ProblemCase& one) {
           return !one.inputs.empty() || fixes_all_of(one, variables);
         });
}

std::string verification_words(const Verification& verification) {
  switch (verification.maker) {
    case ReferenceMaker::Default:
      return "";
    case ReferenceMaker::DefaultInParallel:
      return "verified against the default on all threads, for one takes too long";
    case ReferenceMaker::Trusted:
      return fmt::format("verified against what agreed with the default at size {}", verification.agreed_n);
  }
  return "";
}

std::string gain_words(const SearchResult& result) {
  std::string out = fmt::format("at size {}", result.n);
  if (result.kept == Kept::Default) return out + ", the default";
  if (result.default_ns > 0) out += ", " + ratio_text(result.default_ns, result.best_ns) + " than the default";
  return out + (result.is_confirmed ? "" : kUnconfirmed);
}

std::vector<std::string> result_lines(const TuneOptions& options, const InfoIndex& index, const Target& target,
                                      bool is_one_of_many, const std::string& device, const SearchResult& result) {
  std::vector<std::string> ran;
  for (const RanChoice& choice : result.ran) ran.push_back(index.site_name(choice.site));
  std::string text = (is_one_of_many ? target.transform + " " : "") + fmt::format("at size {}", result.n);
  const bool has_cases = options.run.cases.size() > 1;
  const std::vector<std::string> names = case_names(options.run.cases);
  if (has_cases)
    text += fmt::format(", {} cases", names.size());
  else
    for (const auto& [name, size] : options.run.cases[0].sizes) text += fmt::format(", {} = {}", name, size);
  for (const auto& [name, value] : options.run.given) text += ", " + name + " = " + value;
  text += (has_cases ? ", means: " : ": ") + times_words(result.best_ns, result.default_ns);
  if (!result.is_confirmed) text += kUnconfirmed;
  std::vector<std::string> out{text + accuracy_words(target, result)};
  for (std::size_t k = 0; k < std::min(result.cases.size(), names.size()); ++k) {
    const CaseResult& one = result.cases[k];
    if (one.best_ns > 0)
      out.push_back("  " + names[k] + ": " + times_words(one.best_ns, one.default_ns) +
                    (result.is_confirmed && one.is_confirmed ? "" : kUnconfirmed));
  }
  if (const std::string words = verification_words(result.verification); !words.empty()) out.push_back("  " + words);
  if (result.kept == Kept::Default)
    out.emplace_back("  nothing that was tried is measurably faster than the default, so its choices are kept");
  if (result.kept == Kept::Before)
    out.emplace_back("  nothing that was tried is measurably faster than the configuration of before, so it is kept");
  const std::int64_t n = has_own_sizes(options, index.info(), target) ? -1 : result.n;
  for (const std::string& line : explain(index, result.best, n, device_name(device), ran, target.reached))
    out.push_back("  " + line);
  for (const std::string& line : loss_lines(result.losses)) out.push_back("  " + line);
  return out;
}

}  // namespace pbtune
