// SPDX-License-Identifier: MIT
// A small program in the shape of generated code, for the tests of this folder: several rules
// for one output (one of them wrong, one for a device), an in-place transform, one that looks at
// what it begins with, a `param`, a body that gives up, one with random numbers. Run as a child process by main_test.
#define PB_ELEMENT double
#include <chrono>
#include <thread>

#include "runtime/config/formats/info_json.h"
#include "runtime/config/info.h"
#include "runtime/generated.h"

namespace pb_program {

using pbrt::AnyMatrix;
using pbrt::Box;
using pbrt::Frame;
using pbrt::RunContext;

enum : int { kSite_Blur = 0 };
enum : int { kTunable_Blur_split_size = 2, kTunable_Blur_work_group = 3 };
enum : int { kDirect = 0, kDirectDevice = 1, kTwoPass = 2, kWrong = 3, kGivesUp = 4, kBroken = 5 };

// ---- Blur: from In[n], Kernel[K] to Out[n-K+1] ----

template <class ViewIn, class ViewKernel>
inline ElementT rule_Blur_0(IndexT, IndexT, IndexT K, ViewIn in, ViewKernel kernel) {
  ElementT sum = 0;
  for (int i = 0; i < K; i++) sum += in.cell(i) * kernel.cell(i);
  return sum;
}

void blur_direct(Frame& frame, MatrixRegion1D Out, ConstMatrixRegion1D In, ConstMatrixRegion1D Kernel,
                 std::int64_t split) {
  const IndexT K = Kernel.size(0);
  const IndexT n = In.size(0);
  static constexpr pbrt::RuleDesc kRule = {"Blur.Out#1", "cpu"};
  const auto blur = [&](Frame&, const Box<1>& piece) {
    const auto out = Out.view();
    const auto in = In.view();
    for (std::int64_t x = piece.lo[0]; x < piece.hi[0]; ++x)
      out.cell(x) = rule_Blur_0(static_cast<IndexT>(x), n, K, in.region(x, x + K), Kernel.view());
  };
  pbrt::parallel_for<1>(frame, Box<1>{{0}, {Out.size(0)}}, split, blur, &kRule);
}

const char* const kBlurSource = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void Blur_0(__global double* out_data, const long out_offset, const long out_stride0, const int out_size0,
                     __global const double* in_data, const long in_offset, const long in_stride0, const int in_size0,
                     __global const double* kernel_data, const long kernel_offset, const long kernel_stride0, const int kernel_size0,
                     const int pb_lo0, const int pb_extent0) {
  if (get_global_id(0) >= pb_extent0) return;
  const long x = pb_lo0 + (long)get_global_id(0);
  double sum = 0;
  for (int i = 0; i < kernel_size0; i++)
    sum += in_data[in_offset + (x + i) * in_stride0] * kernel_data[kernel_offset + i * kernel_stride0];
  out_data[out_offset + x * out_stride0] = sum;
}
)";

