// SPDX-License-Identifier: MIT
// Calls the library `scale_floats` on 1, 2, 3 and prints the result.
#include <scale_floats.h>

#include <cstdio>
#include <polybricks.hpp>
#include <vector>

int main() {
  const polybricks::Context context(scale_floats_library());
  const std::vector<float> numbers = {1, 2, 3};
  std::vector<float> scaled(3);
  context.call(scale_floats_Scale, numbers, scaled);
  std::printf("%g %g %g\n", scaled[0], scaled[1], scaled[2]);
}
