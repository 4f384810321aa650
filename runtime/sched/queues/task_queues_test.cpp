// SPDX-License-Identifier: MIT
#include "runtime/sched/queues/task_queues.h"

#include <gtest/gtest.h>

#include <vector>

namespace pbrt {
namespace {

class AtOneWorker : public testing::Test {
 protected:
  Parking parking;
  TaskQueues queues{parking};
  detail::Task first, second, third;
};

TEST_F(AtOneWorker, TheOwnerTakesTheNewestAndAThiefTheOldest) {
  EXPECT_TRUE(queues.is_empty());
  queues.push(first);
  EXPECT_TRUE(queues.push_child(second));
  queues.push(third);
  EXPECT_TRUE(queues.has_one_to_steal());
  EXPECT_EQ(queues.steal(), &first);
  EXPECT_EQ(queues.pop(), &third);
  EXPECT_EQ(queues.pop(), &second);
  EXPECT_EQ(queues.pop(), nullptr);
  EXPECT_TRUE(queues.is_empty());
}

TEST_F(AtOneWorker, MailIsTakenInItsOrderAndNotStolen) {
  queues.push_mail(first);
  queues.push_mail(second);
  EXPECT_TRUE(queues.has_mail());
  EXPECT_FALSE(queues.is_empty());
  EXPECT_FALSE(queues.has_one_to_steal());
  EXPECT_EQ(queues.pop(), nullptr);
  EXPECT_EQ(queues.take_mail(), &first);
  EXPECT_EQ(queues.take_mail(), &second);
  EXPECT_EQ(queues.take_mail(), nullptr);
}

TEST_F(AtOneWorker, WhatTheDequeDoesNotHoldComesByMail) {
  std::vector<detail::Task> tasks(Deque::kCapacity);
  std::size_t num_held = 0;
  while (num_held < tasks.size() && queues.push_child(tasks[num_held])) ++num_held;
  ASSERT_LT(num_held, tasks.size());
  EXPECT_FALSE(queues.has_mail());
  queues.push(first);
  EXPECT_TRUE(queues.has_mail());
  EXPECT_EQ(queues.take_mail(), &first);
}

}  // namespace
}  // namespace pbrt
