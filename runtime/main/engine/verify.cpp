// SPDX-License-Identifier: MIT
#include "runtime/main/engine/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/config/formats/protocol.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt {

std::string place_of(const std::string& name, const AnyMatrix& matrix, std::int64_t i) {
  const auto at = matrix.coordinates(i);
  std::string text = name + ".cell(";
  for (int d = 0; d < matrix.num_dims(); ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(at[static_cast<std::size_t>(d)]);
  return text + ")";
}

namespace {

double largest_magnitude(const AnyMatrix& matrix) {
  return visit_kind(matrix.kind(), [&]<class T>(T*) {
    const T* data = static_cast<const T*>(matrix.data());
    const std::int64_t count = matrix.count();
    double largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double magnitude = std::fabs(static_cast<double>(data[i]));
      if (magnitude > largest && std::isfinite(magnitude)) largest = magnitude;
    }
    return largest;
  });
}

void compare_one(const AnyMatrix& output, const AnyMatrix& reference, const std::string& name,
                 const ToleranceInfo& tolerance, double override_rel, Difference& difference) {
  const double scale = largest_magnitude(reference);
  double rel = default_tolerance(output.kind());
  if (tolerance.is_given) rel = tolerance.rel;
  if (override_rel >= 0) rel = override_rel;
  const bool has_abs = tolerance.is_given && tolerance.abs >= 0 && override_rel < 0;
  const double allowed_everywhere = has_abs ? tolerance.abs : rel * scale;
  double worst = 0;
  visit_kind(output.kind(), [&]<class T>(T*) {
    const T* values = static_cast<const T*>(output.data());
    const T* expected_values = static_cast<const T*>(reference.data());
    const std::int64_t count = output.count();
    for (std::int64_t i = 0; i < count; ++i) {
      const double error = error_of(values[i], expected_values[i]);
      if (error <= worst && error <= allowed_everywhere) continue;
      worst = std::max(worst, error);
      const auto expected = static_cast<double>(expected_values[i]);
      if (error <= allowed_everywhere || (has_abs && error <= rel * std::fabs(expected))) continue;
      difference.is_within = false;
      if (difference.where.empty())
        difference.where = place_of(name, output, i) + " is " + number_text(values[i]) + ", the reference is " +
                           number_text(expected_values[i]);
    }
  });
  difference.abs = std::max(difference.abs, worst);
  const double relative = scale > 0 ? worst / scale : std::numeric_limits<double>::infinity();
  if (worst > 0) difference.rel = std::max(difference.rel, relative);
}

std::string sizes_text(const AnyMatrix& matrix) {
  std::string text;
  for (int d = 0; d < matrix.num_dims(); ++d) text += (d == 0 ? "" : " x ") + std::to_string(matrix.size(d));
  return text;
}

}  // namespace

Difference compare_outputs(const std::vector<AnyMatrix>& outputs, const std::vector<AnyMatrix>& reference,
                           const std::vector<std::string>& names, const ToleranceInfo& tolerance, double override_rel) {
  Difference difference;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].has_same_shape(reference[i])) {
      difference.is_within = false;
      if (difference.where.empty())
        difference.where = names[i] + std::string(protocol::kHasTheSize) + sizes_text(outputs[i]) + ", the reference " +
                           sizes_text(reference[i]);
      continue;
    }
    compare_one(outputs[i], reference[i], names[i], tolerance, override_rel, difference);
  }
  return difference;
}

}  // namespace pbrt
