// SPDX-License-Identifier: MIT
// What the baselines of BLAS routines share: the routine, its inputs and its result.
//
//   baseline … [--routine dot|asum|copy|scal|gemv]
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/harness/baseline.h"

namespace baseline {

/// A call of a routine. `first` is a vector of n elements, or the matrix of gemv, of m rows of n elements.
struct Routine {
  explicit Routine(const Run& run)
      : name(run.text("routine", "dot")),
        first(run.input<double>(0)),
        second(has_second() ? run.input<double>(1) : Array<double>({})),
        result(shape_of_result()),
        n(static_cast<std::ptrdiff_t>(first.shape.back())),
        m(name == "gemv" ? static_cast<std::ptrdiff_t>(first.shape[0]) : 1) {}

  [[nodiscard]] bool is_sum() const { return name == "dot" || name == "asum"; }
  [[nodiscard]] bool has_second() const { return name != "asum" && name != "copy"; }

  std::string name;
  Array<double> first;
  Array<double> second;  ///< the other vector, or the one factor of scal; asum and copy have none
  Array<double> result;
  std::ptrdiff_t n, m;

 private:
  [[nodiscard]] std::vector<std::size_t> shape_of_result() const {
    if (name == "gemv") return {first.shape[0]};
    return name == "copy" || name == "scal" ? first.shape : std::vector<std::size_t>();
  }
};

}  // namespace baseline
