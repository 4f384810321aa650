// SPDX-License-Identifier: MIT
#include "runtime/steps/row_bands.h"

namespace pbrt {
namespace {

// Bands have so many times the rows that they share with their neighbours, whatever the caches hold.
constexpr std::int64_t kLeastHeight = 2;
// Tasks have so many times the rows that they make twice.
constexpr std::int64_t kLeastTask = 4;
constexpr std::int64_t kTasksPerWorker = 4, kLeastTasksPerWorker = 2;
// Groups of rows that packs compute together.
constexpr std::int64_t kRowsTogether = 8;

std::int64_t most_shared(const BandRows* rows, std::size_t num) {
  std::int64_t most = 0;
  for (std::size_t k = 0; k < num; ++k) most = std::max(most, rows[k].num_shared());
  return most;
}

std::int64_t least_task(std::int64_t num_shared) { return std::max<std::int64_t>(1, kLeastTask * num_shared); }

}  // namespace

bool runs_in_bands(const Frame& frame, std::int64_t rule, const BandedSizes& sizes) {
  const std::int64_t num_workers = frame.is_sequential() ? 1 : frame.num_workers();
  const bool is_for_all =
      num_workers == 1 || sizes.num_rows >= kLeastTasksPerWorker * num_workers * least_task(sizes.num_shared);
  return pb::applies(rule, sizes.bytes >= kMinBandedBytes && is_for_all) && !are_new_matrices_nan();
}

std::int64_t band_height(const BandRows* rows, std::size_t num, std::int64_t cache_bytes) {
  // The other half is for what makers read and the reader writes.
  std::int64_t room = cache_bytes / 2, bytes = 0;
  for (std::size_t k = 0; k < num; ++k) {
    room -= rows[k].num_shared() * rows[k].row_bytes;
    bytes += rows[k].row_bytes;
  }
  const std::int64_t least = std::max(kRowsTogether, kLeastHeight * most_shared(rows, num));
  const std::int64_t whole_groups = (least + kRowsTogether - 1) / kRowsTogether * kRowsTogether;
  return std::max(whole_groups, room / std::max<std::int64_t>(bytes, 1) / kRowsTogether * kRowsTogether);
}

std::int64_t rows_of_task(const BandRows* rows, std::size_t num, std::int64_t num_rows, int num_workers) {
  return std::max(least_task(most_shared(rows, num)), num_rows / (kTasksPerWorker * num_workers) + 1);
}

}  // namespace pbrt
