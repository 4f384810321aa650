// SPDX-License-Identifier: MIT
#include "runtime/embed/arguments.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "runtime/main/inputs/problem.h"

namespace pbrt {

namespace {

static_assert(PB_MAX_RANK == kMaxDims);
static_assert(static_cast<int>(ElementKind::Double) == PB_DOUBLE && static_cast<int>(ElementKind::Float) == PB_FLOAT &&
              static_cast<int>(ElementKind::Int) == PB_INT && static_cast<int>(ElementKind::Long) == PB_LONG &&
              static_cast<int>(ElementKind::Short) == PB_SHORT && static_cast<int>(ElementKind::UChar) == PB_UCHAR &&
              static_cast<int>(ElementKind::UShort) == PB_USHORT);

// Matrices that devices use in the host's memory are as aligned as the runtime's own.
constexpr std::uintptr_t kDeviceAlignment = 128;

[[noreturn]] void refuse(const MatrixDesc& desc, const std::string& why) {
  throw UserError("`" + header_of(desc) + "`: " + why);
}

/// Refuses a matrix of another type, rank or kind of extents than the header's.
void check_type(const MatrixDesc& desc, const pb_matrix* matrix) {
  if (matrix == nullptr) refuse(desc, "the matrix is null");
  if (matrix->rank != desc.num_dims)
    refuse(desc, "the matrix has rank " + std::to_string(matrix->rank) + ", the header says " +
                     std::to_string(desc.num_dims));
  const auto kind = static_cast<ElementKind>(matrix->element);
  if (kind != desc.element) {
    const bool is_known = matrix->element >= PB_DOUBLE && matrix->element <= PB_USHORT;
    refuse(desc, "its elements are " + (is_known ? std::string(element_name(kind)) : "of no known type") +
                     ", the header says " + element_name(desc.element));
  }
  bool has_cells = true;
  for (int d = 0; d < desc.num_dims; ++d) {
    const std::int64_t extent = matrix->extents[d];
    if (extent < 0 || extent > std::numeric_limits<IndexT>::max())
      refuse(desc, "dimension " + std::to_string(d) + " is " + std::to_string(extent));
    has_cells = has_cells && extent > 0;
  }
  if (has_cells && matrix->data == nullptr) refuse(desc, "its data is null");
}

/// Refuses a matrix whose cells lie further apart than memory is large, so that offsets fit into 64 bits.
void check_reach(const MatrixDesc& desc, const pb_matrix& matrix) {
  constexpr std::int64_t kMaxReach = std::int64_t{1} << 56;
  for (int d = 0; d < matrix.rank; ++d) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(std::max<std::int64_t>(matrix.extents[d], 1), matrix.strides[d], &reach) ||
        reach > kMaxReach || reach < -kMaxReach)
      refuse(desc, "dimension " + std::to_string(d) + " reaches beyond all memory");
  }
}

/// Gives a matrix whose strides are all 0 the strides of a dense one. Offsets that do not fit are left to check_reach.
void fill_strides(pb_matrix& matrix) {
  if (std::any_of(matrix.strides, matrix.strides + matrix.rank, [](std::int64_t stride) { return stride != 0; }))
    return;
  std::int64_t stride = 1;
  for (int d = 0; d < matrix.rank; ++d) {
    matrix.strides[d] = stride;
    if (__builtin_mul_overflow(stride, matrix.extents[d], &stride)) stride = std::numeric_limits<std::int64_t>::max();
  }
}

/// Whether each cell certainly has a place of its own: each stride leads beyond all cells of the dimensions with
/// smaller strides.
bool has_own_cells(const pb_matrix& matrix) {
  int order[PB_MAX_RANK];
  int num = 0;
  const auto stride = [&](int d) { return std::abs(matrix.strides[d]); };
  for (int d = 0; d < matrix.rank; ++d) {
    if (matrix.extents[d] == 0) return true;
    if (matrix.extents[d] == 1) continue;
    int at = num++;
    for (; at > 0 && stride(order[at - 1]) > stride(d); --at) order[at] = order[at - 1];
    order[at] = d;
  }
  std::int64_t last = 0;  // the largest offset of a cell so far
  for (int i = 0; i < num; ++i) {
    if (stride(order[i]) <= last) return false;
    last += (matrix.extents[order[i]] - 1) * stride(order[i]);
  }
  return true;
}

bool has_negative_stride(const pb_matrix& matrix) {
  return std::any_of(matrix.strides, matrix.strides + matrix.rank, [](std::int64_t stride) { return stride < 0; });
}

/// Copies the cells between a matrix of the caller and a dense one of the same extents.
void copy_cells(const pb_matrix& strided, const AnyMatrix& dense, bool to_dense) {
  const std::size_t element = element_bytes(dense.kind());
  const auto step = static_cast<std::int64_t>(element);
  const std::int64_t row = strided.rank == 0 ? 1 : strided.extents[0];
  const std::int64_t stride = strided.rank == 0 ? 0 : strided.strides[0] * step;
  std::int64_t at[PB_MAX_RANK] = {};
  char* packed = static_cast<char*>(dense.data());
  for (std::int64_t left = dense.count(); left > 0; left -= row) {
    char* cell = static_cast<char*>(strided.data);
    for (int d = 1; d < strided.rank; ++d) cell += at[d] * strided.strides[d] * step;
    for (std::int64_t i = 0; i < row; ++i, cell += stride, packed += element)
      std::memcpy(to_dense ? packed : cell, to_dense ? cell : packed, element);
    for (int d = 1; d < strided.rank && ++at[d] == strided.extents[d]; ++d) at[d] = 0;
  }
}

}  // namespace

