// SPDX-License-Identifier: MIT
// std::sort or, with --stable 1, std::stable_sort of the C++ library, on one thread and in place.
#include "benchmarks/harness/baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto in = run.input<int>(0);
  const baseline::Array<int> out(in.shape);
  int *begin = out.data(), *end = begin + out.size();
  const bool is_stable = run.number("stable", 0) != 0;
  run.measure([&] { std::copy_n(in.data(), in.size(), begin); },
              [&] { is_stable ? std::stable_sort(begin, end) : std::sort(begin, end); }, [&] { run.write(0, out); });
}
