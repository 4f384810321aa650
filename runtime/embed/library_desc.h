// SPDX-License-Identifier: MIT
// What generated code says about a library beside its program. Written by clgen, read by library.cpp.
#pragma once

#include <cstdint>

#include "runtime/embed/polybricks.h"
#include "runtime/main/program/program_desc.h"

namespace pbrt {

/// A transform as callers see it, in the order of ProgramDesc::transforms.
struct CallableDesc {
  const char* name;            ///< the end of its function's name: `Power_tmpl_3_1`
  const char* const* numbers;  ///< names of the size variables that no matrix determines
  const int* number_vars;      ///< their indices into TransformDesc::size_vars
  int num_numbers;
};

struct LibraryDesc {
  const char* name;
  const ProgramDesc* program;
  const CallableDesc* callables;
};

/// The tables of the library, which its callers see; null if there is no memory. A process has one library per copy of
/// the runtime.
[[nodiscard]] const pb_library* c_library(const LibraryDesc& desc) noexcept;

/// Calls a transform. The arguments are inputs, then outputs.
[[nodiscard]] pb_status call_transform(pb_context* context, int transform, const std::int64_t* numbers,
                                       const pb_matrix* const* arguments) noexcept;

}  // namespace pbrt
