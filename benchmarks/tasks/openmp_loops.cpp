// SPDX-License-Identifier: MIT
// Loops that follow each other, with OpenMP's static schedule.
#include <omp.h>

#include "loops.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  omp_set_num_threads(run.threads());
  measure_loops(run, [](double* cells, std::int64_t size) {
#pragma omp parallel
    {
      const std::int64_t thread = omp_get_thread_num(), count = omp_get_num_threads();
      compute(cells, size * thread / count, size * (thread + 1) / count);
    }
  });
}
