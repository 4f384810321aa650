// SPDX-License-Identifier: MIT
// Chains of small kernels, enqueued one after the other into one queue without a clock. `--way enqueue` does nothing
// else; `event` asks for an event of each launch, and `flush` also flushes after each.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto start = run.input<double>(0), steps = run.input<double>(1);
  const baseline::Array<double> end(start.shape);
  const std::size_t n = start.shape.back(), chains = start.size() / n;
  const std::string way = run.text("way", "enqueue");
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "step.cl"), "");
  cl_int status = 0;
  const baseline::Handle<cl_command_queue> queue(clCreateCommandQueue(device.context(), device.id(), 0, &status),
                                                 clReleaseCommandQueue);
  baseline::check(status, "clCreateCommandQueue");
  const auto step = device.kernel("one_step");
  const auto on_start = device.memory(start), on_end = device.memory(end);
  const auto even = device.memory<double>(start.size()), odd = device.memory<double>(start.size());
  const int cells = static_cast<int>(n);
  const auto launch = [&](const baseline::Memory& to, const baseline::Memory& from, int row, double factor,
                          double summand) {
    const cl_mem out = to.get(), in = from.get();
    const std::size_t global = (n + 255) / 256 * 256, group = 256;
    clSetKernelArg(step.get(), 0, sizeof out, static_cast<const void*>(&out));
    clSetKernelArg(step.get(), 1, sizeof in, static_cast<const void*>(&in));
    clSetKernelArg(step.get(), 2, sizeof row, &row);
    clSetKernelArg(step.get(), 3, sizeof cells, &cells);
    clSetKernelArg(step.get(), 4, sizeof factor, &factor);
    clSetKernelArg(step.get(), 5, sizeof summand, &summand);
    cl_event event = nullptr;
    baseline::check(clEnqueueNDRangeKernel(queue.get(), step.get(), 1, nullptr, &global, &group, 0, nullptr,
                                           way == "enqueue" ? nullptr : &event),
                    "clEnqueueNDRangeKernel");
    if (event != nullptr) clReleaseEvent(event);
    if (way == "flush") clFlush(queue.get());
  };
  device.measure([&] { device.upload(on_start, start); },
                 [&] {
                   device.finish();
                   for (std::size_t row = 0; row < chains; ++row) {
                     const int y = static_cast<int>(row);
                     launch(even, on_start, y, 1, 0);
                     for (std::size_t k = 0; k < steps.size(); ++k)
                       launch(k % 2 == 0 ? odd : even, k % 2 == 0 ? even : odd, y, 0.5, 1);
                     launch(on_end, steps.size() % 2 == 0 ? even : odd, y, 1, 0);
                   }
                   clFinish(queue.get());
                 },
                 [&] { device.download(on_end, end); }, [&] { run.write(0, end); });
}
