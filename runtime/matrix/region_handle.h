// SPDX-License-Identifier: MIT
// Matrix handles of the language (docs/reference/language.md 7.6): a view plus a reference to its storage.
// Copying a handle never copies data. 0-D handles convert to and from numbers: a mutable
// one refers to the variable it was made from, a const one holds a copy of the value.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/storage.h"
#include "runtime/matrix/view.h"

namespace pbrt {

namespace detail {
/// Checks the sizes, computes the dense strides, returns new storage (new_contents.h).
[[nodiscard]] Storage* allocate_dense(ElementKind kind, int num_dims, const IndexT* sizes, std::int64_t* strides,
                                      bool is_zeroed = false);
/// Whether new matrices hold zeros. What depends on this gets it as a template argument, since the runtime's library is
/// no checked build.
#ifdef PB_CHECKED
constexpr bool kIsZeroed = true;
#else
constexpr bool kIsZeroed = false;
#endif
template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T>;
/// Refuses a size that no index holds: throws UserError.
[[noreturn]] void extent_too_large(std::int64_t size);
/// A size that was computed in 64 bits, as an index.
template <class Size>
[[nodiscard]] inline IndexT extent_of(Size size) {
  if constexpr (std::is_integral_v<Size> && sizeof(Size) > sizeof(IndexT)) {
    if (!std::in_range<IndexT>(size)) [[unlikely]]
      extent_too_large(static_cast<std::int64_t>(size));
  }
  return static_cast<IndexT>(size);
}
}  // namespace detail

/// The result of `storage()`: `->data()` is the first element of the whole block.
template <class T>
class TypedStorage {
 public:
  explicit TypedStorage(Storage* storage) : storage_(storage) {}
  [[nodiscard]] T* data() const { return storage_ == nullptr ? nullptr : static_cast<T*>(storage_->data()); }
  [[nodiscard]] std::int64_t count() const {
    return storage_ == nullptr ? 0 : static_cast<std::int64_t>(storage_->bytes() / sizeof(T));
  }
  const TypedStorage* operator->() const { return this; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  Storage* storage_;
};

template <class E, int N>
class BasicRegion;
template <class E, int N>
class LentRegion;

/// Gives a handle, or parts of it, as arguments of functions that are done before the handle goes, without references
/// of their own. Copies of what is given own the storage again. `R` is the handle.
template <class R, class E, int N>
class LendingMembers {
 public:
  [[nodiscard]] R borrowed() const { return R::lent_by(self().storage_ref(), self().view()); }
  /// Gives borrowed parts of the handle.
  class Lender : public SliceMembers<Lender, N> {
   public:
    using Slice = std::conditional_t<N == 1, BasicRegion<E, N - 1>, LentRegion<E, N - 1>>;
    explicit Lender(const R& region) : region_(region) {}
    template <class... I>
    requires(sizeof...(I) == 2 * N) [[nodiscard]] LentRegion<E, N> region(I... bounds) const {
      return LentRegion<E, N>(region_.storage_ref(), region_.view().region(bounds...));
    }
    [[nodiscard]] Slice slice(int dim, std::int64_t position) const {
      return Slice(region_.storage_ref(), region_.view().slice(dim, position));
    }

   private:
    const R& region_;
  };
  [[nodiscard]] Lender lent() const { return Lender(self()); }
  /// The handle as an argument of a function that only reads.
  [[nodiscard]] const R& as_input() const requires(std::is_const_v<E>) { return self(); }
  [[nodiscard]] LentRegion<const E, N> as_input() const requires(!std::is_const_v<E>) {
    return LentRegion<const E, N>(self().storage_ref(), self().view());
  }

