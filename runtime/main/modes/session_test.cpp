// SPDX-License-Identifier: MIT
// Tests of options that override a configuration, and of what a run is asked for.
#include "runtime/main/modes/session.h"

#include <gtest/gtest.h>

#include "runtime/main/testing/copy_program.h"

namespace pbrt {
namespace {

/// A machine without devices.
class NoDevices : public DeviceProvider {
 public:
  [[nodiscard]] std::vector<gpu::DeviceInfo> list() override { return {}; }
  [[nodiscard]] std::unique_ptr<gpu::Device> open(int, bool) override { return nullptr; }
};

struct SessionTest : ::testing::Test {
  [[nodiscard]] Session session() {
    return {options, "copy", program.engine(), devices, program.transform(), trace, 17, {}, {}, {}, {}};
  }

  test::CopyProgram program;
  Devices devices{std::make_unique<NoDevices>()};
  Options options;
  TraceOutput trace{options, "copy"};
};

TEST_F(SessionTest, OptionsGoBeforeTheConfiguration) {
  ActiveConfig config = program.engine().default_config();
  const int threads = config.threads();
  session().apply_options(config);
  EXPECT_EQ(config.threads(), threads) << "none is given";
  options.threads = threads + 2;
  options.large_pages = !config.large_pages();
  const bool large_pages = config.large_pages();
  session().apply_options(config);
  EXPECT_EQ(config.threads(), threads + 2);
  EXPECT_NE(config.large_pages(), large_pages);
}

TEST_F(SessionTest, WithoutAFileTheDefaultIsOpenedAndNoDevice) {
  options.config = "none";
  options.threads = 3;
  Session opened = session();
  opened.open_configuration();
  EXPECT_EQ(opened.found.file, "");
  EXPECT_EQ(opened.found.configuration, default_configuration(program.engine().index()));
  EXPECT_EQ(opened.config.threads(), 3);
  EXPECT_TRUE(opened.used_devices.is_empty());
}

TEST_F(SessionTest, ARunIsAskedForAsTheOptionsSay) {
  options.is_strict = true;
  const Session strict = session();
  const RunWishes wishes = strict.wishes();
  EXPECT_EQ(wishes.config, &strict.config);
  EXPECT_EQ(wishes.seed, 17U);
  EXPECT_TRUE(wishes.is_strict);
  EXPECT_FALSE(wishes.is_resident);
  EXPECT_TRUE(wishes.devices.is_empty());
}

TEST_F(SessionTest, SizesAreThoseOfTheOptions) {
  options.n = 100;
  options.sizes = {{"w", 7}};
  const SizeWishes wishes = session().size_wishes();
  EXPECT_EQ(wishes.n, 100);
  EXPECT_EQ(wishes.named, options.sizes);
}

TEST_F(SessionTest, TheUsageNamesInputsAndOutputs) {
  EXPECT_EQ(usage_line("./copy", program.transform()), "usage: ./copy [options] A[n] B[n]");
}

}  // namespace
}  // namespace pbrt
