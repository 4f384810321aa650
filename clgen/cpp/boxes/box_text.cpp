// SPDX-License-Identifier: MIT
#include "clgen/cpp/boxes/box_text.h"

#include <vector>

#include "clgen/facts/names.h"

namespace pb {

std::string initializer_of(const BoxBounds& box) {
  std::vector<std::string> lo;
  std::vector<std::string> hi;
  for (const IndexRange& range : box) {
    lo.push_back(to_cpp(range.lo));
    hi.push_back(to_cpp(range.hi));
  }
  return "{{" + joined(lo) + "}, {" + joined(hi) + "}}";
}

std::string loops_at(const CellDims& cells, const std::string& box) {
  const BoxBounds all = variable_box(box, cells.size());
  BoxBounds loops;
  for (std::size_t d = 0; d < cells.size(); ++d)
    if (!cells[d].is_fixed()) loops.push_back(all[d]);
  return initializer_of(loops);
}

std::string box_text(const BoxBounds& box) {
  return "pbrt::Box<" + std::to_string(box.size()) + ">" + initializer_of(box);
}

}  // namespace pb
