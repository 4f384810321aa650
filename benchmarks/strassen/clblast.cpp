// SPDX-License-Identifier: MIT
// C = A B by CLBlast (C. Nugteren: CLBlast: A Tuned OpenCL BLAS Library, 2018). It starts several kernels and has no
// clock for them, so only the whole is timed.
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0), b = run.input<double>(1);
  const std::size_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  const baseline::Array<double> c({m, n});
  baseline::Device device(run);
  const auto on_a = device.memory(a), on_b = device.memory(b), on_c = device.memory(c);
  device.measure(
      [&] {
        device.upload(on_a, a);
        device.upload(on_b, b);
      },
      [&] {
        cl_command_queue queue = device.queue();
        const CLBlastStatusCode status =
            CLBlastDgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, m, n, k, 1, on_a.get(), 0, k,
                         on_b.get(), 0, n, 0, on_c.get(), 0, n, &queue, nullptr);
        if (status != CLBlastSuccess) baseline::fail("CLBlastDgemm failed (" + std::to_string(status) + ")");
      },
      [&] { device.download(on_c, c); }, [&] { run.write(0, c); });
}
