// SPDX-License-Identifier: MIT
// Random transform headers for the property tests. Not part of the compiler.
#pragma once

#include <cstdint>
#include <random>

#include "choicegraph/testing/test_transform.h"

namespace pb::testing {

/// What a random header exercises, for the printed distribution.
struct HeaderTraits {
  int num_rules = 0;
  bool has_self_dependence = false;
  bool has_several_outputs = false;
  bool has_where = false;
  bool has_wide_output = false;
  bool has_lattice_or_diagonal = false;
  bool has_triangle = false;           ///< a `where` between two rule variables
  bool has_dynamic_where = false;      ///< a `where` that instances test
  bool has_versions = false;           ///< an output has versions: rules that name one displace those that count them
  bool has_border = false;             ///< an input whose coordinates a border maps
  bool has_partial_temporary = false;  ///< rules make a part of it, or results need a part
  bool is_plane = false;
};

struct RandomHeader {
  TestTransform transform;
  HeaderTraits traits;
  std::string text;  ///< the source of `transform`, to paste into a test
};

[[nodiscard]] RandomHeader random_header(std::mt19937_64& rng);

}  // namespace pb::testing
