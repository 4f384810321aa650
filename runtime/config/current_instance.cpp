// SPDX-License-Identifier: MIT
#include "runtime/config/current_instance.h"

#include <charconv>
#include <cstring>

namespace pbrt {
namespace {

// The instance is thread-local, because the code that finds a fault gets no argument from which to learn it. Functions
// that use it are never inlined: a fiber that was suspended between two uses may be on another thread.
thread_local const InstanceScope* instance_of_thread = nullptr;

/// Text in a buffer of fixed size; async-signal-safe.
class Text {
 public:
  Text(char* out, std::size_t size) : at_(out), end_(out + size - 1) {}
  ~Text() { *at_ = '\0'; }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  void add(const char* text) {
    for (; *text != '\0' && at_ != end_; ++text) *at_++ = *text;
  }
  void add(std::int64_t value) {
    const auto written = std::to_chars(at_, end_, value);
    if (written.ec == std::errc()) at_ = written.ptr;
  }

 private:
  char* at_;
  char* const end_;
};

}  // namespace

InstanceScope::InstanceScope(const char* rule, const char* place, std::initializer_list<NamedIndex> vars) noexcept
    : rule_(rule), place_(place) {
  for (const NamedIndex& var : vars)
    if (num_vars_ < kMaxVars) vars_[num_vars_++] = var;
  outer_ = exchange_instance(this);
}

InstanceScope::~InstanceScope() { (void)exchange_instance(outer_); }

void InstanceScope::write_name(char* out, std::size_t size) const noexcept {
  Text text(out, size);
  text.add("rule ");
  text.add(rule_);
  for (std::size_t i = 0; i < num_vars_; ++i) {
    text.add(i == 0 ? " at " : ", ");
    text.add(vars_[i].name);
    text.add(" = ");
    text.add(vars_[i].value);
  }
}

[[gnu::noinline]] const InstanceScope* current_instance() noexcept { return instance_of_thread; }

[[gnu::noinline]] const InstanceScope* exchange_instance(const InstanceScope* instance) noexcept {
  const InstanceScope* before = instance_of_thread;
  instance_of_thread = instance;
  return before;
}

std::string instance_prefix() {
  const InstanceScope* instance = current_instance();
  if (instance == nullptr) return {};
  char name[512];
  instance->write_name(name, sizeof name);
  return std::string(instance->place()) + ": " + name + ": ";
}

}  // namespace pbrt
