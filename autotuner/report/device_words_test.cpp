// SPDX-License-Identifier: MIT
// Tests of the words that say why the CPU won.
#include "autotuner/report/device_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbtune {
namespace {

using ::testing::ElementsAre;

pbrt::DeviceLoss loss(double time_ns, double cpu_ns) {
  pbrt::DeviceLoss out;
  out.sites = {"Rows.Out#1"};
  out.time_ns = time_ns;
  out.cpu_ns = cpu_ns;
  return out;
}

TEST(DeviceWords, SayHowMuchSlowerTheDeviceIsAndWhereTheTimeGoes) {
  pbrt::DeviceLoss one = loss(8.06e6, 2.6e6);
  one.sites = {"Rows.Out#1", "Columns.Out#1", "Sum.Out#1"};
  one.profiled_ns = 9e6;
  one.costs = {200, 64000000, 1500, 1.1e6, 5e6, 0.2e6, 2e6};
  EXPECT_THAT(
      device_loss_lines({one}, "PoCL"),
      ElementsAre("Rows.Out#1, Columns.Out#1 and Sum.Out#1 on PoCL: 3.10x slower: 8.06 ms instead of 2.6 ms",
                  "  there, 9 ms: copies of 64 MB to it and 1.5 kB from it 5.2 ms, kernels 1.1 ms, starting 200 "
                  "launches 2 ms, the CPU and waiting 700 us; most of it is the copies"));
}

TEST(DeviceWords, LeaveOutWhatTakesNoTime) {
  pbrt::DeviceLoss one = loss(4e6, 2e6);
  one.profiled_ns = 4e6;
  one.costs = {1, 0, 0, 3e6, 0, 0, 1e6};
  EXPECT_THAT(device_loss_lines({one}, "PoCL"),
              ElementsAre("Rows.Out#1 on PoCL: 2.00x slower: 4 ms instead of 2 ms",
                          "  there, 4 ms: kernels 3 ms, starting 1 launch 1 ms; most of it is the arithmetic of the "
                          "kernels"));
  one.costs = {3, 0, 2000000000, 1e6, 0, 1e6, 1.9e6};
  EXPECT_THAT(device_loss_lines({one}, "PoCL").at(1),
              "  there, 4 ms: copies of 2 GB from it 1 ms, kernels 1 ms, starting 3 launches 1.9 ms, the CPU and "
              "waiting 100 us; most of it is the launches");
}

TEST(DeviceWords, WithoutAProfileThereIsOneLine) {
  EXPECT_THAT(device_loss_lines({loss(3e6, 2e6), loss(2e6, 2e6)}, "Fake"),
              ElementsAre("Rows.Out#1 on Fake: 1.50x slower: 3 ms instead of 2 ms",
                          "Rows.Out#1 on Fake: not measurably faster: 2 ms instead of 2 ms"));
}

}  // namespace
}  // namespace pbtune
