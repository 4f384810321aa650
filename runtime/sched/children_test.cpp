// SPDX-License-Identifier: MIT
#include "runtime/sched/children.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/config/errors.h"

namespace pbrt {
namespace {

using Failure = Children::Failure;

std::exception_ptr error(const char* text) { return std::make_exception_ptr(std::runtime_error(text)); }

TEST(Children, AreFinishedHere) {
  Children children;
  EXPECT_FALSE(children.need_join());
  children.add_here();
  children.add_here();
  EXPECT_TRUE(children.need_join());
  children.finish_here();
  EXPECT_FALSE(children.are_finished());
  children.finish_here();
  EXPECT_TRUE(children.are_finished());
}

TEST(Children, FinishedElsewhereBeforeTheWait) {
  Children children;
  children.add_here();
  EXPECT_FALSE(children.finish_elsewhere()) << "nobody waits yet";
  EXPECT_TRUE(children.are_finished());
  EXPECT_TRUE(children.need_join()) << "the two counts have not been brought together";
  children.end_join();
  EXPECT_FALSE(children.need_join());
}

TEST(Children, TheLastOneResumesTheOwner) {
  Children children;
  children.add_here();
  children.add_here();
  EXPECT_FALSE(children.finish_elsewhere());
  EXPECT_TRUE(children.begin_wait());
  children.add_elsewhere();
  EXPECT_FALSE(children.finish_elsewhere());
  EXPECT_TRUE(children.finish_elsewhere());
  children.end_join();
  EXPECT_TRUE(children.are_finished());
}

TEST(Children, AnOwnerThatHasNoneLeftDoesNotWait) {
  Children children;
  children.add_here();
  EXPECT_FALSE(children.finish_elsewhere());
  EXPECT_FALSE(children.begin_wait());
}

TEST(Children, ExactlyOneResumesTheOwner) {
  for (int round = 0; round < 200; ++round) {
    constexpr int kNumThreads = 3;
    Children children;
    for (int i = 0; i < kNumThreads; ++i) children.add_here();
    std::atomic<int> num_resumes{0};
    std::atomic<bool> may_start{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < kNumThreads; ++i)
      threads.emplace_back([&] {
        while (!may_start.load()) {
        }
        if (children.finish_elsewhere()) ++num_resumes;
      });
    may_start.store(true);
    if (!children.begin_wait()) ++num_resumes;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(num_resumes.load(), 1);
  }
}

TEST(Children, KeepTheFirstFailure) {
  Children children;
  EXPECT_FALSE(children.have_failed());
  children.keep(Failure::Threw, error("first"));
  children.keep(Failure::Dropped, nullptr);
  children.keep(Failure::Threw, error("second"));
  try {
    children.rethrow();
  } catch (const std::runtime_error& caught) {
    EXPECT_STREQ(caught.what(), "first");
  }
  EXPECT_FALSE(children.have_failed());
}

TEST(Children, SayThatTheRunWasAbortedWhereOneWasDropped) {
  Children children;
  children.keep(Failure::Dropped, nullptr);
  EXPECT_THROW(children.rethrow(), RunAborted);
}

TEST(Children, HandTheirFailureOn) {
  Children parent, children;
  children.keep(Failure::Threw, error("inner"));
  children.hand_on(parent);
  EXPECT_EQ(parent.failure(), Failure::Threw);
  EXPECT_THROW(parent.rethrow(), std::runtime_error);
}

TEST(Children, AreAsNewWhenTheFailureIsForgotten) {
  Children children;
  children.keep(Failure::Threw, error("lost"));
  children.forget();
  EXPECT_FALSE(children.have_failed());
  children.keep(Failure::Dropped, nullptr);
  EXPECT_EQ(children.failure(), Failure::Dropped);
}

}  // namespace
}  // namespace pbrt
