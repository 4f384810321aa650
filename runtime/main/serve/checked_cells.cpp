// SPDX-License-Identifier: MIT
#include "runtime/main/serve/checked_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/seeded_fault.h"

namespace pbrt {
namespace {

constexpr std::int64_t kMostTerms = std::int64_t{1} << 24;
constexpr std::int64_t kMostCells = std::int64_t{1} << 16;

struct Limits {
  double epsilon, smallest, largest;
};

template <class T>
constexpr Limits kLimitsOf = {std::numeric_limits<T>::epsilon(), std::numeric_limits<T>::min(),
                              std::numeric_limits<T>::max()};

Limits limits_of(ElementKind kind) { return kind == ElementKind::Float ? kLimitsOf<float> : kLimitsOf<double>; }

/// A step through `count` places that visits each once and neighbours far apart.
std::int64_t scattering_step(std::int64_t count) {
  constexpr double kGoldenRatio = 0.618;
  auto step = std::max<std::int64_t>(1, static_cast<std::int64_t>(kGoldenRatio * static_cast<double>(count)));
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

double error_of(const CheckedCell& cell, double found) {
  const double error = std::fabs(found - cell.value);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// Whether two results agree by the default tolerance, or are the same infinity or both NaN.
bool is_near(double found, double reference, ElementKind kind) {
  if (found == reference || (std::isnan(found) && std::isnan(reference))) return true;
  return std::fabs(found - reference) <= default_tolerance(kind) * std::fabs(reference);
}

void add_cells(const Problem& problem, const CheckedSumDesc& desc, CheckedCells& out) {
  const AnyMatrix& output = problem.outputs[static_cast<std::size_t>(desc.output)];
  const std::int64_t count = output.count();
  const std::int64_t step = count > 0 ? scattering_step(count) : 0;
  std::int64_t num_terms = 0, num_cells = 0, index = 0;
  bool may_overflow = false;
  for (; num_cells < std::min(count, kMostCells) && num_terms < kMostTerms;
       ++num_cells, index = (index + step) % count) {
    const SumOfTerms sum = desc.compute(problem.inputs.data(), problem.sizes.data(), output.coordinates(index).data());
    num_terms += sum.num_terms;
    // The comparison is false for NaN, too.
    if (!(sum.magnitude < limits_of(output.kind()).largest)) {
      may_overflow = true;
      continue;
    }
    CheckedCell cell{desc.output, index, sum.value, allowed_error(sum, output.kind()), {}};
    const double reference = output.number_at(index);
    if (error_of(cell, reference) > cell.allowed) cell.of_reference = reference;
    out.cells.push_back(cell);
  }
  out.is_whole[static_cast<std::size_t>(desc.output)] = num_cells == count && !may_overflow;
}

}  // namespace

bool CheckedCells::has_bad_reference() const {
  return std::any_of(cells.begin(), cells.end(), [](const CheckedCell& cell) { return cell.of_reference.has_value(); });
}

bool CheckedCells::are_all() const {
  return !is_whole.empty() && std::find(is_whole.begin(), is_whole.end(), false) == is_whole.end();
}

double allowed_error(const SumOfTerms& sum, ElementKind kind) {
  const auto d = static_cast<double>(sum.num_terms);
  const Limits limits = limits_of(kind);
  // Products may be smaller than normal numbers, which some devices take for zeros.
  const double share = std::min(4 * d * limits.epsilon, default_tolerance(kind));
  return share * sum.magnitude + 4 * d * limits.smallest;
}

CheckedCells checked_cells(const Problem& problem) {
  CheckedCells out;
  out.is_whole.assign(problem.outputs.size(), false);
  for (int i = 0; i < problem.transform->num_checked_sums; ++i)
    add_cells(problem, problem.transform->checked_sums[i], out);
  return out;
}

void add_difference(const CheckedCell& cell, const AnyMatrix& output, const std::string& name, Difference& difference) {
  const double found = output.number_at(cell.index);
  if (cell.of_reference && is_near(found, *cell.of_reference, output.kind())) return;
  const double error = error_of(cell, found);
  difference.abs = std::max(difference.abs, error);
  if (error > 0) difference.rel = std::max(difference.rel, error / std::fabs(cell.value));
  if (error <= cell.allowed || PB_FAULT(sums_hold_nothing)) return;
  difference.is_within = false;
  if (difference.where.empty())
    difference.where = place_of(name, output, cell.index) + " is " + number_text(found) +
                       ", the sum in wider numbers is " + number_text(cell.value);
}

}  // namespace pbrt
