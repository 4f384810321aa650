// SPDX-License-Identifier: MIT
#include "runtime/main/failure/crash_report.h"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string_view>

#include "runtime/config/current_instance.h"
#include "runtime/main/failure/program_symbols.h"
#include "runtime/sched/crash.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/recursion.h"

namespace pbrt {
namespace {

// Globals, because a signal handler gets no parameters of ours. They are written before the handler is installed.
const char* name_of_program = nullptr;
const ProgramDesc* description = nullptr;

void write_text(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// No program has anything below this address: an access there comes from a null pointer with a member or an index.
constexpr std::uintptr_t kFirstPage = 4096;

std::string_view words_of(const Crash& crash) {
  if (crash.is_stack_overflow) return "stack overflow";
  switch (crash.signal) {
    case SIGSEGV:
    case SIGBUS:
      return reinterpret_cast<std::uintptr_t>(crash.address) < kFirstPage && crash.code != SI_KERNEL
                 ? "use of a null pointer (segmentation fault)"
                 : "segmentation fault";
    case SIGFPE:
      return crash.code == FPE_INTDIV ? "division of a whole number by zero (SIGFPE)" : "arithmetic error (SIGFPE)";
    case SIGILL:
      return "illegal instruction (SIGILL)";
    default:
      return "abort (SIGABRT)";
  }
}

static_assert(kBodyBytes == std::size_t{8} * 1024 * 1024, "the text below says so");
constexpr std::string_view kOverflowHint =
    "; the C++ code of a body has at least 8 MiB of stack: let it call itself less deeply, keep large arrays in "
    "`using` "
    "matrices or std::vector, or make it a transform (calls of transforms may be nested as deep as memory allows)\n";
constexpr std::string_view kCheckedHint =
    "; a program of `pbc --checked` names the instance, and tests every index of matrices\n";

void report(const Crash& crash) {
  const BodyName* body = body_on_stack(*description);
  const InstanceScope* instance = current_instance();
  write_text(name_of_program);
  write_text(": ");
  write_text(words_of(crash));
  write_text(body != nullptr ? " in " : crash.is_stack_overflow ? " in a body" : " in no body of a rule");
  if (body != nullptr) write_text(body->text);
  if (instance != nullptr) {
    char name[512];
    instance->write_name(name, sizeof name);
    write_text(": ");
    write_text(name);
  }
  const bool may_be_checked = body != nullptr && !description->is_checked;
  write_text(crash.is_stack_overflow ? kOverflowHint : may_be_checked ? kCheckedHint : "\n");
  if (crash.is_stack_overflow) _exit(1);
}

const char* name_of_caller(const CallPlace* place) {
  const BodyName* body = place != nullptr ? caller_on_stack(*description, *place) : body_on_stack(*description);
  return body != nullptr ? body->text : nullptr;
}

}  // namespace

void report_crashes(const char* program_name, const ProgramDesc& program) {
  name_of_program = program_name;
  description = &program;
  on_crash(&report);
  on_endless_recursion(&name_of_caller);
}

}  // namespace pbrt
