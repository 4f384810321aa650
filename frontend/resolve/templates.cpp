// SPDX-License-Identifier: MIT
// `template` and `accuracy_bins`: the instances that a declaration stands for (docs/reference/language.md 4.6, 4.7).
#include <algorithm>

#include "frontend/resolve/scope.h"

namespace pb::resolving {
namespace {

constexpr std::int64_t kManyInstances = 25;
constexpr std::int64_t kMaxInstances = 1000;

void report_range(const ast::TemplateParam& param, Diagnostics& diags) {
  diags.emit(DiagKind::TemplateRange, param.span).arg(param.lo).arg(param.hi).arg(kMaxInstances);
}

/// Reads the parameters of a template; false after an error.
bool read_params(const ast::Transform& transform, TemplateHeader& header, std::int64_t& total, Diagnostics& diags) {
  bool ok = true;
  for (const ast::TemplateParam& param : transform.template_params) {
    const auto same = std::find_if(header.params.begin(), header.params.end(),
                                   [&](const TemplateParam& known) { return known.name == param.name.text; });
    if (same != header.params.end()) {
      diags.emit(DiagKind::DuplicateName, param.name.span).arg(param.name.text);
      ok = false;
      continue;
    }
    const bool is_range = param.hi >= param.lo && param.hi - param.lo < kMaxInstances;
    if (is_range) total *= param.hi - param.lo + 1;
    if (!is_range || total > kMaxInstances) {
      report_range(param, diags);
      return false;
    }
    header.params.push_back({param.name.text, param.lo, param.hi, false});
  }
  return ok;
}

/// Reads the bins, which grow or shrink. If they shrink, a lower metric is better, and bin 0 is the one written last
/// (docs/reference/language.md 4.7).
bool read_bins(const ast::Transform& transform, TemplateHeader& header, Diagnostics& diags) {
  const std::vector<ast::Number>& bins = transform.accuracy_bins;
  if (bins.empty()) return true;
  header.higher_is_better = bins.size() < 2 || bins[0].value < bins[1].value;
  for (std::size_t i = 1; i < bins.size(); ++i) {
    const bool grows = bins[i - 1].value < bins[i].value;
    if (bins[i - 1].value != bins[i].value && grows == header.higher_is_better) continue;
    diags.emit(DiagKind::BinsNotMonotone, bins[i].span)
        .note("shrinking bins say that a lower metric is better")
        .hint("write them from the least to the most demanding");
    return false;
  }
  for (const ast::Number& bin : bins) header.targets.push_back(bin.value);
  if (!header.higher_is_better) std::reverse(header.targets.begin(), header.targets.end());
  header.params.push_back({"bin", 0, static_cast<std::int64_t>(bins.size()) - 1, true});
  return true;
}

}  // namespace

std::optional<TemplateHeader> read_template(const ast::Transform& transform, Diagnostics& diags) {
  if (transform.template_params.empty() && transform.accuracy_bins.empty()) return std::nullopt;
  TemplateHeader header;
  std::int64_t total = 1;
  if (!read_params(transform, header, total, diags) || !read_bins(transform, header, diags)) return std::nullopt;
  if (!header.targets.empty()) total *= static_cast<std::int64_t>(header.targets.size());
  if (total > kMaxInstances) {
    report_range(transform.template_params.back(), diags);
    return std::nullopt;
  }
  if (total > kManyInstances)
    diags.emit(DiagKind::ManyInstances, transform.name.span)
        .arg(transform.name.text)
        .arg(total)
        .note("once per combination of its template parameters and accuracy bins");
  return header;
}

std::vector<Constant> accuracy_constants(const Transform& instance) {
  if (!instance.accuracy || !instance.accuracy->target) return {};
  const double target = *instance.accuracy->target;
  // Whatever the metric is, a body sees a target on the scale on which more is better.
  return {{"ACCURACY_BIN", instance.template_args.back()},
          {"ACCURACY_TARGET", instance.accuracy->higher_is_better ? target : -target},
          {"_acc_bin", instance.template_args.back()}};
}

}  // namespace pb::resolving