void call_Blur(Frame& pb_parent, const MatrixRegion1D& Out, const ConstMatrixRegion1D& In,
               const ConstMatrixRegion1D& Kernel) {
  const IndexT n = In.size(0);
  const IndexT K = Kernel.size(0);
  if (Out.size(0) != n - K + 1) pbrt::size_mismatch("Blur", "Out", 0, "n-K+1", n - K + 1, Out.size(0));
  RunContext& ctx = pb_parent.context();
  pbrt::CallFrame pb_frame(pb_parent, n);
  const std::int64_t split = ctx.tunable_int(kTunable_Blur_split_size, n);
  int choice = ctx.select(kSite_Blur, n);
  if (choice == kDirectDevice) {
    static const pbrt::gpu::KernelDesc kernel{.name = "Blur_0",
                                              .rule = {"Blur.Out#1", "opencl"},
                                              .source = kBlurSource,
                                              .options = "",
                                              .needs_fp64 = true,
                                              .num_regions = 3};
    const std::int32_t lo = 0;
    const std::int32_t extent = Out.size(0);
    pbrt::gpu::Launch launch(kernel, pb_frame, ctx.gpu());
    launch.output(Out, pbrt::gpu::CopyOut::May).input(In).input(Kernel).range(1, &lo, &extent);
    launch.group(ctx.tunable_array(kTunable_Blur_work_group, n), 1);
    if (launch.run()) {
      ctx.count(pb_frame, kSite_Blur, kDirectDevice);
      return;
    }
    ctx.fallback(kSite_Blur, kDirectDevice, launch.reason());
    choice = kDirect;
  }
  pbrt::need_on_host(pb_frame, In);
  pbrt::need_on_host(pb_frame, Kernel);
  pbrt::before_host_write(pb_frame, Out);
  ctx.count(pb_frame, kSite_Blur, choice);
  if (choice == kGivesUp) PetabricksRuntime::abort();
  if (choice == kBroken) JASSERT(n < 0)(n)(K).Text("this rule is broken");
  if (choice == kTwoPass) {
    // The rule spawns two halves.
    const IndexT half = Out.size(0) / 2;
    pb_frame.spawn([=](Frame& f) { blur_direct(f, Out.region(0, half), In.region(0, half + K - 1), Kernel, split); });
    pb_frame.spawn([=](Frame& f) { blur_direct(f, Out.region(half, Out.size(0)), In.region(half, n), Kernel, split); });
    pb_frame.sync();
  } else {
    blur_direct(pb_frame, Out, In, Kernel, split);
  }
  if (choice == kWrong && Out.size(0) > 0) Out.cell(Out.size(0) - 1) += 1;
  pbrt::wrote_on_host(Out);
}

void run_Blur(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  call_Blur(frame, outputs[0].as<double, 1>(), inputs[0].as<double, 1>(), inputs[1].as<double, 1>());
}

// ---- Signal: to In[n], Kernel[K], random, one task per element ----

void run_Signal(Frame& frame, const AnyMatrix* outputs, const AnyMatrix*) {
  const auto In = outputs[0].as<double, 1>();
  const auto Kernel = outputs[1].as<double, 1>();
  pbrt::CallFrame pb_frame(frame, In.size(0));
  for (int i = 0; i < In.size(0); ++i)
    pb_frame.spawn([In, i](Frame&) { In.cell(i) = PetabricksRuntime::randDouble(0, 255); });
  pb_frame.sync();
  for (int i = 0; i < Kernel.size(0); ++i) Kernel.cell(i) = 1.0 / Kernel.size(0);
}

// ---- Twice: to A[n], in place ----

void run_Twice(Frame&, const AnyMatrix* outputs, const AnyMatrix*) {
  const auto A = outputs[0].as<double, 1>();
  for (int i = 0; i < A.size(0); ++i) A.cell(i) *= 2;
}

// ---- Fresh: to A[n], gives up unless it begins with NaN ----

void run_Fresh(Frame&, const AnyMatrix* outputs, const AnyMatrix*) {
  const auto A = outputs[0].as<double, 1>();
  for (int i = 0; i < A.size(0); ++i) {
    if (A.cell(i) == A.cell(i)) PetabricksRuntime::abort();
    A.cell(i) = 1;
  }
}

// ---- Identity: param n to OUT[n,n] ----

void run_Identity(Frame&, const AnyMatrix* outputs, const AnyMatrix*) {
  const auto OUT = outputs[0].as<double, 2>();
  for (int y = 0; y < OUT.height(); ++y)
    for (int x = 0; x < OUT.width(); ++x) OUT.cell(x, y) = x == y ? 1 : 0;
}

// ---- Luminance: from float RGB[w,h,3] to uchar GREY[w,h], S ----

void run_Luminance(Frame&, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  const auto RGB = inputs[0].as<float, 3>();
  const auto GREY = outputs[0].as<unsigned char, 2>();
  const auto S = outputs[1].as<double, 0>();
  double sum = 0;
  for (int y = 0; y < GREY.height(); ++y)
    for (int x = 0; x < GREY.width(); ++x) {
      GREY.cell(x, y) = static_cast<unsigned char>((RGB.cell(x, y, 0) + RGB.cell(x, y, 1) + RGB.cell(x, y, 2)) / 3);
      sum += GREY.cell(x, y);
    }
  S.cell() = sum;
}

// ---- Endless: to A[n], calls itself with the same sizes ----

