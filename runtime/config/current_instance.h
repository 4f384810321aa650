// SPDX-License-Identifier: MIT
// The instance of a rule that a thread runs, for messages of checked programs. Generated code of `pbc --checked`
// announces each instance; other programs never do. The instance belongs to the thread, since the code that finds a
// fault has no access to anything else; a fiber takes its instance along (sched/fiber_tasks.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace pbrt {

/// A rule variable and its value.
struct NamedIndex {
  const char* name;
  std::int64_t value;
};

/// Stands for one instance while it lives. All texts live as long as the program.
class InstanceScope {
 public:
  static constexpr std::size_t kMaxVars = 16;

  /// `rule`: `Scale.B#1`; `place`: `scale.pbcc:5`. Variables beyond kMaxVars are left out.
  InstanceScope(const char* rule, const char* place, std::initializer_list<NamedIndex> vars) noexcept;
  ~InstanceScope();
  InstanceScope(const InstanceScope&) = delete;
  InstanceScope& operator=(const InstanceScope&) = delete;

  /// Writes `rule Scale.B#1 at i = 3` and a null byte; cuts off what does not fit. Async-signal-safe.
  void write_name(char* out, std::size_t size) const noexcept;
  [[nodiscard]] const char* place() const { return place_; }

 private:
  const char* rule_;
  const char* place_;
  std::size_t num_vars_ = 0;
  NamedIndex vars_[kMaxVars];
  const InstanceScope* outer_;
};

/// The innermost instance of the calling thread; null outside of instances, and in programs that are not checked.
[[nodiscard]] const InstanceScope* current_instance() noexcept;

/// Makes `instance` the calling thread's and returns the former one. A fiber that goes on later, perhaps on another
/// thread, restores its own.
const InstanceScope* exchange_instance(const InstanceScope* instance) noexcept;

/// `scale.pbcc:5: rule Scale.B#1 at i = 3: `; empty outside of instances.
[[nodiscard]] std::string instance_prefix();

}  // namespace pbrt
