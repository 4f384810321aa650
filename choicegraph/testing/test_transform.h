// SPDX-License-Identifier: MIT
// Programs for the tests of regions and of the choice graph, written in a few words and
// without the front end: headers only, empty bodies. Not part of the compiler.
#pragma once

#include <string>
#include <vector>

#include "lang/program.h"

namespace pb::testing {

/// Reads a formula of the language; aborts on anything else. Names in `rule_vars` are rule variables, in `tunables`
/// tunables.
[[nodiscard]] Formula parse_formula(const std::string& text, const std::vector<std::string>& rule_vars = {},
                                    const std::vector<std::string>& tunables = {});

/// A transform for tests. Matrices are written `IN[w,h]`, or `T[w;t]` with the versions 0 to t-1. Regions are written
/// as in the language, with the version as the last coordinate: `OUT.cell(x,y)`.
class TestTransform {
 public:
  explicit TestTransform(std::string name = "T") { transform_.name = transform_.source_name = std::move(name); }

  TestTransform& tunable(const std::string& name, double min, double max);
  TestTransform& from(const std::string& matrix) { return add(matrix, MatrixRole::From); }
  TestTransform& to(const std::string& matrix) { return add(matrix, MatrixRole::To); }
  TestTransform& through(const std::string& matrix) { return add(matrix, MatrixRole::Through); }
  TestTransform& rule(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                      int priority = 1);
  /// Adds `lhs op rhs` to the last rule.
  TestTransform& where(const std::string& lhs, RelationOp op, const std::string& rhs);

  /// Makes a program of only this transform, before infer_regions.
  [[nodiscard]] Program program() const;

 private:
  TestTransform& add(const std::string& matrix, MatrixRole role);
  [[nodiscard]] RegionAccess access(const std::string& text, const std::vector<std::string>& vars) const;
  void find_vars(const std::string& region, Rule& rule) const;

  Transform transform_;
  std::vector<std::string> tunables_;
};

/// A transform whose cells of `Out` are made from all of `Kernel[KWIDTH]` and a square of `In` that is `width` wide.
[[nodiscard]] TestTransform convolution(const std::string& width);

/// A transform with a temporary `T[w, h]` in `t` versions, the first of which is `A` and the last of which is `B`.
[[nodiscard]] TestTransform versioned_plate();

}  // namespace pb::testing
