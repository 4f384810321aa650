// SPDX-License-Identifier: MIT
// Routines of BLAS by CLBlast (C. Nugteren: CLBlast: A Tuned OpenCL BLAS Library, 2018): --routine dot, asum, copy,
// scal or gemv. It has no clock for its kernels, so only the whole is timed.
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include "benchmarks/blas/routine.h"
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const baseline::Routine blas(run);
  const auto n = static_cast<std::size_t>(blas.n), m = static_cast<std::size_t>(blas.m);
  baseline::Device device(run);
  const auto on_first = device.memory(blas.first), on_second = device.memory(blas.second),
             on_result = device.memory(blas.result);
  device.measure(
      [&] {
        device.upload(on_first, blas.first);
        if (blas.has_second()) device.upload(on_second, blas.second);
      },
      [&] {
        cl_command_queue queue = device.queue();
        cl_mem x = on_first.get(), y = on_second.get(), r = on_result.get();
        CLBlastStatusCode status = CLBlastSuccess;
        if (blas.name == "dot") status = CLBlastDdot(n, r, 0, x, 0, 1, y, 0, 1, &queue, nullptr);
        if (blas.name == "asum") status = CLBlastDasum(n, r, 0, x, 0, 1, &queue, nullptr);
        if (blas.name == "copy") status = CLBlastDcopy(n, x, 0, 1, r, 0, 1, &queue, nullptr);
        if (blas.name == "scal") {
          status = CLBlastDcopy(n, x, 0, 1, r, 0, 1, &queue, nullptr);
          if (status == CLBlastSuccess) status = CLBlastDscal(n, blas.second[0], r, 0, 1, &queue, nullptr);
        }
        if (blas.name == "gemv")
          status = CLBlastDgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, m, n, 1, x, 0, n, y, 0, 1, 0, r, 0, 1,
                                &queue, nullptr);
        if (status != CLBlastSuccess) baseline::fail("CLBlast failed (" + std::to_string(status) + ")");
      },
      [&] { device.download(on_result, blas.result); }, [&] { run.write(0, blas.result); });
}
