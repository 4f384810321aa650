// SPDX-License-Identifier: MIT
// Workers that launch by themselves, and what they leave to the management thread.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/gpu/manager/manager_impl.h"
#include "runtime/gpu/testing/fake_fixture.h"
#include "runtime/gpu/wrappers/limited_device.h"

namespace pbrt::gpu {
namespace {

template <class F>
void on_workers(int num_workers, F&& body) {
  Scheduler scheduler(num_workers);
  scheduler.run([&](Frame& frame) { body(frame); });
}

std::int64_t by_workers(const FakeManager& fake) { return fake.manager->statistics().launches_by_workers; }

/// Launches once, so that the kernel is built and the matrix is on the device; waits for the management thread to idle.
void warm_up(FakeManager& fake, Frame& frame, const Matrix2& m) {
  EXPECT_EQ(fake.increment(frame, m, 1, CopyOut::May), "");
  fake.manager->drain(frame);
}

TEST(WorkerLaunch, AWorkerLaunchesWhatIsReady) {
  FakeManager fake;
  on_workers(2, [&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0);
    warm_up(fake, frame, m);
    EXPECT_EQ(by_workers(fake), 0) << "kernel and buffer had to be made";
    fake.control->hold();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(fake.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_EQ(fake.control->num_pending(), 10);
    fake.control->release();
    need_on_host(frame, m);
    EXPECT_TRUE(is_filled(m, 11));
  });
  // One may have met the management thread in its turn.
  EXPECT_GE(by_workers(fake), 1);
}

TEST(WorkerLaunch, EndsAreAppliedThoughNobodyWaits) {
  for (const int patience : {0, 50, 1000}) {
    FakeManager fake(fake_device_info(), 0, 1, std::chrono::microseconds(patience), true);
    on_workers(2, [&](Frame& frame) {
      const Matrix2 m = filled(8, 4, 0);
      warm_up(fake, frame, m);
      for (int i = 0; i < 200; ++i) EXPECT_EQ(fake.increment(frame, m, 1, CopyOut::May), "");
      while (fake.manager->impl().queue.launches().number() != 0) std::this_thread::yield();
      EXPECT_EQ(device_state(m) & kInFlight, 0U);
    });
  }
}

TEST(WorkerLaunch, AThreadThatIsAwakeMakesTheFirstLaunchAfterAPause) {
  FakeManager fake(fake_device_info(), 0, 1, std::chrono::seconds(100), true);
  const TaskQueue& queue = fake.manager->impl().queue;
  on_workers(1, [&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0);
    warm_up(fake, frame, m);
    // On a busy machine the thread gives way to others, and seldom counts as awake.
    int num_watched = 0, num_of_thread = 0;
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::int64_t before = by_workers(fake);
      const bool is_watched = queue.is_watched();
      EXPECT_EQ(fake.increment(frame, m, 1, CopyOut::May), "");
      if (!is_watched) continue;
      ++num_watched;
      if (by_workers(fake) == before) ++num_of_thread;
    }
    // The thread may have given way between the look and the launch.
    if (num_watched >= 20) {
      EXPECT_GT(num_of_thread, num_watched / 2);
    }
    need_on_host(frame, m);
  });
}

TEST(WorkerLaunch, TwoWorkersLaunchAtOnce) {
  FakeManager fake;
  on_workers(3, [&](Frame& frame) {
    std::vector<Matrix2> matrices;
    for (int i = 0; i < 4; ++i) matrices.push_back(filled(8, 4, i));
    for (const Matrix2& m : matrices) warm_up(fake, frame, m);
    for (const Matrix2& m : matrices)
      frame.spawn([&](Frame& f) {
        for (int i = 0; i < 100; ++i) EXPECT_EQ(fake.increment(f, m, 1, CopyOut::May), "");
      });
    frame.sync();
    for (int i = 0; i < 4; ++i) {
      need_on_host(frame, matrices[static_cast<std::size_t>(i)]);
      EXPECT_TRUE(is_filled(matrices[static_cast<std::size_t>(i)], i + 101));
    }
  });
  EXPECT_EQ(fake.manager->statistics().launches, 404);
}

TEST(WorkerLaunch, CopiesAndBuildsAreLeftToTheManagementThread) {
  FakeManager fake;
  on_workers(2, [&](Frame& frame) {
    const Matrix2 m = filled(64, 32, 0), other = filled(64, 32, 5);
    warm_up(fake, frame, m);
    EXPECT_EQ(fake.increment(frame, other, 1, CopyOut::May), "") << "this copies";
    EXPECT_EQ(by_workers(fake), 0);
    EXPECT_EQ(fake.add_step(frame, m, other, 1, CopyOut::May), "") << "this builds";
    EXPECT_EQ(by_workers(fake), 0);
    EXPECT_EQ(fake.increment(frame, m, 1, CopyOut::Must), "") << "this reads back";
    EXPECT_EQ(by_workers(fake), 0);
    EXPECT_TRUE(is_filled(m, 8));
  });
}

