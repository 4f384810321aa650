// SPDX-License-Identifier: MIT
// Steps that a device and the CPU share: how much the device gets, what it needs for that, and how its part comes back
// to the host.
#include "runtime/gpu/share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;

TEST(Share, IsRoundedUpAndNeverMoreThanAll) {
  for (std::int64_t extent = 1; extent < 40; ++extent) {
    for (std::int64_t eighths = 1; eighths <= 8; ++eighths) {
      const std::int64_t share = share_of_device(extent, eighths);
      EXPECT_GE(8 * share, extent * eighths);
      EXPECT_LT(8 * (share - 1), extent * eighths);
      EXPECT_LE(share, extent);
    }
    EXPECT_EQ(share_of_device(extent, 8), extent);
  }
  EXPECT_EQ(share_of_device(std::int64_t{1} << 62, 3), 3 * (std::int64_t{1} << 59)) << "nothing overflows";
}

TEST(Share, OfNothingIsNothing) {
  EXPECT_EQ(share_of_device(0, 5), 0);
  EXPECT_EQ(share_of_device(-2, 5), -2) << "an empty box stays as it is";
}

TEST(Slab, EndsWhereTheMatrixEnds) {
  const Matrix2 m = filled(8, 4, 1);
  const Matrix2 slab = slab_of(m, 1, -1, 3);
  EXPECT_EQ(slab.width(), 8);
  EXPECT_EQ(slab.height(), 3);
  EXPECT_EQ(slab_of(m, 0, 6, 10).width(), 2);
  EXPECT_EQ(slab_of(m, 0, 5, 5).width(), 8) << "no kernel reads nothing: all is a safe answer";
}

TEST(Inside, IsEmptyOfABoxBesideTheMatrix) {
  const Matrix2 m = filled(8, 4, 1);
  const std::int64_t far = std::int64_t{3} << 30;
  const Box<2> above = inside(m, Box<2>{{2, far}, {5, far + 1}});
  EXPECT_TRUE(above.is_empty());
  EXPECT_EQ(part_of(m, above).height(), 0);
  EXPECT_TRUE(inside(m, Box<2>{{-far, 0}, {-far + 2, 4}}).is_empty());
  const Box<2> within = inside(m, Box<2>{{-1, 1}, {far, 3}});
  EXPECT_EQ(within.extent(0) * within.extent(1), 8 * 2);
}

TEST(Bordered, PartsHoldAllThatIsReadAndLittleElse) {
  const auto map = [](int border, std::int64_t at, std::int64_t size) {
    return border == kWrap ? wrapped(at, size) : border == kClamp ? clamped(at, size) : mirrored(at, size);
  };
  for (const int border : {kWrap, kClamp, kMirror}) {
    for (std::int64_t size = 1; size <= 6; ++size) {
      for (std::int64_t lo = -14; lo <= 14; ++lo) {
        for (std::int64_t hi = lo + 1; hi <= 15; ++hi) {
          std::vector<bool> is_there(static_cast<std::size_t>(size)), is_read(static_cast<std::size_t>(size));
          const std::int64_t sizes[] = {size};
          for_each_read(BorderedBox<1>{{{lo}, {hi}}, {border}}, sizes, [&](const Box<1>& part) {
            for (std::int64_t x = part.lo[0]; x < part.hi[0]; ++x) is_there.at(static_cast<std::size_t>(x)) = true;
          });
          for (std::int64_t at = lo; at < hi; ++at) is_read[static_cast<std::size_t>(map(border, at, size))] = true;
          for (std::size_t x = 0; x < is_read.size(); ++x)
            EXPECT_TRUE(is_there[x] || !is_read[x]) << border << " " << size << " " << lo << " " << hi;
          const bool is_near = border == kClamp || (lo >= -size + 1 && hi <= 2 * size - 1);
          if (is_near) {
            EXPECT_EQ(is_there, is_read) << border << " " << size << " " << lo << " " << hi;
          }
        }
      }
    }
  }
}

