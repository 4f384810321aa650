// SPDX-License-Identifier: MIT
// What generated code says about a library beside its program. Written by clgen, read by library.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/embed/polybricks.h"
#include "runtime/main/program/program_desc.h"

namespace pbrt {

class Library;

/// A transform as callers see it, in the order of ProgramDesc::transforms. Those that pbc made of calls come last, and
/// callers do not see them.
struct CallableDesc {
  const char* name;            ///< the end of its function's name: `Power_tmpl_3_1`
  const char* const* numbers;  ///< names of the size variables that no matrix determines
  const int* number_vars;      ///< their indices into TransformDesc::size_vars
  int num_numbers;
  const char* documentation;  ///< the comment above the transform
};

struct LibraryDesc {
  const char* name;
  const ProgramDesc* program;
  const CallableDesc* callables;
  int num_callables;
};

/// A library as generated code holds it, in a static object: it ends when the library is unloaded.
///
/// Threads: any
class LoadedLibrary {
 public:
  constexpr explicit LoadedLibrary(const LibraryDesc& desc) : desc_(desc) {}
  ~LoadedLibrary();
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  /// The tables, which its callers see; the first call makes them. Null if there is no memory.
  [[nodiscard]] const pb_library* tables() noexcept;
  /// Calls a transform in a context of this library. The arguments are inputs, then outputs.
  [[nodiscard]] pb_status call(pb_context* context, int transform, const std::int64_t* numbers,
                               const pb_matrix* const* arguments) const noexcept;

 private:
  const LibraryDesc& desc_;
  std::atomic<Library*> made_{nullptr};
};

}  // namespace pbrt