 private:
  [[nodiscard]] const R& self() const { return static_cast<const R&>(*this); }
};

/// Handle of an N-dimensional matrix or of a box of one. `E` is the element type, const for read-only handles.
template <class E, int N>
class BasicRegion : public ShapeMembers<BasicRegion<E, N>, E, N>,
                    public ContentMembers<BasicRegion<E, N>, N>,
                    public SliceMembers<BasicRegion<E, N>, N>,
                    public LendingMembers<BasicRegion<E, N>, E, N> {
 public:
  using Element = E;
  using Plain = std::remove_const_t<E>;
  using ViewType = View<E, N>;
  static constexpr int kDims = N;

  BasicRegion() = default;
  BasicRegion(StorageRef storage, const ViewType& view) : view_(view), storage_(static_cast<StorageRef&&>(storage)) {}
  /// Makes a const handle of a mutable one.
  template <class F>
  requires(std::is_same_v<const F, E> && !std::is_same_v<F, E>) BasicRegion(const BasicRegion<F, N>& other)
      : view_(other.view()), storage_(other.storage_ref()) {}

  /// A new matrix of the given sizes, content undefined (new_contents.h).
  ///
  /// Errors:  RuntimeError if a size is negative or there is not so much memory
  template <bool kZeroed = detail::kIsZeroed, class... I>
  requires(sizeof...(I) == N) [[nodiscard]] static BasicRegion<Plain, N> allocate(I... sizes) {
    const IndexT wanted[] = {detail::extent_of(sizes)...};
    std::int64_t strides[N];
    Storage* storage = detail::allocate_dense(kElementKindOf<Plain>, N, wanted, strides, kZeroed);
    return BasicRegion<Plain, N>(StorageRef::adopt(storage),
                                 View<Plain, N>(static_cast<Plain*>(storage->data()), wanted, strides));
  }

  template <class... I>
  requires(sizeof...(I) == N) [[nodiscard]] E& cell(I... indices) const { return view_.cell(indices...); }
  template <class... I>
  requires(sizeof...(I) == 2 * N) [[nodiscard]] BasicRegion region(I... bounds) const {
    return BasicRegion(storage_, view_.region(bounds...));
  }
  [[nodiscard]] BasicRegion<E, N - 1> slice(int dim, std::int64_t position) const {
    return BasicRegion<E, N - 1>(storage_, view_.slice(dim, position));
  }
  [[nodiscard]] BasicRegion transposed() const { return BasicRegion(storage_, ViewType(view_.transposed())); }
  [[nodiscard]] BasicRegion all() const { return *this; }
  [[nodiscard]] BasicRegion<Plain, N> forceMutable() const {
    return BasicRegion<Plain, N>(storage_, View<Plain, N>(const_cast<Plain*>(view_.address()), sizes(), multipliers()));
  }

  [[nodiscard]] IndexT size(int d) const { return view_.size(d); }
  /// True if the handle covers its whole storage, in memory order.
  [[nodiscard]] bool isEntireBuffer() const {
    return storage_.get() != nullptr && view_.address() == storage_.get()->data() &&
           static_cast<std::size_t>(this->bytes()) == storage_.get()->bytes() && view_.is_dense();
  }

  [[nodiscard]] E* base() const { return view_.base(); }
  [[nodiscard]] TypedStorage<E> storage() const {
    static_cast<void>(base());
    return TypedStorage<E>(storage_.get());
  }
  [[nodiscard]] const IndexT* sizes() const { return view_.sizes(); }
  [[nodiscard]] const std::int64_t* multipliers() const { return view_.multipliers(); }

  // Functions for generated code and the runtime.
  /// A borrowed part of the matrix whose storage `lender` refers to.
  [[nodiscard]] static BasicRegion lent_by(const StorageRef& lender, const ViewType& view) {
    return BasicRegion(view, lender, Borrow{});
  }
  [[nodiscard]] const ViewType& view() const { return view_; }
  /// The view with unit stride. Pre: `view().has_unit_stride()`.
  [[nodiscard]] UnitView<E, N> unit_view() const { return as_view<UnitView<E, N>>(); }
  /// The view with unit stride, apart from others. Pre: also `is_apart` from all that is touched while the result is in
  /// use.
  [[nodiscard]] BasicView<E, N, true, true> apart_view() const { return as_view<BasicView<E, N, true, true>>(); }
  [[nodiscard]] const StorageRef& storage_ref() const { return storage_; }
  [[nodiscard]] RawView raw() const { return view_.raw(); }

 private:
  /// Returns the view as another type. Copies the view in one piece, because a load wider than the last store waits
  /// for memory; types of different sizes are converted by members.
  template <class To>
  [[nodiscard]] To as_view() const {
    if constexpr (sizeof(To) == sizeof(ViewType)) return std::bit_cast<To>(view_);
    return To(view_);
  }

  struct Borrow {};
  BasicRegion(const ViewType& view, const StorageRef& lender, Borrow) : view_(view), storage_(lender.borrowed()) {}

  ViewType view_;
  StorageRef storage_;
};

/// A borrowed part of a handle, as an argument of a function. It owns nothing, so its destructor does nothing, and the
/// caller need not test whether a storage is to be released.
template <class E, int N>
class LentRegion {
 public:
  using Region = BasicRegion<E, N>;

