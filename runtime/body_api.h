// SPDX-License-Identifier: MIT
// Names that rule bodies and prefix blocks see at global scope (docs/reference/language.md 7.6, 7.7): types,
// random numbers, JASSERT, C arrays, MatrixIO. Headers of the C and C++ libraries as there.
#pragma once

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/matrix/region_handle.h"
#include "runtime/matrix/view.h"

#ifndef PB_ELEMENT
#define PB_ELEMENT double
#endif

using ElementT = PB_ELEMENT;
using IndexT = pbrt::IndexT;
// The C library has `ushort` and `uint`, too, on some systems.
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using pbrt::ConstMatrixRegion;
using pbrt::MatrixRegion;

using MatrixRegion0D = MatrixRegion<ElementT, 0>;
using MatrixRegion1D = MatrixRegion<ElementT, 1>;
using MatrixRegion2D = MatrixRegion<ElementT, 2>;
using MatrixRegion3D = MatrixRegion<ElementT, 3>;
using MatrixRegion4D = MatrixRegion<ElementT, 4>;
using MatrixRegion5D = MatrixRegion<ElementT, 5>;
using MatrixRegion6D = MatrixRegion<ElementT, 6>;
using MatrixRegion7D = MatrixRegion<ElementT, 7>;
using MatrixRegion8D = MatrixRegion<ElementT, 8>;
using MatrixRegion9D = MatrixRegion<ElementT, 9>;
using ConstMatrixRegion0D = ConstMatrixRegion<ElementT, 0>;
using ConstMatrixRegion1D = ConstMatrixRegion<ElementT, 1>;
using ConstMatrixRegion2D = ConstMatrixRegion<ElementT, 2>;
using ConstMatrixRegion3D = ConstMatrixRegion<ElementT, 3>;
using ConstMatrixRegion4D = ConstMatrixRegion<ElementT, 4>;
using ConstMatrixRegion5D = ConstMatrixRegion<ElementT, 5>;
using ConstMatrixRegion6D = ConstMatrixRegion<ElementT, 6>;
using ConstMatrixRegion7D = ConstMatrixRegion<ElementT, 7>;
using ConstMatrixRegion8D = ConstMatrixRegion<ElementT, 8>;
using ConstMatrixRegion9D = ConstMatrixRegion<ElementT, 9>;

/// Functions of the run time that bodies call.
struct PetabricksRuntime {
  /// Uniform in [lo, hi).
  static double randDouble(double lo = 0, double hi = INT_MAX);
  /// Uniform integer in [lo, hi), the upper bound excluded; `lo` if they are equal.
  static int randInt(int lo = 0, int hi = RAND_MAX);
  static double randNormal(double mean, double sigma);
  static double rand01();
  /// Gives the whole run up: no outputs, exit status 66.
  [[noreturn]] static void abort();
  [[noreturn]] static void untrained();
  /// Always false: bodies never run while a configuration is being changed, so there is nothing to tell and nothing to
  /// save.
  static bool isTrainingRun() { return false; }
  static void saveConfig() {}
};

/// The name of the run time in the earliest programs.
using HecuraRuntime = PetabricksRuntime;

namespace pbrt::jassert {

/// Collects what a failed JASSERT (or JWARNING, JNOTE) says and prints it.
class Message {
 public:
  enum class Severity { Assertion, Warning, Note };
  Message(Severity severity, const char* file, int line, const char* condition);
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  template <class T>
  Message& pb_add(const char* name, const T& value) {
    begin_value(name);
    if constexpr (requires(std::ostream & out) { out << value; }) {
      stream() << value;
    } else {
      stream() << "(a value that cannot be printed)";
    }
    return end_value();
  }
  Message& Text(const char* text);
  Message& Text(const std::string& text) { return Text(text.c_str()); }

  /// Prints what was collected. After a failed assertion the process ends with status 1.
  void finish();

  // What `JASSERT_A` and `JASSERT_B` are when no further value follows.
  Message& PB_JASSERT_A;
  Message& PB_JASSERT_B;

 private:
  void begin_value(const char* name);
  Message& end_value();
  std::ostream& stream();
  struct State;
  State* state_;
};

/// Ends the expression of a macro: prints its message.
struct Finish {
  void operator&(Message& message) const;
};

}  // namespace pbrt::jassert

