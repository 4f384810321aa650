// SPDX-License-Identifier: MIT
#include "autotuner/testing/synthetic.h"

#include <algorithm>
#include <cmath>

namespace pbtune::testing {
namespace {

using pbrt::TunableInfo;
using pbrt::TunableRole;
using pbrt::TunableType;
using pbrt::Version;

constexpr double kLargest = 2147483647;
constexpr int kVersions = 3;

pbrt::TransformInfo pass(const std::string& name, int line) {
  pbrt::TransformInfo out;
  out.name = out.template_name = name;
  out.sizes = {"w", "h", "KWIDTH"};
  out.sites = {{"Out#1", {{"Out#1", {Version::Cpu, Version::OpenCl, Version::OpenClLocal}, line, ""}}}};
  out.tunables = {
      TunableInfo{"split_size", TunableType::Int, 1, kLargest, {64}, TunableRole::Split, false, 1, {"Out#1.cpu"}},
      TunableInfo{"Out#1.opencl.work_group",
                  TunableType::Shape,
                  1,
                  1024,
                  {16, 16},
                  TunableRole::WorkGroup,
                  false,
                  2,
                  {"Out#1.opencl"}},
      TunableInfo{"Out#1.opencl_local.work_group",
                  TunableType::Shape,
                  1,
                  1024,
                  {16, 16},
                  TunableRole::WorkGroup,
                  false,
                  2,
                  {"Out#1.opencl_local"}}};
  return out;
}

/// Distance of two extents in doublings.
double doublings(double a, double b) { return std::fabs(std::log2(std::max(a, 1.0) / b)); }

struct PassCost {
  double work = 7;  ///< products per cell
  double best_split = 256;
  double best_group[2] = {32, 8};
  double best_local_group[2] = {16, 16};
  double local_gain = 0.6;  ///< time of the local-memory version, relative to the other one
};

PassCost cost_of(int site) {
  if (site == kSite2D) return {49, 64, {32, 8}, {32, 4}, 0.45};
  if (site == kSiteRows) return {7, 256, {64, 2}, {64, 4}, 0.7};
  return {7, 128, {8, 32}, {16, 8}, 1.3};
}

double group_penalty(const std::vector<double>& shape, const double* best) {
  return 1 + 0.08 * (doublings(shape[0], best[0]) + doublings(shape[1], best[1]));
}

double pass_ns(const InfoIndex& index, const Configuration& configuration, int site, std::int64_t n) {
  const PassCost cost = cost_of(site);
  const std::string& transform = index.site(site).transform->name;
  const auto values = [&](const char* name) -> const std::vector<double>& {
    return configuration.tunables[static_cast<std::size_t>(index.find_tunable(transform, name))];
  };
  const double work = static_cast<double>(n) * static_cast<double>(n) * cost.work;
  const int choice = configuration.sites[static_cast<std::size_t>(site)].select(n) % kVersions;
  if (choice == 0) {
    const double threads = configuration.tunables[pbrt::kTunableThreads][0] == 1 ? 1 : 2;
    const bool is_sequential = static_cast<double>(n) < configuration.tunables[pbrt::kTunableSequentialCutoff][0];
    const double start = is_sequential ? 0 : 3000;
    return start + work * 0.5 / (is_sequential ? 1 : threads) *
                       (1 + 0.03 * doublings(values("split_size")[0], cost.best_split));
  }
  if (choice == 1) return 60000 + work * 0.15 * group_penalty(values("Out#1.opencl.work_group"), cost.best_group);
  return 60000 +
         work * 0.15 * cost.local_gain * group_penalty(values("Out#1.opencl_local.work_group"), cost.best_local_group);
}

}  // namespace

pbrt::TrainingInfo synthetic_program() {
  pbrt::TrainingInfo info;
  info.program = "synthetic";
  info.source = "sha256:5e9a";
  info.main = "SeparableConvolution";
  info.global = pbrt::standard_globals();
  pbrt::TransformInfo main;
  main.name = main.template_name = info.main;
  main.sizes = {"w", "h", "KWIDTH"};
  main.numbers = {"By", "Limit"};
  main.calls = {"Convolve2D", "ConvolveRows", "ConvolveColumns"};
  main.sites = {{"SinglePass|TwoPass",
                 {{"SinglePass", {Version::Cpu}, 12, "calls a transform"},
                  {"TwoPass", {Version::Cpu}, 18, "calls a transform"}}}};
  info.transforms = {main, pass("Convolve2D", 28), pass("ConvolveRows", 42), pass("ConvolveColumns", 54)};
  return info;
}

std::vector<RanChoice> synthetic_ran(const Configuration& configuration, std::int64_t n) {
  const auto chosen = [&](int site) {
    return RanChoice{site, configuration.sites[static_cast<std::size_t>(site)].select(n)};
  };
  const RanChoice first = chosen(kMainSite);
  if (first.alternative == 0) return {first, chosen(kSite2D)};
  return {first, chosen(kSiteRows), chosen(kSiteColumns)};
}

double synthetic_ns(const InfoIndex& index, const Configuration& configuration, std::int64_t n) {
  double sum = 2000;
  for (const RanChoice& ran : synthetic_ran(configuration, n))
    if (ran.site != kMainSite) sum += pass_ns(index, configuration, ran.site, n);
  return sum;
}

double synthetic_optimum_ns(const InfoIndex& index, std::int64_t n) {
  return synthetic_ns(index, synthetic_optimum(index, n), n);
}

Configuration synthetic_optimum(const InfoIndex& index, std::int64_t n) {
  Configuration best = pbrt::default_configuration(index);
  const auto set = [&](int site, const char* name, std::vector<double> values) {
    best.tunables[static_cast<std::size_t>(index.find_tunable(index.site(site).transform->name, name))] =
        std::move(values);
  };
  for (const int site : {kSite2D, kSiteRows, kSiteColumns}) {
    const PassCost cost = cost_of(site);
    set(site, "split_size", {cost.best_split});
    set(site, "Out#1.opencl.work_group", {cost.best_group[0], cost.best_group[1]});
    set(site, "Out#1.opencl_local.work_group", {cost.best_local_group[0], cost.best_local_group[1]});
  }
  Configuration least = best;
  const double huge = static_cast<double>(n) + 1;
  for (int code = 0; code < 2 * kVersions * kVersions * kVersions * 2; ++code) {
    int rest = code;
    for (const int site : {kSite2D, kSiteRows, kSiteColumns}) {
      best.sites[static_cast<std::size_t>(site)].levels = {{0, rest % kVersions}};
      rest /= kVersions;
    }
    best.sites[kMainSite].levels = {{0, rest % 2}};
    best.tunables[pbrt::kTunableSequentialCutoff] = {rest / 2 == 0 ? 0 : huge};
    if (synthetic_ns(index, best, n) < synthetic_ns(index, least, n)) least = best;
  }
  return least;
}

}  // namespace pbtune::testing
