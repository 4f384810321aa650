// SPDX-License-Identifier: MIT
// Training information of small programs, for the tests of this folder and of the tuner.
#pragma once

#include <string>

#include "runtime/config/info.h"

namespace pbrt::testing {

/// `Blur`: transform `Blur` with site `Out` (rules `OnePass`, `TwoPass`, CPU only), transform `Conv` with
/// site `Out#1` (three versions), a split size, a work group, a share, a size-specific array.
inline TrainingInfo small_program() {
  TrainingInfo info;
  info.program = "blur";
  info.source = "sha256:0123";
  info.main = "Blur";
  info.global = standard_globals();

  TransformInfo blur;
  blur.name = blur.template_name = "Blur";
  blur.sizes = {"w", "h"};
  blur.calls = {"Conv"};
  blur.sites = {
      {"OnePass|TwoPass", {{"OnePass", {Version::Cpu}, 12, "calls a transform"}, {"TwoPass", {Version::Cpu}, 17, ""}}}};

  TransformInfo conv;
  conv.name = conv.template_name = "Conv";
  conv.sizes = {"w"};
  conv.sites = {{"Out#1", {{"Out#1", {Version::Cpu, Version::OpenCl, Version::OpenClLocal}, 25, ""}}}};
  TunableInfo split{"split_size", TunableType::Int, 1, 2147483647, {64}, TunableRole::Split, false, 1, {"Out#1.cpu"}};
  TunableInfo group{"Out#1.opencl.work_group", TunableType::Shape, 1, 1024, {16, 16}, TunableRole::WorkGroup, false, 2,
                    {"Out#1.opencl"}};
  group.site = "Out#1";
  TunableInfo share{"device_eighths", TunableType::Int, 0, 8, {8}, TunableRole::DeviceShare, false, 1, {}};
  share.undivided = {"Out#1.opencl_local"};
  TunableInfo block{"block", TunableType::Int, 1, 4096, {32}, TunableRole::User, true, 2, {}};
  TunableInfo damp{"damp", TunableType::Real, 0, 1, {0.9}, TunableRole::User, false, 1, {}};
  TunableInfo verbose{"verbose", TunableType::Int, 0, 1, {0}, TunableRole::Config, false, 1, {}};
  conv.tunables = {split, group, share, block, damp, verbose};
  info.transforms = {blur, conv};
  return info;
}

/// `Product`, whose rule runs on the CPU and on devices, with two values in its schedules.
inline TrainingInfo product_program() {
  TrainingInfo info;
  info.program = "product";
  info.source = "sha256:0123";
  info.main = "Product";
  info.global = standard_globals();
  TransformInfo product;
  product.name = product.template_name = "Product";
  product.sizes = {"m", "k", "n"};
  product.sites = {{"C#1", {{"C#1", {Version::Cpu, Version::OpenCl}, 5, ""}}}};
  TunableInfo split{"split_size", TunableType::Int, 1, 2147483647, {64}, TunableRole::Split, false, 1, {}};
  TunableInfo order{"C#1.cpu.fold_order", TunableType::Int, 0, 1, {0}, TunableRole::FoldOrder, false, 1, {"C#1.cpu"}};
  TunableInfo group{"C#1.opencl.work_group", TunableType::Shape, 0, 1024, {0}, TunableRole::WorkGroup, false, 2,
                    {"C#1.opencl"}};
  order.site = group.site = "C#1";
  product.tunables = {split, order, group};
  info.transforms = {product};
  return info;
}

}  // namespace pbrt::testing
