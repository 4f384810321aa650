// SPDX-License-Identifier: MIT
// The C++20 interface of libraries that `pbc --library` makes, on top of the C one: contexts that end by themselves,
// exceptions, and matrices made of what C++ programs have. How to use it: docs/library.md.
#pragma once

#if __cplusplus < 202002L
#error "polybricks.hpp is for C++20 and later"
#endif

#include <polybricks.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace polybricks {

/// A status that is not PB_OK.
class Error : public std::runtime_error {
 public:
  explicit Error(const pb_status& status) : std::runtime_error(status.message), code_(status.code) {}
  [[nodiscard]] pb_code code() const { return code_; }

 private:
  pb_code code_;
};

/// Errors: Error unless the status is PB_OK
inline void check(const pb_status& status) {
  if (status.code != PB_OK) throw Error(status);
}

namespace detail {

template <class T>
struct ElementOf;
template <>
struct ElementOf<double> : std::integral_constant<pb_element, PB_DOUBLE> {};
template <>
struct ElementOf<float> : std::integral_constant<pb_element, PB_FLOAT> {};
template <>
struct ElementOf<std::int32_t> : std::integral_constant<pb_element, PB_INT> {};
template <>
struct ElementOf<std::int64_t> : std::integral_constant<pb_element, PB_LONG> {};
template <>
struct ElementOf<std::int16_t> : std::integral_constant<pb_element, PB_SHORT> {};
template <>
struct ElementOf<std::uint8_t> : std::integral_constant<pb_element, PB_UCHAR> {};
template <>
struct ElementOf<std::uint16_t> : std::integral_constant<pb_element, PB_USHORT> {};

template <class T>
concept Element = requires {
  ElementOf<std::remove_const_t<T>>::value;
};

/// `std::mdspan`, and what has the same members.
template <class M>
concept Mdspan = requires(const M& matrix) {
  matrix.data_handle();
  matrix.extent(std::size_t{});
  matrix.stride(std::size_t{});
  M::rank();
};

/// View and Matrix.
template <class M>
concept Described = requires(const M& matrix) {
  typename M::Cell;
  { matrix.matrix() } -> std::same_as<const pb_matrix&>;
};

/// In C, strides that are all 0 stand for a dense matrix. Here they would be the same cell many times.
///
/// Errors:  Error
inline void refuse_one_cell_for_many(const pb_matrix& matrix) {
  bool has_many = false, has_none = false;
  for (std::int32_t d = 0; d < matrix.rank; ++d) {
    if (matrix.strides[d] != 0) return;
    has_many = has_many || matrix.extents[d] > 1;
    has_none = has_none || matrix.extents[d] == 0;
  }
  if (has_many && !has_none) throw Error({PB_ERROR_ARGUMENT, "the strides of a matrix of several cells are all 0"});
}

template <class R>
concept Row = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;

/// A matrix whose elements are known to be const or not.
template <Element T>
struct Typed {
  pb_matrix matrix{};

  explicit Typed(T* data) {
    matrix.data = const_cast<std::remove_const_t<T>*>(data);  // transforms do not write to their inputs
    matrix.element = ElementOf<std::remove_const_t<T>>::value;
  }
};

}  // namespace detail

/// A matrix in memory of the caller. Dimension 0 is the header's first: of `In[w, h]` it is w. `T` is const for what is
/// only read.
template <detail::Element T, int Rank>
requires(Rank >= 0 && Rank <= PB_MAX_RANK) class View {
 public:
  using Cell = T;
  using Lengths = std::array<std::int64_t, static_cast<std::size_t>(Rank)>;

  /// A dense matrix whose dimension 0 is the fastest.
  View(T* data, const Lengths& extents) : View(data, extents, dense_strides(extents)) {}
  /// Strides count elements.
  ///
  /// Errors:  Error if all are 0 and there are several cells
  View(T* data, const Lengths& extents, const Lengths& strides) : matrix_(detail::Typed<T>(data).matrix) {
    matrix_.rank = Rank;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      matrix_.extents[d] = extents[d];
      matrix_.strides[d] = strides[d];
    }
    detail::refuse_one_cell_for_many(matrix_);
  }
  /// The same cells with the dimensions in the opposite order: rows of C and of NumPy have their first index first.
  [[nodiscard]] View transposed() const {
    View turned = *this;
    for (int d = 0; d < Rank; ++d) {
      turned.matrix_.extents[d] = matrix_.extents[Rank - 1 - d];
      turned.matrix_.strides[d] = matrix_.strides[Rank - 1 - d];
    }
    return turned;
  }
  [[nodiscard]] const pb_matrix& matrix() const { return matrix_; }

 private:
  static Lengths dense_strides(const Lengths& extents) {
    Lengths strides{};
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      strides[d] = stride;
      stride *= extents[d];
    }
    return strides;
  }

  pb_matrix matrix_;
};