TEST(WorkerLaunch, FewBytesAreCopiedWithTheLaunch) {
  FakeManager fake;
  on_workers(2, [&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0), other = filled(8, 4, 5);
    warm_up(fake, frame, m);
    EXPECT_EQ(fake.increment(frame, other, 1, CopyOut::May), "");
    EXPECT_EQ(by_workers(fake), 1);
    need_on_host(frame, other);
    EXPECT_TRUE(is_filled(other, 6));
  });
}

TEST(WorkerLaunch, WaitsBehindATaskThatTakesLong) {
  FakeManager fake;
  on_workers(2, [&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0), other = filled(64, 32, 5);
    warm_up(fake, frame, m);
    const auto await_launches = [&](std::int64_t count) {
      while (fake.manager->impl().queue.launches().number() != count) std::this_thread::yield();
    };
    fake.control->inject(FakeOperation::Write, 1, FakeFault::HangInCall);
    std::thread ending([&] {
      await_launches(2);  // the worker is not kept by the call that hangs
      fake.control->end_hangs();
    });
    frame.spawn([&](Frame& f) { EXPECT_EQ(fake.increment(f, other, 1, CopyOut::May), ""); });
    frame.spawn([&](Frame& f) {
      await_launches(1);
      EXPECT_EQ(fake.increment(f, m, 1, CopyOut::May), "");
    });
    frame.sync();
    ending.join();
    need_on_host(frame, m, other);
    EXPECT_TRUE(is_filled(m, 2));
    EXPECT_TRUE(is_filled(other, 6));
  });
}

TEST(WorkerLaunch, ADeviceThatFailsFailsOnTheManagementThread) {
  FakeManager fake;
  on_workers(2, [&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0);
    warm_up(fake, frame, m);
    need_on_host(frame, m);
    fake.control->inject(FakeOperation::Launch, 1, FakeFault::Fail);
    EXPECT_NE(fake.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_FALSE(fake.manager->is_alive());
    EXPECT_NE(fake.increment(frame, m, 1, CopyOut::May), "");
    need_on_host(frame, m);
  });
  EXPECT_EQ(fake.warnings.size(), 1U);
}

TEST(WorkerLaunch, ALaunchThatEndsBadlyFailsTheDevice) {
  FakeManager fake;
  on_workers(2, [&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0);
    warm_up(fake, frame, m);
    fake.control->inject(FakeOperation::Launch, 1, FakeFault::FailLater);
    EXPECT_EQ(fake.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_THROW(need_on_host(frame, m), DeviceLost);
    EXPECT_FALSE(fake.manager->is_alive());
  });
}

TEST(WorkerLaunch, DevicesWithALimitAreLeftToTheManagementThread) {
  const auto control = std::make_shared<FakeControl>();
  add_kernels(*control);
  auto device = std::make_unique<LimitedDevice>(std::make_unique<FakeDevice>(control, fake_device_info()),
                                                std::chrono::seconds(100));
  Manager manager(std::move(device));
  on_workers(2, [&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0);
    const std::int32_t lo[] = {0, 0}, extent[] = {8, 4};
    for (int i = 0; i < 20; ++i) {
      Launch launch(kIncrement, frame, &manager);
      EXPECT_TRUE(launch.inout(m, CopyOut::May).scalar(1).range(2, lo, extent).run());
    }
    need_on_host(frame, m);
    EXPECT_TRUE(is_filled(m, 20));
  });
  EXPECT_EQ(manager.statistics().launches_by_workers, 0);
}

TEST(WorkerLaunch, TwoManagersWantEachOthersData) {
  FakeManager one, two;
  on_workers(3, [&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 0), b = filled(8, 4, 0);
    for (int i = 0; i < 50; ++i) {
      frame.spawn([&](Frame& f) { EXPECT_EQ(one.increment(f, a, 1, CopyOut::May), ""); });
      frame.spawn([&](Frame& f) { EXPECT_EQ(two.increment(f, b, 1, CopyOut::May), ""); });
      frame.sync();
      frame.spawn([&](Frame& f) { EXPECT_EQ(two.increment(f, a, 1, CopyOut::May), ""); });
      frame.spawn([&](Frame& f) { EXPECT_EQ(one.increment(f, b, 1, CopyOut::May), ""); });
      frame.sync();
    }
    need_on_host(frame, a, b);
    EXPECT_TRUE(is_filled(a, 100));
    EXPECT_TRUE(is_filled(b, 100));
  });
}

}  // namespace
}  // namespace pbrt::gpu