CallArguments::Given::Given(const MatrixDesc& desc, const pb_matrix& of) : matrix(of) {
  fill_strides(matrix);
  check_reach(desc, matrix);
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  bool has_cells = true;
  for (int d = 0; d < matrix.rank; ++d) {
    sizes[d] = static_cast<IndexT>(matrix.extents[d]);
    const std::int64_t last = (matrix.extents[d] - 1) * matrix.strides[d];
    (last < 0 ? lo : hi) += last;
    has_cells = has_cells && matrix.extents[d] > 0;
  }
  if (!has_cells) return;
  const auto element = static_cast<std::int64_t>(element_bytes(desc.element));
  begin = static_cast<const char*>(matrix.data) + lo * element;
  end = static_cast<const char*>(matrix.data) + (hi + 1) * element;
}

CallArguments::CallArguments(const TransformDesc& transform, const pb_matrix* const* arguments, int num)
    : transform_(transform) {
  if (arguments == nullptr && num != 0) throw UserError("the list of matrices is null");
  given_.reserve(static_cast<std::size_t>(num));
  for (std::size_t i = 0; i < static_cast<std::size_t>(num); ++i) {
    check_type(desc_of(i), arguments[i]);
    const Given& given = given_.emplace_back(desc_of(i), *arguments[i]);
    if (is_output(i) && !has_own_cells(given.matrix)) refuse(desc_of(i), "by its strides, its cells may overlap");
  }
}

bool CallArguments::is_output(std::size_t argument) const {
  return argument >= static_cast<std::size_t>(transform_.num_inputs);
}

const MatrixDesc& CallArguments::desc_of(std::size_t argument) const {
  const auto num_inputs = static_cast<std::size_t>(transform_.num_inputs);
  return argument < num_inputs ? transform_.inputs[argument] : transform_.outputs[argument - num_inputs];
}

std::vector<std::int64_t> CallArguments::solve_sizes(const RunContext& context, std::int64_t* values,
                                                     bool* is_known) const {
  const std::size_t num = static_cast<std::size_t>(transform_.num_inputs + transform_.num_outputs);
  std::vector<const IndexT*> sizes(num, nullptr);
  for (std::size_t i = 0; i < given_.size(); ++i) sizes[i] = given_[i].sizes;
  std::size_t num_extents = 0;
  for (std::size_t i = 0; i < num; ++i) num_extents += static_cast<std::size_t>(desc_of(i).num_dims);
  transform_.solve(context, sizes.data(), values, is_known);
  for (int v = 0; v < transform_.num_size_vars; ++v)
    if (!is_known[v])
      throw UserError(std::string("no matrix says how large ") + transform_.size_vars[v] + " of " + transform_.name +
                      " is");
  std::vector<std::int64_t> extents(num_extents);
  transform_.extents(context, values, extents.data());
  std::size_t next = 0;
  for (std::size_t i = 0; i < given_.size(); ++i)
    for (int d = 0; d < given_[i].matrix.rank; ++d, ++next)
      if (extents[next] != given_[i].sizes[d])
        throw UserError(wrong_size_text(desc_of(i), d, given_[i].sizes[d], extents[next],
                                        for_sizes_text(transform_, {values, values + transform_.num_size_vars})));
  return extents;
}

bool CallArguments::overlaps_another(std::size_t output) const {
  for (std::size_t i = 0; i < given_.size(); ++i)
    if (i != output && given_[i].begin < given_[output].end && given_[output].begin < given_[i].end) return true;
  return false;
}

void CallArguments::make_copies(bool for_device) {
  matrices_.reserve(given_.size());
  for (std::size_t i = 0; i < given_.size(); ++i) {
    Given& given = given_[i];
    const pb_matrix& matrix = given.matrix;
    const MatrixDesc& desc = desc_of(i);
    const std::uintptr_t alignment = for_device ? kDeviceAlignment : element_bytes(desc.element);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(matrix.data) % alignment == 0;
    given.is_copied =
        has_negative_stride(matrix) || !has_own_cells(matrix) || !is_aligned || (is_output(i) && overlaps_another(i));
    if (given.is_copied) {
      matrices_.push_back(AnyMatrix::allocate(desc.element, desc.num_dims, given.sizes));
      if (desc.is_read_initially) copy_cells(matrix, matrices_[i], true);
    } else {
      matrices_.push_back(
          AnyMatrix::refer_to(matrix.data, desc.element, desc.num_dims, matrix.extents, matrix.strides));
    }
  }
}

void CallArguments::copy_results() const {
  for (std::size_t i = 0; i < given_.size(); ++i)
    if (is_output(i) && given_[i].is_copied) copy_cells(given_[i].matrix, matrices_[i], false);
}

}  // namespace pbrt
