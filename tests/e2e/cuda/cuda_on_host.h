// SPDX-License-Identifier: MIT
// As much of CUDA as the kernels of `pbc --emit=cuda` need, for a C++ compiler: tests compile kernels with it and run
// them, a thread for each work-item of a block.
#pragma once

#include <barrier>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __shared__
#define __align__(bytes) __attribute__((aligned(bytes)))

using std::abs;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
inline int __popcll(unsigned long long bits) { return std::popcount(bits); }
inline int __popc(unsigned bits) { return std::popcount(bits); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline long long __double_as_longlong(double number) { return std::bit_cast<long long>(number); }
inline int __float_as_int(float number) { return std::bit_cast<int>(number); }
inline unsigned __float_as_uint(float number) { return std::bit_cast<unsigned>(number); }

struct CudaPlace {
  unsigned x = 0, y = 0, z = 0;
};
inline thread_local CudaPlace threadIdx, blockIdx;
inline CudaPlace blockDim;
inline std::unique_ptr<std::barrier<>> cuda_barrier;
inline void __syncthreads() { cuda_barrier->arrive_and_wait(); }

/// Calls `kernel` for each work-item of `blocks` blocks of `items` work-items: those of one block at once.
template <class Kernel>
void cuda_launch(CudaPlace blocks, CudaPlace items, const Kernel& kernel) {
  blockDim = items;
  for (unsigned block = 0; block < blocks.x * blocks.y; ++block) {
    cuda_barrier = std::make_unique<std::barrier<>>(items.x * items.y);
    std::vector<std::thread> threads;
    for (unsigned item = 0; item < items.x * items.y; ++item)
      threads.emplace_back([&, item] {
        blockIdx = {block % blocks.x, block / blocks.x, 0};
        threadIdx = {item % items.x, item / items.x, 0};
        kernel();
        cuda_barrier->arrive_and_drop();
      });
    for (std::thread& thread : threads) thread.join();
  }
}
