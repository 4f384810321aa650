// SPDX-License-Identifier: MIT
#include "runtime/gpu/lane_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "runtime/config/errors.h"
#include "runtime/gpu/manager/kernel_table.h"
#include "runtime/gpu/testing/fake_device.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LaneExchangeTest : public ::testing::Test {
 protected:
  static DeviceInfo info_of(const char* platform, DeviceType type = DeviceType::Gpu) {
    DeviceInfo info = fake_device_info();
    info.platform = platform;
    info.type = type;
    return info;
  }
  static DeviceInfo with_sub_groups(DeviceInfo info) {
    info.has_sub_group_shuffles = true;
    return info;
  }

  /// The kernel that tries a way, with an error in what work-item `wrong` gets.
  void add_kernel(std::uint32_t wrong = UINT32_MAX) {
    control->add_kernel("pb_try_exchange", [wrong](FakeCall& call) {
      auto* const out = call.memory<std::uint32_t>();
      for (std::uint32_t id = 0; id < 64; ++id) {
        out[2 * id] = 3 * (id ^ 16) + 1 + (id == wrong ? 1 : 0);
        out[2 * id + 1] = id < 32 ? 16 : 112;
      }
    });
  }

  std::shared_ptr<FakeControl> control = std::make_shared<FakeControl>();
  FakeDevice nvidia{control, info_of("NVIDIA CUDA")};
  FakeDevice other{control, with_sub_groups(info_of("Some Vendor"))};
};

TEST_F(LaneExchangeTest, IsByShufflesIfAKernelWithThemGivesTheRightValues) {
  add_kernel();
  EXPECT_EQ(find_exchange(nvidia), LaneExchange::PtxShuffles);
  EXPECT_THAT(control->build_options(), ElementsAre(HasSubstr("-DPB_HAS_PTX_SHUFFLES=1")));
}

TEST_F(LaneExchangeTest, IsBySubGroupsWhereAGpuHasNoShuffles) {
  add_kernel();
  EXPECT_EQ(find_exchange(other), LaneExchange::SubGroups);
  EXPECT_THAT(control->build_options(), ElementsAre(HasSubstr("-DPB_HAS_SUB_GROUPS=1")));
}

TEST_F(LaneExchangeTest, IsThroughMemoryIfOneValueIsWrong) {
  add_kernel(40);
  EXPECT_EQ(find_exchange(nvidia), LaneExchange::Memory);
  EXPECT_EQ(find_exchange(other), LaneExchange::Memory);
}

TEST_F(LaneExchangeTest, IsThroughMemoryIfTheDriverRejectsTheKernel) {
  EXPECT_EQ(find_exchange(nvidia), LaneExchange::Memory);
}

TEST_F(LaneExchangeTest, IsThroughMemoryIfTheDeviceRefusesTheTrial) {
  add_kernel();
  std::int64_t num_launched = 0, num_read = 0;
  for (const FakeFault fault : {FakeFault::Refuse, FakeFault::FailLater}) {
    control->inject(FakeOperation::Launch, num_launched++, fault);
    EXPECT_FALSE(can_exchange(nvidia, LaneExchange::PtxShuffles));
    num_read += fault == FakeFault::Refuse ? 0 : 1;
    control->inject(FakeOperation::Read, num_read++, fault);
    EXPECT_FALSE(can_exchange(nvidia, LaneExchange::PtxShuffles));
    ++num_launched;
  }
  EXPECT_TRUE(can_exchange(nvidia, LaneExchange::PtxShuffles));
}

TEST_F(LaneExchangeTest, IsThroughMemoryOnCpus) {
  add_kernel();
  FakeDevice cpu(control, with_sub_groups(info_of("NVIDIA CUDA", DeviceType::Cpu)));
  EXPECT_EQ(find_exchange(cpu), LaneExchange::Memory);
  EXPECT_THAT(control->build_options(), IsEmpty()) << "nothing is tried";
  EXPECT_TRUE(can_exchange(cpu, LaneExchange::SubGroups)) << "who asks for them gets them";
  EXPECT_FALSE(can_exchange(cpu, LaneExchange::PtxShuffles));
}

TEST_F(LaneExchangeTest, IsWhatTheDeviceWasOpenedWith) {
  add_kernel();
  DeviceInfo info = info_of("NVIDIA CUDA");
  info.exchange = LaneExchange::Memory;
  FakeDevice device(control, info);
  EXPECT_EQ(find_exchange(device), LaneExchange::Memory);
}

TEST_F(LaneExchangeTest, IsToldToKernelsWhoseInstancesHaveLanes) {
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

TEST(LaneExchangeOfEnvironment, IsAWord) {
  const auto with = [](const char* text) {
    ::setenv("POLYBRICKS_LANE_EXCHANGE", text, 1);
    return exchange_of_environment();
  };
  EXPECT_EQ(with("memory"), LaneExchange::Memory);
  EXPECT_EQ(with("ptx"), LaneExchange::PtxShuffles);
  EXPECT_EQ(with("sub-groups"), LaneExchange::SubGroups);
  EXPECT_EQ(with(""), std::nullopt);
  EXPECT_THROW(static_cast<void>(with("warps")), UserError);
  ::unsetenv("POLYBRICKS_LANE_EXCHANGE");
  EXPECT_EQ(exchange_of_environment(), std::nullopt);
}

}  // namespace
}  // namespace pbrt::gpu
