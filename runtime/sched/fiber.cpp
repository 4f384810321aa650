// SPDX-License-Identifier: MIT
#include "runtime/sched/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define PBRT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PBRT_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define PBRT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PBRT_TSAN 1
#endif
#endif
#ifdef PBRT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef PBRT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace pbrt {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::transfer_t;

// What __cxa_get_globals returns (Itanium C++ ABI 2.2.2); the header only declares the type.
struct ExceptionGlobals {
  void* caught_exceptions;
  unsigned int num_uncaught_exceptions;
};

// __cxa_get_globals is declared `const`, so its result may be kept across a switch to another thread
// if a compiler sees both calls in one function. Hence two functions that are never inlined.
[[gnu::noinline]] void save_exception_state(Context& context) {
  auto* globals = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
  context.caught_exceptions = globals->caught_exceptions;
  context.num_uncaught_exceptions = globals->num_uncaught_exceptions;
}
[[gnu::noinline]] void restore_exception_state(const Context& context) {
  auto* globals = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
  globals->caught_exceptions = context.caught_exceptions;
  globals->num_uncaught_exceptions = context.num_uncaught_exceptions;
}

/// What the two sides of a jump know of each other; on the stack of `from`.
struct Jump {
  Context& from;
  Context& to;
};

/// What runs first after each jump, on the side of `jump.to`.
void arrive(transfer_t transfer) {
  const Jump& jump = *static_cast<const Jump*>(transfer.data);
  Context& from = jump.from;
  const Context& to = jump.to;
  from.resume_at = transfer.fctx;
#ifdef PBRT_ASAN
  __sanitizer_finish_switch_fiber(to.asan_fake_stack, &from.stack_bottom, &from.stack_bytes);
#endif
  restore_exception_state(to);
}

/// Bottom of the Stack's mapping: the guard pages.
void* mapping_of(Stack& stack) { return const_cast<char*>(stack.limit()) - kGuardBytes; }

/// Bottom frame of every pooled stack: runs jobs for ever.
void stack_main(transfer_t transfer) {
  auto& stack = static_cast<Stack&>(static_cast<const Jump*>(transfer.data)->to);
  arrive(transfer);
  for (;;) {
    stack.call(stack);
    switch_context(stack, *stack.return_to);
  }
}

Stack& map_stack() {
  const std::size_t bytes = kStackBytes + kGuardBytes;
  void* base =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(base, kGuardBytes, PROT_NONE) != 0) {
    munmap(base, bytes);
    throw std::bad_alloc();
  }
  // Most stacks use few of their pages, so large pages would be wasted. The call fails only where there are no huge
  // pages.
  (void)madvise(base, bytes, MADV_NOHUGEPAGE);
  char* limit = static_cast<char*>(base) + kGuardBytes;
  constexpr std::size_t kUsable = kStackBytes - sizeof(Stack) / 64 * 64 - 64;
  auto* stack = new (limit + kUsable) Stack;
  stack->stack_bottom = limit;
  stack->stack_bytes = kUsable;
  stack->resume_at = boost::context::detail::make_fcontext(limit + kUsable, kUsable, &stack_main);
#ifdef PBRT_TSAN
  stack->tsan_fiber = __tsan_create_fiber(0);
#endif
  return *stack;
}

void unmap_stack(Stack& stack) {
#ifdef PBRT_TSAN
  __tsan_destroy_fiber(stack.tsan_fiber);
#endif
#ifdef PBRT_ASAN
  __asan_unpoison_memory_region(stack.limit(), kStackBytes);
#endif
  munmap(mapping_of(stack), kStackBytes + kGuardBytes);
}

}  // namespace

// Never inlined: a caller must not see through it and keep thread-local addresses across the jump.
[[gnu::noinline]] void switch_context(Context& from, Context& to) {
  Jump jump{from, to};
  save_exception_state(from);
#ifdef PBRT_ASAN
  __sanitizer_start_switch_fiber(&from.asan_fake_stack, to.stack_bottom, to.stack_bytes);
#endif
  const fcontext_t target = to.resume_at;
#ifdef PBRT_TSAN
  __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
  arrive(boost::context::detail::jump_fcontext(target, &jump));
}

void adopt_thread_stack([[maybe_unused]] Context& context) {
#ifdef PBRT_TSAN
  context.tsan_fiber = __tsan_get_current_fiber();
#endif
}

StackPool::~StackPool() {
  while (Stack* stack = free_.pop()) unmap_stack(*stack);
}

Stack& StackPool::take() {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (Stack* stack = free_.pop()) return *stack;
  }
  return map_stack();
}

void StackPool::give_back(Stack& stack) {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (free_.size() < kMaxFree) {
      free_.push(stack);
      return;
    }
  }
  unmap_stack(stack);
}

StackCache::~StackCache() {
  while (Stack* stack = free_.pop()) pool_.give_back(*stack);
}

Stack& StackCache::take() {
  Stack* free_stack = free_.pop();
  Stack& stack = free_stack != nullptr ? *free_stack : pool_.take();
  stack.fiber.active = &stack;
  stack.fiber.stack_limit = stack.call_limit();
  return stack;
}

void StackCache::give_back(Stack& stack) {
  if (free_.size() < kMaxFree) {
    free_.push(stack);
  } else {
    pool_.give_back(stack);
  }
}

}  // namespace pbrt
