// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/warp_shuffles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "runtime/gpu/fake_device.h"
#include "runtime/gpu/manager/kernel_table.h"

namespace pbrt::gpu {
namespace {

using ::testing::EndsWith;
using ::testing::IsEmpty;

class WarpShuffles : public ::testing::Test {
 protected:
  static DeviceInfo info_of(const char* platform, DeviceType type = DeviceType::Gpu) {
    DeviceInfo info = fake_device_info();
    info.platform = platform;
    info.type = type;
    return info;
  }

  /// The kernel that tries the instructions, with an error in what work-item `wrong` gets.
  void add_kernel(std::uint32_t wrong = UINT32_MAX) {
    control->add_kernel("pb_try_shuffles", [wrong](FakeCall& call) {
      auto* const out = call.memory<std::uint32_t>();
      for (std::uint32_t id = 0; id < 64; ++id) {
        out[2 * id] = 3 * (id ^ 16) + 1 + (id == wrong ? 1 : 0);
        out[2 * id + 1] = id < 32 ? 16 : 112;
      }
    });
  }

  std::shared_ptr<FakeControl> control = std::make_shared<FakeControl>();
  FakeDevice nvidia{control, info_of("NVIDIA CUDA")};
};

TEST_F(WarpShuffles, AreThereIfAKernelWithThemGivesTheRightValues) {
  add_kernel();
  EXPECT_TRUE(has_ptx_shuffles(nvidia));
}

TEST_F(WarpShuffles, AreNotThereIfOneValueIsWrong) {
  add_kernel(40);
  EXPECT_FALSE(has_ptx_shuffles(nvidia));
}

TEST_F(WarpShuffles, AreNotThereIfTheDriverRejectsThem) { EXPECT_FALSE(has_ptx_shuffles(nvidia)); }

TEST_F(WarpShuffles, AreNotTriedOnOtherDevices) {
  add_kernel();
  FakeDevice other(control, info_of("Portable Computing Language"));
  FakeDevice cpu(control, info_of("NVIDIA CUDA", DeviceType::Cpu));
  EXPECT_FALSE(has_ptx_shuffles(other));
  EXPECT_FALSE(has_ptx_shuffles(cpu));
  EXPECT_THAT(control->build_options(), IsEmpty());
}

TEST_F(WarpShuffles, AreToldToKernelsWhoseInstancesHaveLanes) {
  add_kernel();
  control->add_kernel("fold", [](FakeCall&) {});
  constexpr KernelDesc kFold = {.name = "fold", .lanes = Lanes::Neighbours};
  LaunchPlan plan;
  plan.kernel = &kFold;
  KernelTable table;
  ASSERT_NE(table.find(nvidia, plan, {{64, 1, 1}, {1, 1, 1}, 32}).kernel, nullptr);
  EXPECT_THAT(control->build_options().back(), EndsWith(" -DPB_HAS_PTX_SHUFFLES=1"));
  ASSERT_NE(table.find(nvidia, plan, {{64, 1, 1}, {1, 1, 1}, 1}).kernel, nullptr);
  EXPECT_THAT(control->build_options().back(), EndsWith(" -DPB_UNIT_STRIDE=1"));
  EXPECT_EQ(control->build_options().size(), 3U) << "they are tried once";
}

}  // namespace
}  // namespace pbrt::gpu