namespace detail {

template <Described M>
auto typed(const M& described) {
  Typed<typename M::Cell> result(nullptr);
  result.matrix = described.matrix();
  return result;
}
template <Row R>
auto typed(R& row) {
  Typed<std::remove_reference_t<std::ranges::range_reference_t<R>>> result(std::ranges::data(row));
  result.matrix.rank = 1;
  result.matrix.extents[0] = static_cast<std::int64_t>(std::ranges::size(row));
  return result;
}
template <Mdspan M>
auto typed(const M& span) {
  Typed<typename M::element_type> result(span.data_handle());
  result.matrix.rank = static_cast<std::int32_t>(M::rank());
  for (std::size_t d = 0; d < M::rank(); ++d) {
    result.matrix.extents[d] = static_cast<std::int64_t>(span.extent(d));
    result.matrix.strides[d] = static_cast<std::int64_t>(span.stride(d));
  }
  refuse_one_cell_for_many(result.matrix);
  return result;
}
/// A number is a matrix of rank 0.
template <Element T>
Typed<T> typed(T& number) {
  return Typed<T>(&number);
}

/// An argument of C++ as the parameter `P` of a transform's function. It lives until the call has ended.
template <class P>
struct Argument;
template <>
struct Argument<std::int64_t> {
  template <std::integral I>
  explicit Argument(I number) : value(static_cast<std::int64_t>(number)) {}
  [[nodiscard]] std::int64_t get() { return value; }
  std::int64_t value;
};
template <>
struct Argument<const pb_matrix*> {
  template <class A>
  explicit Argument(A& argument) : value(typed(argument).matrix) {}
  [[nodiscard]] const pb_matrix* get() { return &value; }
  pb_matrix value;
};
template <>
struct Argument<pb_matrix*> {
  template <class T>
  static pb_matrix writable(const Typed<T>& typed) {
    static_assert(!std::is_const_v<T>, "an output of a transform is const");
    return typed.matrix;
  }
  template <class A>
  explicit Argument(A& argument) : value(writable(typed(argument))) {}
  [[nodiscard]] pb_matrix* get() { return &value; }
  pb_matrix value;
};

}  // namespace detail

namespace detail {

/// The number of the transform of this name.
///
/// Errors:  Error if there is none
inline std::int32_t index_of(const pb_library& library, std::string_view transform) {
  for (std::int32_t i = 0; i < library.num_transforms; ++i)
    if (library.transforms[i].name == transform) return i;
  throw Error({PB_ERROR_ARGUMENT, "the library has no transform of this name"});
}

}  // namespace detail

/// How a context works: pb_options.
struct Options {
  std::string configuration_file = {};  ///< empty: the defaults of the program
  std::string configuration_text = {};
  std::vector<std::string> devices = {};
  std::int32_t threads = 0;
  bool is_strict = false;
  std::uint64_t seed = 0;
  std::uint64_t device_memory = 0;  ///< bytes
  double device_limit = 0;          ///< seconds
  bool verifies_device = false;
};

/// A context of a library. Several threads may call with it at the same time.
class Context {
 public:
  /// Errors:  Error
  explicit Context(const pb_library* library, const Options& options = {}) {
    std::vector<const char*> devices;
    for (const std::string& device : options.devices) devices.push_back(device.c_str());
    const auto text = [](const std::string& words) { return words.empty() ? nullptr : words.c_str(); };
    pb_options wishes{};
    wishes.configuration_file = text(options.configuration_file);
    wishes.configuration_text = text(options.configuration_text);
    wishes.devices = devices.data();
    wishes.num_devices = devices.size();
    wishes.threads = options.threads;
    wishes.is_strict = options.is_strict ? 1 : 0;
    wishes.seed = options.seed;
    wishes.device_memory = options.device_memory;
    wishes.device_limit = options.device_limit;
    wishes.verifies_device = options.verifies_device ? 1 : 0;
    pb_context* made = nullptr;
    check(pb_context_create(library, &wishes, &made));
    context_.reset(made);
  }