void call_Endless(Frame& pb_parent, MatrixRegion1D A) {
  pbrt::call_on_fresh_stack_if_needed(pb_parent, [&] {
    pbrt::CallFrame pb_frame(pb_parent, A.size(0));
    for (int k = 0; k < 2; ++k) pb_frame.spawn([=](Frame& f) { call_Endless(f, A); });
    pb_frame.sync();
    A.cell(0) += 1;
  });
}

void run_Endless(Frame& frame, const AnyMatrix* outputs, const AnyMatrix*) {
  call_Endless(frame, outputs[0].as<double, 1>());
}

// ---- Slow: to A[n], takes five seconds ----

void run_Slow(Frame&, const AnyMatrix*, const AnyMatrix*) { std::this_thread::sleep_for(std::chrono::seconds(5)); }

// ---- Scale: param k, from By, uchar Level in 1..k, A[n] in -1..1 to B[n] ----

void run_Scale(Frame&, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  const double By = *static_cast<const double*>(inputs[0].data());
  const int Level = *static_cast<const unsigned char*>(inputs[1].data());
  const auto A = inputs[2].as<double, 1>();
  const auto B = outputs[0].as<double, 1>();
  for (int i = 0; i < A.size(0); ++i) B.cell(i) = By * A.cell(i) + Level;
}

// ---- Tables ----

/// Fills a size variable from a dimension of a known matrix.
void solve_one(const IndexT* sizes, int dim, std::int64_t& value, bool& is_known) {
  if (is_known || sizes == nullptr) return;
  value = sizes[dim];
  is_known = true;
}

const char* const kFormulaN[] = {"n"};
const char* const kFormulaK[] = {"K"};
const char* const kFormulaOut[] = {"n-K+1"};
const char* const kFormulaNN[] = {"n", "n"};
const char* const kFormulaWH3[] = {"w", "h", "3"};
const pbrt::MatrixDesc kBlurInputs[] = {{"In", pbrt::ElementKind::Double, 1, kFormulaN, true},
                                        {"Kernel", pbrt::ElementKind::Double, 1, kFormulaK, true}};
const pbrt::MatrixDesc kBlurOutputs[] = {{"Out", pbrt::ElementKind::Double, 1, kFormulaOut, false}};
const pbrt::MatrixDesc kSignalOutputs[] = {{"In", pbrt::ElementKind::Double, 1, kFormulaN, false},
                                           {"Kernel", pbrt::ElementKind::Double, 1, kFormulaK, false}};
const pbrt::MatrixDesc kTwiceOutputs[] = {{"A", pbrt::ElementKind::Double, 1, kFormulaN, true}};
const pbrt::MatrixDesc kFreshOutputs[] = {{"A", pbrt::ElementKind::Double, 1, kFormulaN, false}};
const pbrt::MatrixDesc kIdentityOutputs[] = {{"OUT", pbrt::ElementKind::Double, 2, kFormulaNN, false}};
const pbrt::MatrixDesc kLuminanceInputs[] = {{"RGB", pbrt::ElementKind::Float, 3, kFormulaWH3, true}};
const pbrt::MatrixDesc kLuminanceOutputs[] = {{"GREY", pbrt::ElementKind::UChar, 2, kFormulaWH3, false},
                                              {"S", pbrt::ElementKind::Double, 0, nullptr, false}};
const pbrt::MatrixDesc kScaleInputs[] = {{"By", pbrt::ElementKind::Double, 0, nullptr, true},
                                         {"Level", pbrt::ElementKind::UChar, 0, nullptr, true, "1..k"},
                                         {"A", pbrt::ElementKind::Double, 1, kFormulaN, true, "-1..1"}};
const pbrt::MatrixDesc kScaleOutputs[] = {{"B", pbrt::ElementKind::Double, 1, kFormulaN, false}};
const char* const kSizesNk[] = {"n", "k"};
const int kParamK[] = {1};
const char* const kSizesNK[] = {"n", "K"};
const char* const kSizesN[] = {"n"};
const char* const kSizesWH[] = {"w", "h"};
const int kParamN[] = {0};