TEST(Bordered, KernelsGetBothEndsAndNotWhatLiesBetween) {
  FakeManager fake;
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = filled(8, 10, 1), out = filled(8, 10, 0);
    const Box<2> part = {{0, 0}, {8, 2}};
    Launch launch(kAddStep, frame, fake.manager.get());
    launch.input(in, BorderedBox<2>{{{0, -1}, {8, 3}}, {kNoBorder, kWrap}})
        .output(out, part, CopyOut::Eager)
        .scalar(5)
        .range(part);
    EXPECT_TRUE(launch.run());
    need_on_host(frame, out, part);
    EXPECT_TRUE(is_filled(out.region(0, 0, 8, 2), 6));
  });
  EXPECT_EQ(fake.manager->statistics().bytes_to_device, static_cast<std::int64_t>(4 * 8 * sizeof(int)))
      << "rows 0 to 2, and 9";
}

TEST(Bordered, TheHostWaitsForBothEnds) {
  FakeManager fake;
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = filled(8, 10, 1), out = filled(8, 10, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    need_on_host(frame, out, BorderedBox<2>{{{0, 8}, {8, 11}}, {kNoBorder, kMirror}});
    EXPECT_TRUE(is_filled(out.region(0, 8, 8, 10), 6));
    EXPECT_EQ(out.cell(7, 3), 0) << "nobody asked for it";
    fake.manager->drain(frame);
  });
}

TEST(Share, BothWriteTheirPartAndTheDeviceGetsWhatItReads) {
  FakeManager fake;
  const Box<2> all = {{0, 0}, {8, 4}}, on_device = lower_part(all, 1, 3), rest = upper_part(all, 1, 3);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    const auto launch_kernel = [&] {
      Launch launch(kAddStep, frame, fake.manager.get());
      launch.input(in, slab_of(in, 1, 0, 3)).output(out, on_device, CopyOut::Eager).scalar(5).range(on_device);
      return launch.run();
    };
    EXPECT_TRUE(run_shared(frame, launch_kernel, [&](Frame& task) {
      before_host_write(task, out, rest);
      for (int x = 0; x < 8; ++x) out.cell(x, 3) = in.cell(x, 3) + 5;
      wrote_on_host(task, out, rest);
    }));
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 6));
  });
  EXPECT_EQ(fake.manager->statistics().bytes_to_device, static_cast<std::int64_t>(3 * 8 * sizeof(int)));
}

TEST(Share, OfTheDeviceComesHomeUnasked) {
  FakeManager fake;
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::Eager), "");
    fake.manager->drain(frame);
    EXPECT_TRUE(is_filled(out, 6));
  });
  EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step", "read"));
}

TEST(Share, OfTheCpuIsFetchedBeforeTheDeviceGoesOn) {
  FakeManager fake;
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), middle = filled(8, 4, 0), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, middle, in, 5, CopyOut::May), "");
    const Box<2> halo = {{-1, 2}, {9, 3}};
    fetch(frame, middle, halo);
    EXPECT_EQ(fake.add_step(frame, out, middle, 1, CopyOut::May), "");
    need_on_host(frame, middle, halo);
    EXPECT_EQ(middle.cell(7, 2), 6);
    EXPECT_EQ(middle.cell(7, 3), 0) << "nobody asked for it";
    fake.manager->drain(frame);
  });
  EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step", "read", "launch add_step"));
  EXPECT_EQ(fake.manager->statistics().bytes_to_host, static_cast<std::int64_t>(8 * sizeof(int)));
}

TEST(Share, ThatReadsNothingWaitsForNothing) {
  FakeManager fake;
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    const Box<2> beyond = {{0, 4}, {8, 6}};
    fetch(frame, out, beyond);
    need_on_host(frame, out, beyond);
    fake.manager->drain(frame);
  });
  EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step"));
}

TEST(Share, ThatTheHostOverwritesIsNotCopied) {
  FakeManager fake;
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    const Box<2> rest = upper_part<2>({{0, 0}, {8, 4}}, 1, 3);
    before_host_overwrite(frame, out, rest);
    for (int x = 0; x < 8; ++x) out.cell(x, 3) = 2;
    wrote_on_host(frame, out, rest);
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out.region(0, 0, 8, 3), 6));
    EXPECT_TRUE(is_filled(out.region(0, 3, 8, 4), 2));
    EXPECT_EQ(fake.add_step(frame, in, out, 1, CopyOut::Must), "");
    EXPECT_TRUE(is_filled(in.region(0, 3, 8, 4), 3)) << "the device reads what the host wrote";
  });
  EXPECT_EQ(fake.manager->statistics().bytes_to_host, static_cast<std::int64_t>((3 + 4) * 8 * sizeof(int)));
}

}  // namespace
}  // namespace pbrt::gpu