  LentRegion(const StorageRef& lender, const View<E, N>& view) : region_(Region::lent_by(lender, view)) {}
  LentRegion(const LentRegion&) = delete;
  LentRegion& operator=(const LentRegion&) = delete;
  // The part is not destroyed: what is borrowed has no destructor to speak of.
  ~LentRegion() {}

  operator const Region&() const { return region_; }
  [[nodiscard]] typename Region::Lender lent() const { return region_.lent(); }
  [[nodiscard]] Region borrowed() const { return region_.borrowed(); }
  [[nodiscard]] decltype(auto) as_input() const { return region_.as_input(); }
  [[nodiscard]] const StorageRef& storage_ref() const { return region_.storage_ref(); }
  [[nodiscard]] RawView raw() const { return region_.raw(); }

 private:
  union {
    Region region_;
  };
};

/// A single number that refers to a variable or to an element of a matrix.
template <class T>
class BasicRegion<T, 0> : public ContentMembers<BasicRegion<T, 0>, 0> {
 public:
  using Element = T;
  using Plain = T;
  using ViewType = View<T, 0>;
  static constexpr int kDims = 0;

  BasicRegion() = default;
  /// Refers to `variable`, which must live as long as the handle.
  BasicRegion(T& variable) : view_(&variable, nullptr, nullptr) {}
  BasicRegion(StorageRef storage, const ViewType& view) : view_(view), storage_(static_cast<StorageRef&&>(storage)) {}

  template <bool kZeroed = detail::kIsZeroed>
  [[nodiscard]] static BasicRegion allocate() {
    Storage* storage = detail::allocate_dense(kElementKindOf<T>, 0, nullptr, nullptr, kZeroed);
    return BasicRegion(StorageRef::adopt(storage), ViewType(static_cast<T*>(storage->data()), nullptr, nullptr));
  }

  BasicRegion(const BasicRegion&) = default;
  BasicRegion(BasicRegion&&) noexcept = default;
  ~BasicRegion() = default;
  /// Assigning a handle re-seats this one; assigning a number stores it.
  BasicRegion& operator=(const BasicRegion&) = default;
  BasicRegion& operator=(BasicRegion&&) noexcept = default;
  template <class V>
  requires(detail::kIsNumber<V>) BasicRegion& operator=(V value) {
    if (view_.address() == nullptr) *this = allocate();
    *base() = static_cast<T>(value);
    return *this;
  }

  operator T&() const { return *base(); }
  [[nodiscard]] T& cell() const { return *base(); }
  [[nodiscard]] BasicRegion region() const { return *this; }
  [[nodiscard]] BasicRegion all() const { return *this; }
  [[nodiscard]] BasicRegion transposed() const { return *this; }
  [[nodiscard]] const BasicRegion& lent() const { return *this; }
  [[nodiscard]] BasicRegion forceMutable() const { return *this; }
  [[nodiscard]] IndexT size(int) const { return 1; }
  [[nodiscard]] std::int64_t count() const { return 1; }
  [[nodiscard]] std::int64_t perimeter() const { return 0; }
  [[nodiscard]] std::int64_t bytes() const { return sizeof(T); }
  [[nodiscard]] bool contains() const { return true; }
  [[nodiscard]] bool isSize() const { return true; }
  [[nodiscard]] bool isEntireBuffer() const {
    return storage_.get() != nullptr && view_.address() == storage_.get()->data() &&
           storage_.get()->bytes() == sizeof(T);
  }
  [[nodiscard]] T* base() const { return view_.base(); }
  [[nodiscard]] TypedStorage<T> storage() const { return TypedStorage<T>(storage_.get()); }
  [[nodiscard]] const IndexT* sizes() const { return view_.sizes(); }
  [[nodiscard]] const std::int64_t* multipliers() const { return view_.multipliers(); }

