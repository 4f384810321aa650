// SPDX-License-Identifier: MIT
#include "lang/body/math_functions.h"

#include "base/seeded_fault.h"
#include "lang/check.h"

namespace pb {

DeviceFunction device_function(const MathFunction& function, std::string_view real) {
  PB_CHECK(function.is_on_devices(), "kernels call what devices know");
  if (function.definition.empty()) return {std::string(function.opencl), {}};
  const std::string word(real);
  if (PB_FAULT(kernel_min_takes_the_number)) return {"f" + std::string(function.name), {}};
  DeviceFunction made{"pb_" + std::string(function.name) + "_" + word, {}};
  std::string params;
  for (const char* name : {"a", "b", "c"}) {
    if (name[0] - 'a' < function.num_args) params += (params.empty() ? "const " : ", const ") + word + " " + name;
  }
  made.definition = "static inline " + word + " " + made.name + "(" + params + ") { return " +
                    std::string(function.definition) + "; }";
  return made;
}

}  // namespace pb