const pbrt::TransformDesc kTransforms[] = {
    {"Blur", kBlurInputs, 2, kBlurOutputs, 1, kSizesNK, 2, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[0], 0, values[0], is_known[0]);
       solve_one(sizes[1], 0, values[1], is_known[1]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) {
       out[0] = v[0];
       out[1] = v[1];
       out[2] = v[0] - v[1] + 1;
     },
     run_Blur, 1},
    {"Signal", nullptr, 0, kSignalOutputs, 2, kSizesNK, 2, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[0], 0, values[0], is_known[0]);
       solve_one(sizes[1], 0, values[1], is_known[1]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) {
       out[0] = v[0];
       out[1] = v[1];
     },
     run_Signal, -1},
    {"Twice", nullptr, 0, kTwiceOutputs, 1, kSizesN, 1, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[0], 0, values[0], is_known[0]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) { out[0] = v[0]; }, run_Twice, -1},
    {"Identity", nullptr, 0, kIdentityOutputs, 1, kSizesN, 1, kParamN, 1,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[0], 0, values[0], is_known[0]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) {
       out[0] = v[0];
       out[1] = v[0];
     },
     run_Identity, -1},
    {"Endless", nullptr, 0, kTwiceOutputs, 1, kSizesN, 1, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[0], 0, values[0], is_known[0]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) { out[0] = v[0]; }, run_Endless, -1},
    {"Slow", nullptr, 0, kTwiceOutputs, 1, kSizesN, 1, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[0], 0, values[0], is_known[0]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) { out[0] = v[0]; }, run_Slow, -1},
    {"Luminance", kLuminanceInputs, 1, kLuminanceOutputs, 2, kSizesWH, 2, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[0], 0, values[0], is_known[0]);
       solve_one(sizes[0], 1, values[1], is_known[1]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) {
       out[0] = v[0];
       out[1] = v[1];
       out[2] = 3;
       out[3] = v[0];
       out[4] = v[1];
     },
     run_Luminance, -1},
    {"Scale", kScaleInputs, 3, kScaleOutputs, 1, kSizesNk, 2, kParamK, 1,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[2], 0, values[0], is_known[0]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) { out[0] = out[1] = v[0]; }, run_Scale, -1,
     nullptr, nullptr, -1, -1, 1,
     [](const RunContext&, const std::int64_t* v, pbrt::ValueRange* out) {
       out[1] = pbrt::ValueRange::of_integers(1, v[1]);
       out[2] = pbrt::ValueRange::of_reals(-1, 1);
     }},
    {"Fresh", nullptr, 0, kFreshOutputs, 1, kSizesN, 1, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       solve_one(sizes[0], 0, values[0], is_known[0]);
     },
     [](const RunContext&, const std::int64_t* v, std::int64_t* out) { out[0] = v[0]; }, run_Fresh, -1},
};

std::string info_json() {
  using pbrt::Version;
  pbrt::TrainingInfo info;
  info.program = "mini";
  info.source = "sha256:0000";
  info.main = "Blur";
  info.global = pbrt::standard_globals();
  for (const pbrt::TransformDesc& transform : kTransforms) {
    pbrt::TransformInfo entry;
    entry.name = entry.template_name = transform.name;
    for (int v = 0; v < transform.num_size_vars; ++v) entry.sizes.emplace_back(transform.size_vars[v]);
    info.transforms.push_back(entry);
  }
  pbrt::TransformInfo& blur = info.transforms[0];
  blur.sites.push_back({"Out#1|TwoPass",
                        {{"Out#1", {Version::Cpu, Version::OpenCl}, 3, ""},
                         {"TwoPass", {Version::Cpu}, 4, "spawns"},
                         {"Wrong", {Version::Cpu}, 5, "wrong"},
                         {"GivesUp", {Version::Cpu}, 6, "aborts"},
                         {"Broken", {Version::Cpu}, 7, "asserts"}}});
  pbrt::TunableInfo split;
  split.name = "split_size";
  split.min = 1;
  split.max = 1e6;
  split.initial = {64};
  split.role = pbrt::TunableRole::Split;
  pbrt::TunableInfo group = split;
  group.name = "work_group";
  group.type = pbrt::TunableType::Shape;
  group.max = 256;
  group.initial = {16};
  group.role = pbrt::TunableRole::WorkGroup;
  blur.tunables = {split, group};
  return to_json(info);
}

}  // namespace pb_program

int main(int argc, char** argv) {
  const std::string info = pb_program::info_json();
  const pbrt::ProgramDesc program{"mini", info.c_str(), pb_program::kTransforms, 9, 0};
  return pbrt::program_main(argc, argv, program);
}
