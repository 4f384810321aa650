// SPDX-License-Identifier: MIT
// CUDA C++, for `nvcc`. All kernels of a program stand in one file. Each has a namespace of its own, but its launchable
// name is in no namespace.
#include "clgen/opencl/kernel_dialect.h"
#include "lang/check.h"

namespace pb {
namespace {

/// Defines in CUDA what OpenCL C has built in, and the macros that the text of every kernel uses.
constexpr const char* kPrelude = R"(#ifndef PB_INDEX
#define PB_INDEX long
#include <float.h>
#include <limits.h>
#include <math.h>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
static __device__ inline double as_double(ulong bits) { return __longlong_as_double((long long)bits); }
static __device__ inline double as_double(long bits) { return __longlong_as_double((long long)bits); }
static __device__ inline double as_double(double number) { return number; }
static __device__ inline float as_float(uint bits) { return __uint_as_float(bits); }
static __device__ inline float as_float(int bits) { return __uint_as_float((uint)bits); }
static __device__ inline float as_float(float number) { return number; }
static __device__ inline long as_long(double number) { return (long)__double_as_longlong(number); }
static __device__ inline ulong as_ulong(double number) { return (ulong)__double_as_longlong(number); }
static __device__ inline int popcount(ulong bits) { return __popcll(bits); }
static __device__ inline int popcount(uint bits) { return __popc(bits); }
static __device__ inline int popcount(ushort bits) { return __popc(bits); }
static __device__ inline int popcount(uchar bits) { return __popc(bits); }
static __device__ inline long as_long(ulong bits) { return (long)bits; }
static __device__ inline ulong as_ulong(long bits) { return (ulong)bits; }
static __device__ inline int as_int(float number) { return __float_as_int(number); }
static __device__ inline uint as_uint(float number) { return __float_as_uint(number); }
static __device__ inline int as_int(uint bits) { return (int)bits; }
static __device__ inline uint as_uint(int bits) { return (uint)bits; }
template <class T>
static __device__ inline T clamp(T a, T b, T c) { return a < b ? b : c < a ? c : a; }
#undef isnormal
#define isnormal(x) (isfinite(x) && fabs(x) >= (sizeof(x) == sizeof(float) ? (double)FLT_MIN : DBL_MIN))
#ifdef PB_UNIT_STRIDE
#define PB_STRIDE0(stride) 1
#else
#define PB_STRIDE0(stride) (PB_INDEX)(stride)
#endif
#ifndef PB_ITEMS0
#define PB_ITEMS0 1
#endif
#ifndef PB_ITEMS1
#define PB_ITEMS1 1
#endif
#ifndef PB_ITEMS2
#define PB_ITEMS2 1
#endif
#define PB_ITEMS (PB_ITEMS0 * PB_ITEMS1 * PB_ITEMS2)
#if PB_ITEMS0 > 1
#define PB_LOCAL0 (threadIdx.x + pb_k0 * blockDim.x)
#else
#define PB_LOCAL0 threadIdx.x
#endif
#define PB_SPAN0 ((int)blockDim.x * PB_ITEMS0)
#define PB_PLACE0 ((int)blockIdx.x * PB_SPAN0 + (int)PB_LOCAL0)
#if PB_ITEMS1 > 1
#define PB_LOCAL1 ((int)threadIdx.y * PB_ITEMS1 + pb_k1)
#else
#define PB_LOCAL1 threadIdx.y
#endif
#define PB_SPAN1 ((int)blockDim.y * PB_ITEMS1)
#define PB_PLACE1 ((int)blockIdx.y * PB_SPAN1 + (int)PB_LOCAL1)
#if PB_ITEMS2 > 1
#define PB_LOCAL2 ((int)threadIdx.z * PB_ITEMS2 + pb_k2)
#else
#define PB_LOCAL2 threadIdx.z
#endif
#define PB_SPAN2 ((int)blockDim.z * PB_ITEMS2)
#define PB_PLACE2 ((int)blockIdx.z * PB_SPAN2 + (int)PB_LOCAL2)
#ifndef PB_STAGE
#define PB_STAGE 0
#endif
#ifndef PB_FOLD_GROUPS
#define PB_FOLD_GROUPS 1
#endif
#ifndef PB_PART_LANES
#define PB_PART_LANES 1
#endif
#if PB_STAGE > 0
#define PB_SCRATCH , ulong* __restrict__ pb_scratch
#else
#define PB_SCRATCH
#endif
#define PB_PARTS PB_GROUP_ITEMS
#define PB_MIN(a, b) ((a) < (b) ? (a) : (b))
#define PB_MAX(a, b) ((a) > (b) ? (a) : (b))
#define PB_FLOORD(a, b) ((a) / (b) - ((a) % (b) < 0))
extern __shared__ __align__(16) uchar pb_shared[];
#endif
)";

/// `threadIdx.x`.
std::string component(const char* variable, int dim) { return std::string(variable) + "." + "xyz"[dim]; }

/// The operator in names of updates that no other one interrupts.
std::string update_word(FoldOp op) {
  switch (op) {
    case FoldOp::Add:
      return "Add";
    case FoldOp::Min:
      return "Min";
    case FoldOp::Max:
      return "Max";
    case FoldOp::BitAnd:
      return "And";
    case FoldOp::BitOr:
      return "Or";
    case FoldOp::BitXor:
      return "Xor";
    case FoldOp::Mul:
    case FoldOp::And:
    case FoldOp::Or:
      break;
  }
  PB_CHECK(false, "devices have updates by this operator");
  return {};
}

}  // namespace

const KernelDialect& cuda_dialect() {
  static const KernelDialect dialect = {
      .prelude = kPrelude,
      .may_run_on_cpus = false,
      .fp64 = "",
      .no_contraction = "// nvcc --fmad=false",
      .function = "__device__ ",
      .kernel = "extern \"C\" __global__ void ",
      .group_bound = "__launch_bounds__(PB_GROUP_ITEMS)",
      .block_bound = "__launch_bounds__(PB_GROUP0 * PB_PART_LANES * PB_GROUP1 * PB_GROUP2)",
      .warp_size = "",
      .global = "",
      .local = "",
      .restrict_ = "__restrict__",
      .barrier = "__syncthreads();",
      .cell_barrier = "__syncthreads();",
      .local_array = "__shared__ ",
      .ticket = [](const std::string& pointer) { return "atomicAdd((uint*)" + pointer + ", 1u)"; },
      .update =
          [](FoldOp op, const std::string&, const std::string& type, const std::string& cell,
             const std::string& value) {
            return "atomic" + update_word(op) + "((" + type + "*)&" + cell + ", " + value + ");";
          },
      .group_id = [](int dim) { return component("blockIdx", dim); },
      .group_size = [](int dim) { return component("blockDim", dim); },
      .local_id = [](int dim) { return component("threadIdx", dim); },
      // The launch says at which byte of the group's memory a buffer begins.
      .buffer_parameter = [](const std::string&, const std::string& name) { return "const uint " + name + "_at"; },
      .buffer_pointer =
          [](const std::string& type, const std::string& name) {
            return type + "* const __restrict__ " + name + " = (" + type + "*)(pb_shared + " + name + "_at);";
          },
      .begin_unit = [](const std::string& kernel) { return "namespace " + kernel + "_unit {\n"; },
      .end_unit = [](const std::string&) { return std::string("}\n"); },
  };
  return dialect;
}

}  // namespace pb
