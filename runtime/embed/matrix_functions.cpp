// SPDX-License-Identifier: MIT
// The functions for matrices that may stay on a device between calls.
#include <algorithm>
#include <memory>

#include "runtime/config/errors.h"
#include "runtime/embed/call_status.h"
#include "runtime/embed/context.h"
#include "runtime/embed/context_functions.h"
#include "runtime/embed/given_matrix.h"
#include "runtime/gpu/launch.h"
#include "runtime/main/engine/root_run.h"

namespace pbrt {

namespace {

/// Why a function for matrices cannot be used here; PB_OK if it can.
pb_status check_matrix(const pb_context* context, const pb_matrix* matrix) noexcept {
  pb_status status = check_caller(context);
  if (status.code != PB_OK) return status;
  if (matrix == nullptr) return make_status(PB_ERROR_ARGUMENT, "the matrix is null");
  if (!is_known(matrix->element) || matrix->rank < 0 || matrix->rank > PB_MAX_RANK)
    return make_status(PB_ERROR_ARGUMENT, "the matrix has no known element type, or no possible rank");
  return status;
}

/// The cells that a caller describes in resident memory; all of that memory's if they are no box of it; an empty matrix
/// if there are none.
///
/// Errors:  UserError if they lie elsewhere
AnyMatrix resident_part(const pb_matrix& matrix) {
  const GivenMatrix given(matrix);
  if (given.begin() == given.end()) return {};
  AnyMatrix whole = SharedRuntime::get().resident_memory().find(given.begin(), given.end());
  if (whole.is_empty()) throw UserError("the matrix does not lie in memory of pb_matrix_create");
  return given.hull_in(whole);
}

/// Runs `function(part)` on the cells of a matrix in resident memory.
template <class F>
pb_status with_resident_part(pb_context* context, const pb_matrix* matrix, F&& function) noexcept {
  pb_status status = check_matrix(context, matrix);
  if (status.code != PB_OK) return status;
  try {
    const AnyMatrix part = resident_part(*matrix);
    if (gpu::device_state(part) == 0) return status;
    const std::shared_ptr<SharedDevices> stay_meanwhile = SharedRuntime::get().known_devices();
    function(part);
    return status;
  } catch (...) {
    return status_of_exception(PB_ERROR_MEMORY);
  }
}

}  // namespace

pb_status create_matrix(pb_context* context, pb_matrix* matrix) noexcept {
  pb_status status = check_matrix(context, matrix);
  if (status.code != PB_OK) return status;
  try {
    IndexT sizes[PB_MAX_RANK];
    sizes_of(*matrix, sizes);
    const AnyMatrix made =
        SharedRuntime::get().resident_memory().add(static_cast<ElementKind>(matrix->element), matrix->rank, sizes);
    matrix->data = made.data();
    std::copy_n(made.strides(), matrix->rank, matrix->strides);
    return status;
  } catch (...) {
    return status_of_exception(PB_ERROR_MEMORY);
  }
}

pb_status destroy_matrix(pb_context* context, pb_matrix* matrix) noexcept {
  pb_status status = check_matrix(context, matrix);
  if (status.code != PB_OK) return status;
  const bool has_cells =
      std::none_of(matrix->extents, matrix->extents + matrix->rank, [](std::int64_t extent) { return extent == 0; });
  if (has_cells && !SharedRuntime::get().resident_memory().remove(matrix->data))
    return make_status(PB_ERROR_ARGUMENT, "the matrix is none of pb_matrix_create, or was destroyed before");
  matrix->data = nullptr;
  return status;
}

pb_status fetch_matrix(pb_context* context, const pb_matrix* matrix) noexcept {
  return with_resident_part(context, matrix, [](const AnyMatrix& part) {
    RunState state;
    const std::shared_ptr<SharedWorkers> workers = SharedRuntime::get().workers(1);  // the caller's thread
    SharedWorkers::Loan loan(*workers);
    run_root(loan.workers(), state, [&](Frame& root) { back_on_host(root, part); });
  });
}

pb_status note_matrix_change(pb_context* context, const pb_matrix* matrix) noexcept {
  return with_resident_part(context, matrix, [](const AnyMatrix& part) {
    if (gpu::is_newer_on_device(part))
      throw UserError(
          "a call wrote cells of the matrix on a device after they were fetched; fetch them, then change them");
    wrote_on_host(part);
  });
}

pb_status device_statistics(pb_context* context, pb_statistics* statistics) noexcept {
  pb_status status = check_context(context);
  if (status.code != PB_OK) return status;
  if (statistics == nullptr) return make_status(PB_ERROR_ARGUMENT, "the result is null");
  *statistics = {};
  for (const gpu::Manager* each : static_cast<const LibraryContext*>(context)->managers.managers()) {
    const gpu::DeviceStatistics found = each->statistics();
    statistics->kernels += found.launches;
    statistics->bytes_to_device += found.bytes_to_device;
    statistics->bytes_to_host += found.bytes_to_host;
  }
  return status;
}

}  // namespace pbrt
