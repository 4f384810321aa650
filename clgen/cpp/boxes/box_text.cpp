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

std::string box_text(const BoxBounds& box) {
  return "pbrt::Box<" + std::to_string(box.size()) + ">" + initializer_of(box);
}

}  // namespace pb