namespace pbrt {
// The macros below stand among the user's macros: they name nothing that those may be called.
using pb_jassert = jassert::Message;
using pb_jassert_end = jassert::Finish;
inline constexpr jassert::Message::Severity pb_jassert_Assertion = jassert::Message::Severity::Assertion;
inline constexpr jassert::Message::Severity pb_jassert_Warning = jassert::Message::Severity::Warning;
inline constexpr jassert::Message::Severity pb_jassert_Note = jassert::Message::Severity::Note;
}  // namespace pbrt

#define PB_JASSERT_A(value) PB_JASSERT_NEXT(value, B)
#define PB_JASSERT_B(value) PB_JASSERT_NEXT(value, A)
#define PB_JASSERT_NEXT(value, next) pb_add(#value, (value)).PB_JASSERT_##next
#define PB_JASSERT_MESSAGE(severity, text) \
  ::pbrt::pb_jassert_end() & ::pbrt::pb_jassert(::pbrt::pb_jassert_##severity, __FILE__, __LINE__, text).PB_JASSERT_A
#define JASSERT(cond) (__builtin_expect(!!(cond), 1)) ? static_cast<void>(0) : PB_JASSERT_MESSAGE(Assertion, #cond)
#define JWARNING(cond) (__builtin_expect(!!(cond), 1)) ? static_cast<void>(0) : PB_JASSERT_MESSAGE(Warning, #cond)
#define JNOTE(text) PB_JASSERT_MESSAGE(Note, text)
#define JTRACE(text) true ? static_cast<void>(0) : PB_JASSERT_MESSAGE(Note, text)
#define UNIMPLEMENTED() JASSERT(false).Text("not implemented")

// min and max without `std::`, and of two types, as C programs with macros of these names have them. Functions of the
// same names in the program's own headers are more special, and so are those of `std` after `using namespace std;`.
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr std::common_type_t<A, B> min(A a, B b) {
  using Both = std::common_type_t<A, B>;
  return std::min<Both>(static_cast<Both>(a), static_cast<Both>(b));
}
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr std::common_type_t<A, B> max(A a, B b) {
  using Both = std::common_type_t<A, B>;
  return std::max<Both>(static_cast<Both>(a), static_cast<Both>(b));
}
template <class A, class B>
requires std::is_same_v<A, B>
constexpr void swap(A& a, B& b) { std::swap(a, b); }

namespace pbrt {
/// What an `= OPTIONAL` input holds where its cell is missing: a NaN of its own, in integer matrices 0.
template <class T>
constexpr T missing_value() {
  if constexpr (sizeof(T) == sizeof(float) && std::is_floating_point_v<T>) return __builtin_nanf("0xb1d");
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(__builtin_nan("0xb1d"));
  return T(0);
}
}  // namespace pbrt

/// True if the optional input `name` lies outside its matrix. Generated code declares the flag.
#define IS_MISSING(name) (pb_missing_##name)

#define CONVERT_TO_LOCAL(m) (m)

namespace pbrt::detail {
template <class T>
inline constexpr bool kIsElement = requires {
  ElementKindOf<T>::value;
};
template <class R>
inline constexpr bool kIsHandle = requires {
  R::kDims;
};
}  // namespace pbrt::detail

/// A new matrix with a dimension per size, content undefined.
template <class T, bool kZeroed = pbrt::detail::kIsZeroed, class... Size>
requires(!(pbrt::detail::kIsHandle<Size> || ...)) [[nodiscard]] inline auto allocate(Size... sizes) {
  static_assert(pbrt::detail::kIsElement<T>, "matrices hold double, float, int, long, short, uchar or ushort");
  return MatrixRegion<T, static_cast<int>(sizeof...(Size))>::template allocate<kZeroed>(sizes...);
}
/// A new matrix of the same sizes as a region or handle, content undefined.
template <class T, bool kZeroed = pbrt::detail::kIsZeroed, class R>
requires(pbrt::detail::kIsHandle<R>) [[nodiscard]] inline auto allocate(const R& like) {
  static_assert(pbrt::detail::kIsElement<T>, "matrices hold double, float, int, long, short, uchar or ushort");
  if constexpr (R::kDims == 0) {
    return MatrixRegion<T, 0>::template allocate<kZeroed>();
  } else {
    std::int64_t strides[R::kDims];
    pbrt::Storage* storage =
        pbrt::detail::allocate_dense(pbrt::kElementKindOf<T>, R::kDims, like.sizes(), strides, kZeroed);
    return MatrixRegion<T, R::kDims>(pbrt::StorageRef::adopt(storage),
                                     pbrt::View<T, R::kDims>(static_cast<T*>(storage->data()), like.sizes(), strides));
  }
}

/// The owner of the copy that `to_c_array` made.
class CArrayStorage {
 public:
  /// Elements of the copy; null if there is none.
  [[nodiscard]] void* data() const { return ref_.get() == nullptr ? nullptr : ref_.get()->data(); }
  void reset() { ref_ = pbrt::StorageRef(); }
  template <class T>
  T* allocate(std::int64_t count) {
    ref_ = pbrt::StorageRef::adopt(pbrt::Storage::create(static_cast<std::size_t>(count) * sizeof(T)));
    return static_cast<T*>(data());
  }

 private:
  pbrt::StorageRef ref_;
};

namespace pbrt::detail {
/// The view's element `i`, counted with x fastest.
template <class R>
inline std::int64_t offset_of_nth(const R& m, std::int64_t i) {
  std::int64_t offset = 0;
  for (int d = 0; d < R::kDims; ++d) {
    offset += (i % m.size(d)) * m.multipliers()[d];
    i /= m.size(d);
  }
  return offset;
}
}  // namespace pbrt::detail

/// Copies between regions, or a region and a pointer to contiguous elements, x fastest.
template <class To, class R>
requires requires { R::kDims; }
inline void _regioncopy(To* dst, const R& src) {
  const std::int64_t count = src.count();
  const auto* const from = src.base();
  for (std::int64_t i = 0; i < count; ++i) dst[i] = from[pbrt::detail::offset_of_nth(src, i)];
}
template <class R, class From>
requires requires { R::kDims; }
inline void _regioncopy(const R& dst, const From* src) {
  const std::int64_t count = dst.count();
  auto* const to = dst.base();
  for (std::int64_t i = 0; i < count; ++i) to[pbrt::detail::offset_of_nth(dst, i)] = src[i];
}
template <class R, class S>
requires requires {
  R::kDims;
  S::kDims;
}
inline void _regioncopy(const R& dst, const S& src) {
  const std::int64_t count = dst.count();
  auto* const to = dst.base();
  const auto* const from = src.base();
  for (std::int64_t i = 0; i < count; ++i)
    to[pbrt::detail::offset_of_nth(dst, i)] = from[pbrt::detail::offset_of_nth(src, i)];
}

/// Sets `ptr` to the elements of `m` in memory order: its own data if `m` is a whole buffer
/// in standard order, else a copy that `store` keeps.
template <class R, class P>
inline void to_c_array(const R& m, P*& ptr, CArrayStorage& store) {
  m.useOnCpu();
  if (m.isEntireBuffer()) {
    store.reset();
    ptr = const_cast<typename R::Plain*>(m.base());
    return;
  }
  auto* copy = store.allocate<typename R::Plain>(m.count());
  _regioncopy(copy, m);
  ptr = copy;
}
/// Copies back to `m` if `ptr` was a copy, and releases it.
template <class R, class P>
inline void from_c_array(const R& m, P*& ptr, CArrayStorage& store) {
  if (store.data() != nullptr) _regioncopy(m, static_cast<const typename R::Plain*>(store.data()));
  store.reset();
  ptr = nullptr;
}
/// Releases the copy without copying back.
template <class P>
inline void free_c_array(P*& ptr, CArrayStorage& store) {
  store.reset();
  ptr = nullptr;
}

namespace pbrt {
class AnyMatrix;
}

/// Reads and writes matrices in the text format (docs/reference/language.md 10). Without a file: standard input or
/// output.
class MatrixIO {
 public:
  explicit MatrixIO(const char* file = nullptr, const char* mode = "r");
  explicit MatrixIO(const std::string& file, const char* mode = "r") : MatrixIO(file.c_str(), mode) {}
  explicit MatrixIO(FILE* file) : file_(file) {}
  ~MatrixIO();
  MatrixIO(const MatrixIO&) = delete;
  MatrixIO& operator=(const MatrixIO&) = delete;

  MatrixRegion0D read0D() { return read<0>(); }
  MatrixRegion1D read1D() { return read<1>(); }
  MatrixRegion2D read2D() { return read<2>(); }
  MatrixRegion3D read3D() { return read<3>(); }
  MatrixRegion4D read4D() { return read<4>(); }
  MatrixRegion5D read5D() { return read<5>(); }
  MatrixRegion6D read6D() { return read<6>(); }
  MatrixRegion7D read7D() { return read<7>(); }
  MatrixRegion8D read8D() { return read<8>(); }
  MatrixRegion9D read9D() { return read<9>(); }
  template <class R>
  void write(const R& m) {
    write_view(m.raw());
  }

 private:
  template <int N>
  MatrixRegion<ElementT, N> read() {
    pbrt::IndexT sizes[pbrt::kMaxDims] = {};
    read_header(N, sizes);
    return read_body<N>(sizes);
  }
  template <int N>
  MatrixRegion<ElementT, N> read_body(const pbrt::IndexT* sizes) {
    std::int64_t strides[pbrt::kMaxDims] = {};
    pbrt::Storage* storage = pbrt::detail::allocate_dense(pbrt::kElementKindOf<ElementT>, N, sizes, strides);
    MatrixRegion<ElementT, N> result(pbrt::StorageRef::adopt(storage),
                                     pbrt::View<ElementT, N>(static_cast<ElementT*>(storage->data()), sizes, strides));
    read_elements(result.raw());
    return result;
  }
  void read_header(int num_dims, pbrt::IndexT* sizes);
  void read_elements(const pbrt::RawView& view);
  void write_view(const pbrt::RawView& view);

  FILE* file_ = nullptr;
  bool is_owner_ = false;
};

// Namespaces in which older programs find these types.
namespace petabricks {
using ::ConstMatrixRegion, ::ElementT, ::IndexT, ::MatrixIO, ::MatrixRegion, ::PetabricksRuntime;
using ::ConstMatrixRegion0D, ::ConstMatrixRegion1D, ::ConstMatrixRegion2D, ::ConstMatrixRegion3D, ::ConstMatrixRegion4D,
    ::ConstMatrixRegion5D, ::ConstMatrixRegion6D, ::ConstMatrixRegion7D, ::ConstMatrixRegion8D, ::ConstMatrixRegion9D;
using ::MatrixRegion0D, ::MatrixRegion1D, ::MatrixRegion2D, ::MatrixRegion3D, ::MatrixRegion4D, ::MatrixRegion5D,
    ::MatrixRegion6D, ::MatrixRegion7D, ::MatrixRegion8D, ::MatrixRegion9D;
}  // namespace petabricks
namespace workstealing = petabricks;

// Where a matrix lay on several machines, older programs called its type so. They have each helper function twice, once
// for these types and once for those of `workstealing`. No matrix of a rule has these types.
namespace distributed {
/// A type of its own, so that functions for it are others than those for `Region`.
template <class Region>
class Named : public Region {
 public:
  Named() = default;
  /// Only of the type itself, so that what is converted to `Region` fits one function, not two.
  template <class R>
  requires(std::is_same_v<R, Region>) Named(const R& region) : Region(region) {}
};
using ::ElementT, ::IndexT, ::MatrixIO, ::PetabricksRuntime;
using MatrixRegion0D = Named<::MatrixRegion0D>;
using MatrixRegion1D = Named<::MatrixRegion1D>;
using MatrixRegion2D = Named<::MatrixRegion2D>;
using MatrixRegion3D = Named<::MatrixRegion3D>;
using MatrixRegion4D = Named<::MatrixRegion4D>;
using MatrixRegion5D = Named<::MatrixRegion5D>;
using MatrixRegion6D = Named<::MatrixRegion6D>;
using MatrixRegion7D = Named<::MatrixRegion7D>;
using MatrixRegion8D = Named<::MatrixRegion8D>;
using MatrixRegion9D = Named<::MatrixRegion9D>;
using ConstMatrixRegion0D = Named<::ConstMatrixRegion0D>;
using ConstMatrixRegion1D = Named<::ConstMatrixRegion1D>;
using ConstMatrixRegion2D = Named<::ConstMatrixRegion2D>;
using ConstMatrixRegion3D = Named<::ConstMatrixRegion3D>;
using ConstMatrixRegion4D = Named<::ConstMatrixRegion4D>;
using ConstMatrixRegion5D = Named<::ConstMatrixRegion5D>;
using ConstMatrixRegion6D = Named<::ConstMatrixRegion6D>;
using ConstMatrixRegion7D = Named<::ConstMatrixRegion7D>;
using ConstMatrixRegion8D = Named<::ConstMatrixRegion8D>;
using ConstMatrixRegion9D = Named<::ConstMatrixRegion9D>;
}  // namespace distributed
