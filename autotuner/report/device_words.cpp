// SPDX-License-Identifier: MIT
#include "autotuner/report/device_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "autotuner/report/progress.h"

namespace pbtune {
namespace {

using pbrt::DeviceCosts;
using pbrt::DeviceLoss;

std::string bytes_text(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 1e9) return fmt::format("{:.3g} GB", value * 1e-9);
  if (value >= 1e6) return fmt::format("{:.3g} MB", value * 1e-6);
  if (value >= 1e3) return fmt::format("{:.3g} kB", value * 1e-3);
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

std::string sites_text(const std::vector<std::string>& sites) {
  std::string out;
  for (std::size_t i = 0; i < sites.size(); ++i)
    out += (i == 0 ? "" : i + 1 == sites.size() ? " and " : ", ") + sites[i];
  return out;
}

/// `3.10x slower: 8.06 ms instead of 2.6 ms`.
std::string slower_words(const DeviceLoss& loss) {
  constexpr double kMatters = 1.02;  // less than noise
  const std::string times = time_text(loss.time_ns) + " instead of " + time_text(loss.cpu_ns);
  if (!(loss.cpu_ns > 0)) return time_text(loss.time_ns);
  if (loss.time_ns < kMatters * loss.cpu_ns) return "not measurably faster: " + times;
  return ratio_text(loss.cpu_ns, loss.time_ns) + ": " + times;
}

/// A part of a run's time, in words with its time and alone.
struct Part {
  double ns = 0;
  std::string words;
  const char* name = "";
};

/// The parts of a profiled run that are not nothing.
std::vector<Part> parts_of(const DeviceLoss& loss) {
  const DeviceCosts& costs = loss.costs;
  std::vector<Part> out;
  const auto add = [&](double ns, const std::string& words, const char* name) {
    if (ns > 0) out.push_back({ns, words + " " + time_text(ns), name});
  };
  const std::int64_t in = costs.bytes_to_device, back = costs.bytes_to_host;
  add(costs.copy_in_ns + costs.copy_out_ns,
      in == 0     ? "copies of " + bytes_text(back) + " from it"
      : back == 0 ? "copies of " + bytes_text(in) + " to it"
                  : "copies of " + bytes_text(in) + " to it and " + bytes_text(back) + " from it",
      "the copies");
  add(costs.kernel_ns, "kernels", "the arithmetic of the kernels");
  add(costs.start_ns, fmt::format("starting {} launch{}", costs.launches, costs.launches == 1 ? "" : "es"),
      "the launches");
  // Copies beside the queue run while kernels do, so the parts may be more than the whole.
  const double rest = loss.profiled_ns - costs.copy_in_ns - costs.copy_out_ns - costs.kernel_ns - costs.start_ns;
  constexpr double kMatters = 0.01;  // of the whole
  if (rest > kMatters * loss.profiled_ns) add(rest, "the CPU and waiting", "the CPU and waiting");
  return out;
}

std::string costs_words(const DeviceLoss& loss) {
  const std::vector<Part> parts = parts_of(loss);
  if (parts.empty()) return "";
  std::string out;
  for (const Part& part : parts) out += (out.empty() ? "" : ", ") + part.words;
  const auto most =
      std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.ns < b.ns; });
  return "there, " + time_text(loss.profiled_ns) + ": " + out + "; most of it is " + most->name;
}

}  // namespace

std::vector<std::string> device_loss_lines(const std::vector<DeviceLoss>& losses, const std::string& device) {
  std::vector<std::string> out;
  for (const DeviceLoss& loss : losses) {
    out.push_back(sites_text(loss.sites) + " on " + device + ": " + slower_words(loss));
    if (const std::string words = loss.profiled_ns > 0 ? costs_words(loss) : ""; !words.empty())
      out.push_back("  " + words);
  }
  return out;
}

}  // namespace pbtune
