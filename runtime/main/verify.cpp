// SPDX-License-Identifier: MIT
#include "runtime/main/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace pbrt {

namespace {

constexpr double kDoubleTolerance = 1e-9;
constexpr double kFloatTolerance = 1e-4;

double default_tolerance(ElementKind kind) {
  if (kind == ElementKind::Double) return kDoubleTolerance;
  return kind == ElementKind::Float ? kFloatTolerance : 0;
}

double largest_magnitude(const AnyMatrix& matrix) {
  double largest = 0;
  const std::int64_t count = matrix.count();
  for (std::int64_t i = 0; i < count; ++i) {
    const double magnitude = std::fabs(matrix.number_at(i));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

double error_of(double value, double expected) {
  if (std::isnan(value) && std::isnan(expected)) return 0;
  if (value == expected) return 0;
  const double error = std::fabs(value - expected);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

std::string place(const std::string& name, const AnyMatrix& matrix, std::int64_t i) {
  std::string text = name + ".cell(";
  for (int d = 0; d < matrix.num_dims(); ++d) {
    text += (d == 0 ? "" : ", ") + std::to_string(i % matrix.size(d));
    i /= matrix.size(d);
  }
  return text + ")";
}

void compare_one(const AnyMatrix& output, const AnyMatrix& reference, const std::string& name, const ToleranceInfo& tolerance,
                 double override_rel, Difference& difference) {
  const double scale = largest_magnitude(reference);
  double rel = default_tolerance(output.kind());
  if (tolerance.is_given) rel = tolerance.rel;
  if (override_rel >= 0) rel = override_rel;
  const bool has_abs = tolerance.is_given && tolerance.abs >= 0 && override_rel < 0;
  const std::int64_t count = output.count();
  for (std::int64_t i = 0; i < count; ++i) {
    const double expected = reference.number_at(i);
    const double value = output.number_at(i);
    const double error = error_of(value, expected);
    if (error == 0) continue;
    difference.abs = std::max(difference.abs, error);
    const double relative = scale > 0 ? error / scale : std::numeric_limits<double>::infinity();
    difference.rel = std::max(difference.rel, relative);
    const double allowed = has_abs ? std::max(tolerance.abs, rel * std::fabs(expected)) : rel * scale;
    if (error <= allowed) continue;
    difference.is_within = false;
    if (difference.where.empty())
      difference.where = place(name, output, i) + " is " + std::to_string(value) + ", the reference is " + std::to_string(expected);
  }
}

}  // namespace

Difference compare_outputs(const std::vector<AnyMatrix>& outputs, const std::vector<AnyMatrix>& reference,
                           const std::vector<std::string>& names, const ToleranceInfo& tolerance, double override_rel) {
  Difference difference;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    compare_one(outputs[i], reference[i], names[i], tolerance, override_rel, difference);
  return difference;
}

}  // namespace pbrt
