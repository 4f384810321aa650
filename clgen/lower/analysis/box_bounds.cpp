// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/box_bounds.h"

#include "lang/region/affine.h"

namespace pb {

BoxBounds instance_box(const Step& step) {
  BoxBounds box;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop) box.push_back(loop->range);
  return box;
}

BoxBounds cell_box(const CellDims& cells) {
  BoxBounds out;
  for (const CellDim& dim : cells) out.push_back(dim.range);
  return out;
}

BoxBounds variable_box(const std::string& name, std::size_t num_dims) {
  BoxBounds box;
  for (std::size_t d = 0; d < num_dims; ++d) {
    const std::string at = "[" + std::to_string(d) + "]";
    box.push_back({index_symbol(name + ".lo" + at), index_symbol(name + ".hi" + at)});
  }
  return box;
}

bool is_all_of(const IndexRange& range, const Formula& extent) {
  const auto size = to_rational(extent, {});
  return range.lo.is_const(0) && size && size->denominator == 1 && range.hi == size->numerator;
}

}  // namespace pb
