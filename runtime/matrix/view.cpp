// SPDX-License-Identifier: MIT
#include "runtime/matrix/view.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#include "runtime/config/current_instance.h"
#include "runtime/config/errors.h"
#include "runtime/config/runtime_check.h"
#include "runtime/matrix/random.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt {

const char* element_name(ElementKind kind) {
  switch (kind) {
    case ElementKind::Double:
      return "double";
    case ElementKind::Float:
      return "float";
    case ElementKind::Int:
      return "int";
    case ElementKind::Long:
      return "long";
    case ElementKind::Short:
      return "short";
    case ElementKind::UChar:
      return "uchar";
    case ElementKind::UShort:
      return "ushort";
  }
  return "";
}

namespace detail {

void index_out_of_bounds(int dim, std::int64_t index, std::int64_t size) {
  throw IndexError(instance_prefix() + "index " + std::to_string(index) + " of dimension " + std::to_string(dim) +
                   " lies outside a region of size " + std::to_string(size));
}

void box_out_of_bounds(int dim, std::int64_t lo, std::int64_t hi, std::int64_t size) {
  if (hi < lo)
    throw IndexError(instance_prefix() + "a region begins at " + std::to_string(lo) + " and ends before that, at " +
                     std::to_string(hi) + ", in dimension " + std::to_string(dim));
  throw IndexError(instance_prefix() + "[" + std::to_string(lo) + ", " + std::to_string(hi) + ") of dimension " +
                   std::to_string(dim) + " lies outside a region of size " + std::to_string(size));
}

/// ` with i = 3, j = 4`.
static std::string text_of(const StoringRound& round) {
  std::string out;
  for (int i = 0; i < round.num_loops; ++i)
    out += std::string(i == 0 ? " with " : ", ") + round.variables[i] + " = " + std::to_string(round.values[i]);
  return out;
}

void stored_twice(const char* region, const std::int64_t* at, int num_dims, const StoringRound& first,
                  const StoringRound& second) {
  std::string place;
  for (int d = 0; d < num_dims; ++d) place += (d > 0 ? ", " : "") + std::to_string(at[d]);
  throw IndexError(instance_prefix() + "a loop of a `distinct` rule stores twice to the cell (" + place + ") of `" +
                   region + "`: in the round" + text_of(first) + " and in that" + text_of(second));
}

bool are_boxes_apart(const RawView& a, const RawView& b) {
  if (a.kind != b.kind || a.num_dims != b.num_dims) return false;
  if (reinterpret_cast<std::uintptr_t>(a.base) > reinterpret_cast<std::uintptr_t>(b.base)) return are_boxes_apart(b, a);
  const auto bytes =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.base) - reinterpret_cast<std::uintptr_t>(a.base));
  std::int64_t rest = bytes / static_cast<std::int64_t>(element_bytes(a.kind));
  bool is_apart = false;
  // These are the positions at which `b` starts, seen from the start of `a`. Cells have one position each, if no row
  // reaches into the next one.
  for (int d = a.num_dims - 1; d >= 0; --d) {
    if (a.strides[d] != b.strides[d] || a.strides[d] <= 0) return false;
    const std::int64_t at = rest / a.strides[d];
    rest -= at * a.strides[d];
    const std::int64_t end = std::max<std::int64_t>(at + b.sizes[d], a.sizes[d]);
    if (d + 1 < a.num_dims && end * a.strides[d] > a.strides[d + 1]) return false;
    is_apart |= at >= a.sizes[d] || b.sizes[d] <= 0;
  }
  return is_apart && rest == 0;
}

namespace {

/// Elements of a view: halved in place by the search for a common one.
class Lattice {
 public:
  explicit Lattice(const RawView& view)
      : num_dims_(view.num_dims),
        base_(reinterpret_cast<std::intptr_t>(view.base)),
        bytes_(static_cast<std::int64_t>(element_bytes(view.kind))) {
    for (int d = 0; d < num_dims_; ++d) {
      sizes_[d] = view.sizes[d];
      strides_[d] = view.strides[d] * bytes_;
    }
  }

  [[nodiscard]] bool is_empty() const {
    return std::any_of(sizes_, sizes_ + num_dims_, [](IndexT size) { return size <= 0; });
  }
  [[nodiscard]] std::intptr_t begin() const {
    std::intptr_t lo = base_;
    for (int d = 0; d < num_dims_; ++d) lo += std::min<std::int64_t>(0, reach(d));
    return lo;
  }
  [[nodiscard]] std::intptr_t end() const {
    std::intptr_t hi = base_ + bytes_;
    for (int d = 0; d < num_dims_; ++d) hi += std::max<std::int64_t>(0, reach(d));
    return hi;
  }
  /// All elements lie at one address.
  [[nodiscard]] bool is_single() const { return end() - begin() == bytes_; }
  [[nodiscard]] bool is_wider_than(const Lattice& other) const { return end() - begin() > other.end() - other.begin(); }