  /// Calls the function of a transform: numbers, then inputs, then outputs. Matrices are views, mdspans, ranges of rank
  /// 1 such as vectors and spans, and numbers of rank 0.
  ///
  /// Errors:  Error
  template <class... P, class... A>
  void call(pb_status (*transform)(pb_context*, P...), A&&... arguments) const {
    static_assert(sizeof...(P) == sizeof...(A), "the transform has another number of arguments");
    check(transform(context_.get(), detail::Argument<P>(arguments).get()...));
  }
  /// The extents of the outputs that the transform of this name has for these numbers and inputs, by output.
  ///
  /// Errors:  Error
  template <class... A>
  [[nodiscard]] std::vector<std::vector<std::int64_t>> output_extents(std::string_view transform,
                                                                      const std::vector<std::int64_t>& numbers,
                                                                      A&&... inputs) const {
    const std::int32_t index = detail::index_of(*context_->library, transform);
    const pb_transform& found = context_->library->transforms[index];
    if (static_cast<std::size_t>(found.num_numbers) != numbers.size() ||
        static_cast<std::size_t>(found.num_inputs) != sizeof...(A))
      throw Error({PB_ERROR_ARGUMENT, "the transform has another number of arguments"});
    const std::array<pb_matrix, sizeof...(A)> matrices = {detail::typed(inputs).matrix...};
    std::array<const pb_matrix*, sizeof...(A)> pointers{};
    for (std::size_t i = 0; i < matrices.size(); ++i) pointers[i] = &matrices[i];
    std::vector<std::int64_t> extents(static_cast<std::size_t>(found.num_outputs) * PB_MAX_RANK);
    check(pb_output_extents(context_.get(), index, numbers.data(), pointers.data(), extents.data()));
    std::vector<std::vector<std::int64_t>> by_output;
    auto next = extents.cbegin();
    for (std::int32_t i = 0; i < found.num_outputs; ++i) {
      const std::int32_t rank = found.arguments[found.num_inputs + i].rank;
      by_output.emplace_back(next, next + rank);
      next += rank;
    }
    return by_output;
  }
  /// Ends the calls in progress: they throw an Error with PB_ERROR_CANCELLED.
  void cancel() const { check(pb_context_cancel(context_.get())); }
  /// What the context's device did.
  [[nodiscard]] pb_statistics statistics() const {
    pb_statistics found;
    check(pb_context_statistics(context_.get(), &found));
    return found;
  }
  [[nodiscard]] pb_context* get() const { return context_.get(); }

 private:
  struct Destroy {
    void operator()(pb_context* context) const { pb_context_destroy(context); }
  };
  std::unique_ptr<pb_context, Destroy> context_;
};

/// A dense matrix that may stay on the device between calls; pb_matrix_create. Its context outlives it.
template <detail::Element T, int Rank>
requires(!std::is_const_v<T>) class Matrix {
 public:
  using Cell = T;

  /// Errors:  Error
  Matrix(const Context& context, const typename View<T, Rank>::Lengths& extents)
      : context_(context.get()), matrix_(View<T, Rank>(nullptr, extents).matrix()) {
    check(pb_matrix_create(context_, &matrix_));
  }
  ~Matrix() { (void)pb_matrix_destroy(context_, &matrix_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  /// Brings all cells to `data()`, where the host may read and write them until the next call that writes them.
  ///
  /// Errors:  Error
  T* fetch() const {
    check(pb_matrix_fetch(context_, &matrix_));
    return data();
  }
  /// Says that the host wrote cells.
  ///
  /// Errors:  Error if a call wrote some after they were fetched
  void changed() const { check(pb_matrix_changed(context_, &matrix_)); }
  /// The cells in the host's memory, dimension 0 fastest.
  [[nodiscard]] T* data() const { return static_cast<T*>(matrix_.data); }
  [[nodiscard]] const pb_matrix& matrix() const { return matrix_; }

 private:
  pb_context* context_;
  pb_matrix matrix_;
};

}  // namespace polybricks
