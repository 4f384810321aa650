// SPDX-License-Identifier: MIT
#include "runtime/main/failure/thrown_from.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <typeinfo>

#include "runtime/config/current_instance.h"
#include "runtime/config/errors.h"
#include "runtime/main/failure/program_symbols.h"

#if defined(__SANITIZE_ADDRESS__)
#define PBRT_KEEPS_THROW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PBRT_KEEPS_THROW 1
#endif
#endif

namespace pbrt {
namespace {

constexpr std::size_t kMaxFrames = 64;

struct Thrown {
  const void* object = nullptr;
  std::size_t num_addresses = 0;
  std::uintptr_t addresses[kMaxFrames];
  char instance[512];
};

/// The places of exceptions, by the exception's address. Exceptions that live at the same time mostly have different
/// places in the table; where two share one, the older is forgotten.
class ThrownTable {
 public:
  void note(const void* object) {
    Thrown found;
    found.object = object;
    found.num_addresses = addresses_on_stack(found.addresses, kMaxFrames);
    found.instance[0] = '\0';
    if (const InstanceScope* instance = current_instance()) instance->write_name(found.instance, sizeof found.instance);
    const std::lock_guard<std::mutex> guard(lock_);
    slot_of(object) = found;
  }
  /// The record of the exception; it has no addresses if the exception is unknown.
  Thrown find(const void* object) {
    const std::lock_guard<std::mutex> guard(lock_);
    return slot_of(object).object == object ? slot_of(object) : Thrown{};
  }

 private:
  static constexpr std::size_t kNum = 64;
  Thrown& slot_of(const void* object) { return slots_[reinterpret_cast<std::uintptr_t>(object) / 64 % kNum]; }

  std::mutex lock_;
  std::array<Thrown, kNum> slots_;
};

// A global, because __cxa_throw gets no argument of ours. Constant-initialised: exceptions may be thrown before main.
constinit ThrownTable* table = nullptr;

/// The exception that is being handled: what std::exception_ptr of libstdc++ points to.
const void* current_object() {
  const std::exception_ptr current = std::current_exception();
  const void* object = nullptr;
  static_assert(sizeof current == sizeof object);
  // NOLINTNEXTLINE(bugprone-undefined-memory-manipulation): the exception_ptr of libstdc++ is one pointer.
  std::memcpy(&object, &current, sizeof object);
  return object;
}

/// The words ` in rule …`, and the instance if it is known; empty if the rule is not known.
std::string place_of_exception(const ProgramDesc& program) {
  if (table == nullptr) return {};
  const Thrown thrown = table->find(current_object());
  const BodyName* body = body_among(program, thrown.addresses, thrown.num_addresses);
  if (body == nullptr) return {};
  return std::string(" in ") + body->text +
         (thrown.instance[0] != '\0' ? std::string(": ") + thrown.instance : std::string());
}

std::string words(const ProgramDesc& program, const std::string& what) {
  const std::string place = place_of_exception(program);
  const bool may_be_checked = !place.empty() && !program.is_checked;
  return "exception" + place + ": " + what +
         (may_be_checked ? "; a program of `pbc --checked` names the instance" : "");
}

}  // namespace

std::string words_of_exception(const ProgramDesc& program) {
  try {
    throw;
  } catch (const RuntimeError& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "there is not enough memory" + place_of_exception(program);
  } catch (const std::exception& error) {
    return words(program, error.what());
  } catch (...) {
    return words(program, "it is of an unknown type and ended the run");
  }
}

void note_exceptions() {
  static ThrownTable the_table;
  table = &the_table;
}

}  // namespace pbrt

#ifndef PBRT_KEEPS_THROW
// Sanitizers have a __cxa_throw of their own. This one is weak: where libstdc++ is linked statically, its own
// definition holds and no place is noted.
extern "C" [[gnu::weak, noreturn]] void __cxa_throw(void* object, void* type, void (*destroy)(void*)) {
  using Throw = void (*)(void*, void*, void (*)(void*));
  static const auto next = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
  if (next == nullptr) std::terminate();
  // A run that is given up throws RunAborted in each of its tasks. No message tells where, so no place is noted.
  if (pbrt::table != nullptr && *static_cast<const std::type_info*>(type) != typeid(pbrt::RunAborted))
    pbrt::table->note(object);
  next(object, type, destroy);
  __builtin_unreachable();
}
#endif
