// SPDX-License-Identifier: MIT
#include "autotuner/tune/result_words.h"

#include <fmt/format.h>

#include "autotuner/report/configuration_words.h"
#include "autotuner/report/progress.h"

namespace pbtune {

std::string accuracy_words(const Target& target, const SearchResult& result) {
  const pbrt::AccuracyInfo& accuracy = target.accuracy;
  if (!accuracy.has_target) return "";
  return fmt::format(", accuracy {:.6g}, target {:.6g}", accuracy.higher_is_better ? result.accuracy : -result.accuracy,
                     accuracy.target);
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
  for (const auto& [name, size] : options.run.sizes) text += fmt::format(", {} = {}", name, size);
  for (const auto& [name, value] : options.run.given) text += ", " + name + " = " + value;
  text += ": " + time_text(result.best_ns);
  if (result.default_ns > 0)
    text +=
        fmt::format(", default {}: {}", time_text(result.default_ns), ratio_text(result.default_ns, result.best_ns));
  if (!result.is_confirmed) text += kUnconfirmed;
  std::vector<std::string> out{text + accuracy_words(target, result)};
  if (result.kept == Kept::Default)
    out.emplace_back("  nothing that was tried is measurably faster than the default, so its choices are kept");
  if (result.kept == Kept::Before)
    out.emplace_back("  nothing that was tried is measurably faster than the configuration of before, so it is kept");
  for (const std::string& line : explain(index, result.best, result.n, device_name(device), ran, target.reached))
    out.push_back("  " + line);
  for (const std::string& line : loss_lines(result.losses)) out.push_back("  " + line);
  return out;
}

}  // namespace pbtune
