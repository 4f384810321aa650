// SPDX-License-Identifier: MIT
#include "runtime/main/failure/program_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

// The first byte of the program in memory; the linker makes this name.
extern "C" const char __ehdr_start __attribute__((weak, visibility("hidden")));

namespace pbrt {
namespace {

/// Functions of this program by their addresses. All members are async-signal-safe.
class SymbolTable {
 public:
  /// Maps the program's file; without one, or without symbols in it, the table is empty.
  SymbolTable() {
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0) return;
    if (fstat(file, &status) != 0) {
      close(file);
      return;
    }
    size_ = static_cast<std::size_t>(status.st_size);
    void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (memory == MAP_FAILED) return;
    file_ = static_cast<const char*>(memory);
    if (size_ < sizeof(ElfW(Ehdr))) return;
    const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(file_);
    // Addresses in the file of a position-independent program are relative to its beginning.
    if (header.e_type == ET_DYN) bias_ = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
    if (!is_inside(header.e_shoff, sizeof(ElfW(Shdr)) * header.e_shnum)) return;
    const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(file_ + header.e_shoff);
    for (int i = 0; i < header.e_shnum; ++i) {
      const ElfW(Shdr)& section = sections[i];
      if (section.sh_type != SHT_SYMTAB || section.sh_link >= header.e_shnum) continue;
      const ElfW(Shdr)& names = sections[section.sh_link];
      if (!is_inside(section.sh_offset, section.sh_size) || !is_inside(names.sh_offset, names.sh_size)) return;
      symbols_ = reinterpret_cast<const ElfW(Sym)*>(file_ + section.sh_offset);
      num_symbols_ = section.sh_size / sizeof(ElfW(Sym));
      names_ = {file_ + names.sh_offset, names.sh_size};
    }
  }

  ~SymbolTable() {
    if (file_ != nullptr) munmap(const_cast<char*>(file_), size_);
  }
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  /// The mangled name of the function that holds `address`; empty if there is none.
  [[nodiscard]] std::string_view find(std::uintptr_t address) const {
    for (std::size_t i = 0; i < num_symbols_; ++i) {
      const ElfW(Sym)& symbol = symbols_[i];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || address - bias_ - symbol.st_value >= symbol.st_size) continue;
      if (symbol.st_name < names_.size()) return names_.substr(symbol.st_name, strlen(names_.data() + symbol.st_name));
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_inside(std::size_t offset, std::size_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset;
  }

  const char* file_ = nullptr;
  std::size_t size_ = 0;
  std::uintptr_t bias_ = 0;
  const ElfW(Sym) * symbols_ = nullptr;
  std::size_t num_symbols_ = 0;
  std::string_view names_;
};

/// A function that is being executed: an address in its code, and the lowest address of what it has on the stack.
struct Function {
  std::uintptr_t address = 0;
  std::uintptr_t bottom = 0;
};

/// Visits the functions that are being executed, innermost first, until `visit` returns true.
template <class Visit>
void walk_functions(const Visit& visit) {
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* argument) {
        int is_exact = 0;  // as where a signal struck; a return address may be the first byte of the next function
        std::uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
        if (is_exact == 0) --address;
        const Function function{address, _Unwind_GetCFA(context)};
        return (*static_cast<const Visit*>(argument))(function) ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      const_cast<Visit*>(&visit));
}

/// Visits addresses in these functions until `visit` returns true. A function that calls itself is visited once, at its
/// innermost call.
template <class Visit>
void walk_stack(const Visit& visit) {
  std::uintptr_t last = 0;
  walk_functions([&](const Function& function) {
    if (function.address == last) return false;
    last = function.address;
    return visit(last);
  });
}

/// Whether `object` is on the stack between a function and the one that called it.
bool holds(const Function& function, const Function& caller, const void* object) {
  const auto at = reinterpret_cast<std::uintptr_t>(object);
  return function.address != 0 && function.bottom <= at && at < caller.bottom;
}

/// Returns the entry of the transform with this number; null if there is none.
const BodyName* find_transform(const ProgramDesc& program, int number) {
  for (int i = 0; i < program.num_bodies; ++i)
    if (!program.bodies[i].is_rule && number-- == 0) return &program.bodies[i];
  return nullptr;
}

/// Whether a function of pbc is for one rule (`rule_Fib_0`, `loops_Fib_0_s2`): the names of rules and transforms may
/// coincide.
bool is_for_rule(std::string_view verb) {
  for (const std::string_view other : {"run", "call", "spawn", "memo", "enter"})
    if (verb == other) return false;
  return true;
}

bool is_named(const BodyName& body, std::string_view verb, std::string_view rest) {
  if (body.is_rule != is_for_rule(verb)) return false;
  const std::string_view name = body.name;
  if (!rest.starts_with(name)) return false;
  return rest.size() == name.size() || (body.is_rule && rest[name.size()] == '_');
}

}  // namespace

