// SPDX-License-Identifier: MIT
// Routines of BLAS by CLBlast (C. Nugteren: CLBlast: A Tuned OpenCL BLAS Library, 2018): --routine dot, asum, copy,
// scal or gemv. It has no clock for its kernels, so only the whole is timed.
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const std::string routine = run.text("routine", "dot");
  const auto first = run.input<double>(0);
  const std::size_t n = first.shape.back(), m = routine == "gemv" ? first.shape[0] : 1;
  const bool is_vector = routine == "copy" || routine == "scal";
  const bool has_second = routine != "asum" && routine != "copy";
  const auto second = has_second ? run.input<double>(1) : baseline::Array<double>({});
  const baseline::Array<double> result(routine == "gemv" ? std::vector{m}
                                       : is_vector       ? first.shape
                                                         : std::vector<std::size_t>());
  baseline::Device device(run);
  const auto on_first = device.memory(first), on_second = device.memory(second), on_result = device.memory(result);
  device.measure(
      [&] {
        device.upload(on_first, first);
        if (has_second) device.upload(on_second, second);
      },
      [&] {
        cl_command_queue queue = device.queue();
        cl_mem x = on_first.get(), y = on_second.get(), r = on_result.get();
        CLBlastStatusCode status = CLBlastSuccess;
        if (routine == "dot") status = CLBlastDdot(n, r, 0, x, 0, 1, y, 0, 1, &queue, nullptr);
        if (routine == "asum") status = CLBlastDasum(n, r, 0, x, 0, 1, &queue, nullptr);
        if (routine == "copy") status = CLBlastDcopy(n, x, 0, 1, r, 0, 1, &queue, nullptr);
        if (routine == "scal") {
          status = CLBlastDcopy(n, x, 0, 1, r, 0, 1, &queue, nullptr);
          if (status == CLBlastSuccess) status = CLBlastDscal(n, second[0], r, 0, 1, &queue, nullptr);
        }
        if (routine == "gemv")
          status = CLBlastDgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, m, n, 1, x, 0, n, y, 0, 1, 0, r, 0, 1,
                                &queue, nullptr);
        if (status != CLBlastSuccess) baseline::fail("CLBlast failed (" + std::to_string(status) + ")");
      },
      [&] { device.download(on_result, result); }, [&] { run.write(0, result); });
}
