// SPDX-License-Identifier: MIT
// Tests of the tasks that fibers wait for.
#include "runtime/gpu/manager/host_tasks.h"

#include <gtest/gtest.h>

#include "runtime/gpu/manager/manual_manager.h"

namespace pbrt::gpu {
namespace {

class HostTasksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const JobPtr job = manager.user_of({m});
    ASSERT_EQ(manager.memory.acquire(*job), DeviceMemory::Acquired::Yes);
    manager.memory.release(*job);
    home = job->plan.regions[0].home;
    storage = job->plan.regions[0].storage;
    view = job->plan.regions[0].view;
  }
  void write_on_device() {
    StorageRecord& record = home->record();
    const std::lock_guard lock(record.mutex);
    record.wrote_on_device(*home, record.box_of(view));
  }
  template <class TaskType>
  Progress run(TaskType task) {
    return tasks.run(task);
  }
  /// Runs a task of this type with the storage and the view.
  template <class TaskType>
  Progress run_on_matrix() {
    TaskType task;
    task.storage = storage;
    task.view = std::make_unique<OwnedView>(view);
    return run(std::move(task));
  }
  Progress run_drop() {
    DropTask task;
    task.storage = storage;
    return run(std::move(task));
  }

  ManualManager manager;
  HostTasks tasks{manager.parts()};
  const Matrix2 m = filled(4, 4, 1);
  Residence* home = nullptr;
  StorageRef storage;
  OwnedView view;
};

TEST_F(HostTasksTest, AFetchThatNobodyWaitsForIsDoneWhenItIsUnderWay) {
  write_on_device();
  EXPECT_EQ(run_on_matrix<FetchTask>(), Progress::Done);
  EXPECT_EQ(manager.counted().copies_to_host, 1);
  manager.settle();
  EXPECT_EQ(run_on_matrix<FetchTask>(), Progress::Done);
  EXPECT_EQ(manager.counted().copies_to_host, 1) << "nothing is newer";
}

TEST_F(HostTasksTest, IsQuietWhenTheCopyHasEnded) {
  write_on_device();
  EXPECT_EQ(run_on_matrix<QuiesceTask>(), Progress::NotReady);
  manager.settle();
  EXPECT_EQ(run_on_matrix<QuiesceTask>(), Progress::Done);
}

TEST_F(HostTasksTest, ADropCopiesOutWhatIsNewer) {
  write_on_device();
  EXPECT_EQ(run_drop(), Progress::NotReady);
  EXPECT_NE(home->buffer, nullptr);
  manager.settle();
  EXPECT_EQ(run_drop(), Progress::Done);
  EXPECT_EQ(home->buffer, nullptr);
}

TEST_F(HostTasksTest, ADrainWaitsForOperationsAndLaunches) {
  manager.queue.launches().begin();
  EXPECT_EQ(run(DrainTask{}), Progress::NotReady);
  manager.queue.launches().end();
  const auto operation = manager.operations.begin({TraceKind::Kernel, nullptr, 1});
  EXPECT_EQ(run(DrainTask{}), Progress::NotReady);
  EXPECT_EQ(run(EvictionTask{operation}), Progress::NotReady);
  manager.operations.end(*operation, true);
  EXPECT_EQ(run(EvictionTask{operation}), Progress::Done);
  EXPECT_EQ(run(DrainTask{}), Progress::Done);
}

}  // namespace
}  // namespace pbrt::gpu