  [[nodiscard]] const ViewType& view() const { return view_; }
  [[nodiscard]] const StorageRef& storage_ref() const { return storage_; }
  [[nodiscard]] RawView raw() const { return view_.raw(); }

 private:
  ViewType view_;
  StorageRef storage_;
};

/// A number that was copied when the handle was made.
template <class T>
class BasicRegion<const T, 0> : public ContentMembers<BasicRegion<const T, 0>, 0> {
 public:
  using Element = const T;
  using Plain = T;
  using ViewType = View<const T, 0>;
  static constexpr int kDims = 0;

  BasicRegion() = default;
  template <class V>
  requires(detail::kIsNumber<V>) BasicRegion(V value) : value_(static_cast<T>(value)) {}
  /// Copies the number. Pre: it is on the host.
  BasicRegion(const StorageRef&, const ViewType& view) : value_(*view.base()) {}
  template <class V>
  BasicRegion(const BasicRegion<V, 0>& other) : value_(static_cast<T>(other.cell())) {}

  [[nodiscard]] static BasicRegion<T, 0> allocate() { return BasicRegion<T, 0>::allocate(); }
  operator const T&() const { return value_; }
  [[nodiscard]] const T& cell() const { return value_; }
  [[nodiscard]] BasicRegion region() const { return *this; }
  [[nodiscard]] BasicRegion all() const { return *this; }
  [[nodiscard]] BasicRegion transposed() const { return *this; }
  [[nodiscard]] const BasicRegion& lent() const { return *this; }
  [[nodiscard]] IndexT size(int) const { return 1; }
  [[nodiscard]] std::int64_t count() const { return 1; }
  [[nodiscard]] std::int64_t perimeter() const { return 0; }
  [[nodiscard]] std::int64_t bytes() const { return sizeof(T); }
  [[nodiscard]] bool contains() const { return true; }
  [[nodiscard]] bool isSize() const { return true; }
  [[nodiscard]] bool isEntireBuffer() const { return false; }
  [[nodiscard]] const T* base() const { return &value_; }
  [[nodiscard]] TypedStorage<const T> storage() const { return TypedStorage<const T>(nullptr); }
  /// A view of the number, valid as long as this handle.
  [[nodiscard]] ViewType view() const { return ViewType(&value_, nullptr, nullptr); }
  [[nodiscard]] StorageRef storage_ref() const { return StorageRef(); }
  [[nodiscard]] RawView raw() const { return view().raw(); }

 private:
  T value_{};
};

/// Stands for a variable of another type than the single-number output that it is given for: stores the value in the
/// variable when it goes.
template <class T, class Target>
class ConvertedNumber {
 public:
  explicit ConvertedNumber(Target target) : target_(target), value_(static_cast<T>(target)) {}
  ~ConvertedNumber() { target_ = static_cast<std::remove_reference_t<decltype(number(target_))>>(value_); }
  ConvertedNumber(const ConvertedNumber&) = delete;
  ConvertedNumber& operator=(const ConvertedNumber&) = delete;
  operator BasicRegion<T, 0>() { return BasicRegion<T, 0>(value_); }

 private:
  template <class U>
  static U& number(U& variable) {
    return variable;
  }
  template <class U>
  static U& number(BasicRegion<U, 0>& handle) {
    return handle.cell();
  }
  Target target_;
  T value_;
};
template <class T, class U>
requires(detail::kIsNumber<U>) [[nodiscard]] ConvertedNumber<T, U&> converted(U& variable) {
  return ConvertedNumber<T, U&>(variable);
}
template <class T, class U>
[[nodiscard]] ConvertedNumber<T, BasicRegion<U, 0>> converted(const BasicRegion<U, 0>& handle) {
  return ConvertedNumber<T, BasicRegion<U, 0>>(handle);
}

template <class T, int N>
using MatrixRegion = BasicRegion<T, N>;
template <class T, int N>
using ConstMatrixRegion = BasicRegion<const T, N>;

}  // namespace pbrt