const BodyName* body_of_symbol(const ProgramDesc& program, std::string_view symbol) {
  const BodyName* found = nullptr;
  for (std::size_t at = 0; at < symbol.size();) {
    // Mangled names hold identifiers behind their lengths.
    std::size_t length = 0;
    for (; at < symbol.size() && symbol[at] >= '0' && symbol[at] <= '9' && length < symbol.size(); ++at)
      length = 10 * length + static_cast<std::size_t>(symbol[at] - '0');
    if (length == 0 || length > symbol.size() - at) {
      ++at;
      continue;
    }
    const std::string_view identifier = symbol.substr(at, length);
    at += length;
    const std::size_t cut = identifier.find('_');
    if (cut == std::string_view::npos) continue;
    for (int i = 0; i < program.num_bodies; ++i) {
      const BodyName& body = program.bodies[i];
      if (!is_named(body, identifier.substr(0, cut), identifier.substr(cut + 1))) continue;
      if (found == nullptr || strlen(body.name) > strlen(found->name)) found = &body;
    }
  }
  return found;
}

const BodyName* body_among(const ProgramDesc& program, const std::uintptr_t* addresses, std::size_t num) {
  const SymbolTable symbols;
  for (std::size_t i = 0; i < num; ++i)
    if (const BodyName* body = body_of_symbol(program, symbols.find(addresses[i]))) return body;
  return nullptr;
}

const BodyName* body_on_stack(const ProgramDesc& program) {
  const SymbolTable symbols;
  const BodyName* found = nullptr;
  walk_stack([&](std::uintptr_t address) {
    found = body_of_symbol(program, symbols.find(address));
    return found != nullptr;
  });
  return found;
}

const BodyName* caller_on_stack(const ProgramDesc& program, const CallPlace& place) {
  const BodyName* transform = find_transform(program, place.transform);
  if (transform == nullptr) return nullptr;
  const std::string_view stem = transform->name;
  const SymbolTable symbols;
  const BodyName* found = nullptr;
  // The rule's functions are between those that hold the two records: from the one of the call, which may be part of
  // the rule's, to the one before that of the call around it.
  Function inner;
  walk_functions([&](const Function& function) {
    const bool holds_outer = holds(inner, function, place.outer);
    if (inner.address != 0 && function.bottom > reinterpret_cast<std::uintptr_t>(place.call) && !holds_outer) {
      const BodyName* body = body_of_symbol(program, symbols.find(inner.address));
      const bool is_of_transform =
          body != nullptr && body->is_rule && std::string_view(body->name).substr(0, stem.size()) == stem &&
          std::string_view(body->name).substr(stem.size()).find_first_not_of("_0123456789") == std::string_view::npos;
      if (is_of_transform) found = body;
    }
    inner = function;
    return found != nullptr || holds_outer;
  });
  return found != nullptr ? found : transform;
}

std::size_t addresses_on_stack(std::uintptr_t* out, std::size_t max) {
  std::size_t num = 0;
  if (max == 0) return num;
  walk_stack([&](std::uintptr_t address) {
    out[num++] = address;
    return num == max;
  });
  return num;
}

}  // namespace pbrt
