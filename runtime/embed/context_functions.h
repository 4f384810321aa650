// SPDX-License-Identifier: MIT
// The functions behind the tables of a library (pb_library in polybricks.h). They let no exception out.
#pragma once

#include <cstdint>

#include "runtime/embed/polybricks.h"

namespace pbrt {

/// Pre:     `library` is a Library
pb_status create_context(const pb_library* library, const pb_options* options, pb_context** context) noexcept;
void destroy_context(pb_context* context) noexcept;
pb_status cancel_context(pb_context* context) noexcept;
/// Calls a transform. The arguments are inputs, then outputs.
[[nodiscard]] pb_status call_transform(pb_context* context, int transform, const std::int64_t* numbers,
                                       const pb_matrix* const* arguments) noexcept;
/// Writes the extents of the outputs that a call with these numbers and inputs has, one output after the other.
[[nodiscard]] pb_status output_extents(pb_context* context, int transform, const std::int64_t* numbers,
                                       const pb_matrix* const* inputs, std::int64_t* extents) noexcept;

// Matrices that may stay on a device between calls; device_statistics.
pb_status create_matrix(pb_context* context, pb_matrix* matrix) noexcept;
pb_status destroy_matrix(pb_context* context, pb_matrix* matrix) noexcept;
pb_status fetch_matrix(pb_context* context, const pb_matrix* matrix) noexcept;
pb_status note_matrix_change(pb_context* context, const pb_matrix* matrix) noexcept;
pb_status device_statistics(pb_context* context, pb_statistics* statistics) noexcept;

}  // namespace pbrt
