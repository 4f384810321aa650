// SPDX-License-Identifier: MIT
#include "runtime/sched/fiber.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>

namespace pbrt {
namespace {

/// A job on a stack that hands control back to `home` in the middle.
struct PingPong {
  Context home;
  Stack* stack = nullptr;
  int steps = 0;
};

void two_steps(Stack& stack) {
  auto& game = *static_cast<PingPong*>(stack.argument);
  game.steps = 1;
  switch_context(stack, game.home);
  game.steps = 2;
  stack.return_to = &game.home;
}

TEST(Fiber, SwitchesThereAndBack) {
  StackPool pool;
  PingPong game;
  adopt_thread_stack(game.home);
  Stack& stack = pool.take();
  for (int round = 0; round < 3; ++round) {
    stack.call = &two_steps;
    stack.argument = &game;
    switch_context(game.home, stack);
    EXPECT_EQ(game.steps, 1);
    switch_context(game.home, stack);
    EXPECT_EQ(game.steps, 2);
  }
  pool.give_back(stack);
}

TEST(Fiber, GoesOnOnAnotherThread) {
  StackPool pool;
  PingPong game;
  Stack& stack = pool.take();
  stack.call = &two_steps;
  stack.argument = &game;
  adopt_thread_stack(game.home);
  switch_context(game.home, stack);
  std::thread([&] {
    Context other;
    adopt_thread_stack(other);
    game.home = other;
    switch_context(game.home, stack);
  }).join();
  EXPECT_EQ(game.steps, 2);
  pool.give_back(stack);
}

/// Suspends in a catch block and in a destructor while unwinding.
struct SuspendsInDestructor {
  Stack& stack;
  PingPong& game;
  ~SuspendsInDestructor() {
    EXPECT_EQ(std::uncaught_exceptions(), 1);
    switch_context(stack, game.home);
    EXPECT_EQ(std::uncaught_exceptions(), 1);
  }
};

void throws_and_suspends(Stack& stack) {
  auto& game = *static_cast<PingPong*>(stack.argument);
  try {
    const SuspendsInDestructor guard{stack, game};
    throw std::runtime_error("mine");
  } catch (const std::runtime_error& error) {
    switch_context(stack, game.home);
    EXPECT_STREQ(error.what(), "mine");
    try {
      throw;
    } catch (const std::runtime_error& again) {
      EXPECT_STREQ(again.what(), "mine");
      game.steps = 3;
    }
  }
  EXPECT_EQ(std::current_exception(), nullptr);
  stack.return_to = &game.home;
}

TEST(Fiber, ExceptionStateBelongsToTheStack) {
  StackPool pool;
  std::array<PingPong, 2> games;
  for (PingPong& game : games) {
    adopt_thread_stack(game.home);
    game.stack = &pool.take();
    game.stack->call = &throws_and_suspends;
    game.stack->argument = &game;
  }
  for (int round = 0; round < 3; ++round) {
    for (PingPong& game : games) {
      switch_context(game.home, *game.stack);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
      EXPECT_EQ(std::current_exception(), nullptr);
    }
  }
  for (PingPong& game : games) {
    EXPECT_EQ(game.steps, 3);
    pool.give_back(*game.stack);
  }
}

TEST(Fiber, StacksAreReused) {
  StackPool pool;
  Stack& first = pool.take();
  pool.give_back(first);
  Stack& again = pool.take();
  EXPECT_EQ(&first, &again);
  pool.give_back(again);
}

TEST(Fiber, BodiesHaveAsMuchStackAsThreadsUsually) {
  StackPool pool;
  Stack& stack = pool.take();
  EXPECT_EQ(stack.call_limit() - stack.limit(), 8 << 20);
  *const_cast<char*>(stack.limit()) = 1;
  pool.give_back(stack);
}

void overflow(Stack& stack) {
  volatile char* below = const_cast<char*>(stack.limit()) - 1;
  *below = 1;
}

TEST(FiberDeathTest, TheGuardPageStopsAnOverflow) {
  EXPECT_DEATH(
      {
        StackPool pool;
        PingPong game;
        adopt_thread_stack(game.home);
        Stack& stack = pool.take();
        stack.call = &overflow;
        switch_context(game.home, stack);
      },
      "");
}

}  // namespace
}  // namespace pbrt