  /// Visits both halves of the dimension that reaches farthest, until `visit` returns true for one.
  ///
  /// Pre:     !is_single()
  template <class Visit>
  bool any_half(Visit visit) {
    int widest = 0;
    for (int d = 1; d < num_dims_; ++d)
      if (std::abs(reach(d)) > std::abs(reach(widest))) widest = d;
    const IndexT whole = sizes_[widest];
    const std::intptr_t start = base_;
    sizes_[widest] = whole / 2;
    bool found = visit();
    if (!found) {
      base_ = start + sizes_[widest] * strides_[widest];
      sizes_[widest] = whole - whole / 2;
      found = visit();
    }
    sizes_[widest] = whole;
    base_ = start;
    return found;
  }

 private:
  [[nodiscard]] std::int64_t reach(int d) const { return (sizes_[d] - 1) * strides_[d]; }

  int num_dims_;
  std::intptr_t base_;
  std::int64_t bytes_;
  IndexT sizes_[kMaxDims] = {};
  std::int64_t strides_[kMaxDims] = {};
};

bool do_meet(Lattice& a, Lattice& b) {
  if (a.end() <= b.begin() || b.end() <= a.begin()) return false;
  if (a.is_single() && b.is_single()) return true;
  Lattice& larger = b.is_wider_than(a) ? b : a;
  return larger.any_half([&] { return do_meet(a, b); });
}

}  // namespace

void copy_size_mismatch() { throw UserError("copyTo: the two regions have different sizes"); }

void fill_random(const RawView& view) {
  RandomStream& stream = current_random();
  visit_kind(view.kind, [&]<class T>(T*) {
    T* base = static_cast<T*>(view.base);
    for_each_offset(view, [&](std::int64_t offset) {
      const double value = stream.next01() * 0x1.0p32 - 0x1.0p31;
      if constexpr (std::is_floating_point_v<T>) {
        base[offset] = static_cast<T>(value);
      } else {
        // All values of the narrow types are equally likely.
        base[offset] = static_cast<T>(static_cast<std::int64_t>(value));
      }
    });
  });
}

std::uint64_t hash_view(const RawView& view, std::uint64_t seed) {
  std::uint64_t hash = RandomStream::mix(seed ^ 0x706f6c79627269UL);
  for (int d = 0; d < view.num_dims; ++d) hash = RandomStream::mix(hash ^ static_cast<std::uint64_t>(view.sizes[d]));
  visit_kind(view.kind, [&]<class T>(T*) {
    const T* base = static_cast<const T*>(view.base);
    for_each_offset(view, [&](std::int64_t offset) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, base + offset, sizeof(T));
      hash = RandomStream::mix(hash ^ bits);
    });
  });
  return hash;
}

namespace {

/// The elements that lie along dimension 0.
template <class T>
void copy_row(T* to, std::int64_t to_stride, const T* from, std::int64_t from_stride, std::int64_t count) {
  if (to_stride == 1 && from_stride == 1) {
    std::memmove(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

}  // namespace

void copy_view(const RawView& dst, const RawView& src) {
  PBRT_CHECK(dst.kind == src.kind && dst.num_dims == src.num_dims, "copies are between equal types");
  const bool is_number = src.num_dims == 0;
  const std::int64_t row = is_number ? 1 : src.sizes[0];
  std::int64_t num_rows = row > 0 ? 1 : 0;
  for (int d = 1; d < src.num_dims; ++d) num_rows *= src.sizes[d];
  visit_kind(src.kind, [&]<class T>(T*) {
    const T* from = static_cast<const T*>(src.base);
    T* to = static_cast<T*>(dst.base);
    IndexT at[kMaxDims] = {};
    for (std::int64_t i = 0; i < num_rows; ++i) {
      copy_row(to, is_number ? 1 : dst.strides[0], from, is_number ? 1 : src.strides[0], row);
      for (int d = 1; d < src.num_dims; ++d) {
        from += src.strides[d];
        to += dst.strides[d];
        if (++at[d] < src.sizes[d]) break;
        from -= at[d] * src.strides[d];
        to -= at[d] * dst.strides[d];
        at[d] = 0;
      }
    }
  });
}

}  // namespace detail

bool is_same_view(const RawView& a, const RawView& b) {
  return a.kind == b.kind && a.base == b.base && a.num_dims == b.num_dims &&
         std::equal(a.sizes, a.sizes + a.num_dims, b.sizes, b.sizes + b.num_dims) &&
         std::equal(a.strides, a.strides + a.num_dims, b.strides, b.strides + b.num_dims);
}

bool have_common_element(const RawView& a, const RawView& b) {
  detail::Lattice of_a(a);
  detail::Lattice of_b(b);
  return !of_a.is_empty() && !of_b.is_empty() && detail::do_meet(of_a, of_b);
}

}  // namespace pbrt
