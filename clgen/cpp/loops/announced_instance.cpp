// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/announced_instance.h"

#include <string>
#include <vector>

#include "clgen/facts/names.h"

namespace pb {

void declare_one_instance(Writer& out, const Step& step) {
  std::vector<std::string> lo;
  std::vector<std::string> hi;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop) {
    lo.push_back(loop->var);
    hi.push_back(loop->var + " + 1");
  }
  out.declare("const " + box_type(step), "pb_one", "{{" + joined(lo) + "}, {" + joined(hi) + "}}");
}

}  // namespace pb
