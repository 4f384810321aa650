// SPDX-License-Identifier: MIT
// Loops that follow each other, with OpenMP's static schedule. Prints JSON with medians in ns.
#include <omp.h>

#include "loops.h"

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  omp_set_num_threads(options.threads);
  print_loop_times(options, [](double* cells, std::int64_t size) {
#pragma omp parallel
    {
      const std::int64_t thread = omp_get_thread_num(), count = omp_get_num_threads();
      compute(cells, size * thread / count, size * (thread + 1) / count);
    }
  });
}
