// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/npy_format.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/seeded_fault.h"
#include "runtime/config/errors.h"
#include "runtime/matrix/files/matrix_spec.h"
#include "runtime/matrix/files/store_number.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeaderBytes = 65536;
constexpr std::size_t kChunkElements = 65536;
constexpr std::size_t kHeaderAlignment = 64;

struct Header {
  char byte_order = '|';
  char type = 0;  ///< f, i, u or b
  std::size_t element_bytes = 0;
  bool is_fortran = false;
  std::vector<std::int64_t> shape;
};

/// The dictionary in the header, as text.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        descr();
      } else if (key == "fortran_order") {
        header_.is_fortran = boolean();
      } else if (key == "shape") {
        shape();
      } else {
        fail();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (header_.element_bytes == 0 || !has_shape_) fail();
    return header_;
  }

 private:
  [[noreturn]] void fail() const { throw IoError(file_ + ": its .npy header is damaged"); }
  void skip_space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  std::string_view string() {
    skip_space();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) fail();
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) fail();
    const std::string_view result = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return result;
  }
  bool boolean() {
    skip_space();
    const bool value = text_.starts_with("True");
    if (!value && !text_.starts_with("False")) fail();
    text_.remove_prefix(value ? 4 : 5);
    return value;
  }
  void descr() {
    skip_space();
    if (text_.starts_with("[")) throw UserError(file_ + ": holds records, not numbers");
    const std::string_view type = string();
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
    if (type.size() < 2 || !std::all_of(type.begin(), type.end(), is_plain)) fail();
    header_.byte_order = type[0];
    header_.type = type[1];
    const auto parsed = std::from_chars(type.data() + 2, type.data() + type.size(), header_.element_bytes);
    const std::string_view known[] = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
    const bool is_order = std::string_view("<>|=").find(type[0]) != std::string_view::npos;
    if (parsed.ec != std::errc() || !is_order ||
        std::find(std::begin(known), std::end(known), type.substr(1)) == std::end(known))
      throw UserError(file_ + ": its type '" + std::string(type) +
                      "' is none of f4, f8, i1, i2, i4, i8, u1, u2, u4, u8");
  }
  void shape() {
    has_shape_ = true;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t size = 0;
      const auto parsed = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (parsed.ec != std::errc() || size < 0) fail();
      text_.remove_prefix(static_cast<std::size_t>(parsed.ptr - text_.data()));
      accept('L');
      header_.shape.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  Header header_;
  bool has_shape_ = false;
};

[[noreturn]] void fail_truncated(const ByteSource& source, std::int64_t done, std::int64_t count) {
  throw IoError(source.name() + ": the file ends after " + std::to_string(done) + " of " + std::to_string(count) +
                " numbers");
}

Header read_header(ByteSource& source) {
  char fixed[8] = {};
  if (source.read(fixed, 8) != 8 || std::string_view(fixed, 6) != kMagic)
    throw IoError(source.name() + ": does not start like a .npy file");
  const std::size_t length_bytes = fixed[6] == 1 ? 2 : 4;
  unsigned char length[4] = {};
  if (fixed[6] < 1 || fixed[6] > 3)
    throw IoError(source.name() + ": .npy version " + std::to_string(fixed[6]) + " is not known");
  if (source.read(length, length_bytes) != length_bytes) throw IoError(source.name() + ": its .npy header is damaged");
  std::size_t count = 0;
  for (std::size_t i = length_bytes; i-- > 0;) count = count << 8 | length[i];
  if (count > kMaxHeaderBytes) throw IoError(source.name() + ": its .npy header is damaged");
  std::string text(count, ' ');
  if (source.read(text.data(), count) != count) throw IoError(source.name() + ": its .npy header is damaged");
  return HeaderParser(text, source.name()).parse();
}

template <class U>
U swap_bytes(U bits) {
  if constexpr (sizeof(U) == 1) return bits;
  if constexpr (sizeof(U) == 2) return __builtin_bswap16(bits);
  if constexpr (sizeof(U) == 4) return __builtin_bswap32(bits);
  if constexpr (sizeof(U) == 8) return __builtin_bswap64(bits);
}

template <class From>
From decode(const char* bytes, bool is_swapped) {
  using Bits =
      std::conditional_t<sizeof(From) == 1, std::uint8_t,
                         std::conditional_t<sizeof(From) == 2, std::uint16_t,
                                            std::conditional_t<sizeof(From) == 4, std::uint32_t, std::uint64_t>>>;
  Bits bits;
  std::memcpy(&bits, bytes, sizeof(Bits));
  return std::bit_cast<From>(is_swapped ? swap_bytes(bits) : bits);
}

/// Reads all elements of type From; `view` enumerates the matrix in the file's order.
template <class From, class To>
void read_numbers(ByteSource& source, const RawView& view, std::int64_t count, bool is_swapped) {
  std::vector<char> chunk(kChunkElements * sizeof(From));
  To* base = static_cast<To*>(view.base);
  std::int64_t done = 0;
  std::size_t in_chunk = 0;
  std::size_t next = 0;
  for_each_offset(view, [&](std::int64_t offset) {
    if (next == in_chunk) {
      const auto left = static_cast<std::size_t>(count - done);
      const std::size_t wanted = std::min(left, kChunkElements);
      const std::size_t got = source.read(chunk.data(), wanted * sizeof(From)) / sizeof(From);
      if (got != wanted) fail_truncated(source, done + static_cast<std::int64_t>(got), count);
      in_chunk = got;
      next = 0;
    }
    const From value = decode<From>(chunk.data() + next++ * sizeof(From), is_swapped);
    const Stored stored = store_number(value, base[offset]);
    if (stored != Stored::Ok)
      throw UserError(source.name() + ": number " + std::to_string(done + 1) + ", " + std::to_string(value) +
                      ", does not fit into an element of type " + element_name(view.kind) + ": " +
                      why_not_stored(stored));
    ++done;
  });
}

template <class To>
void read_typed(ByteSource& source, const Header& header, const RawView& view, std::int64_t count) {
  const bool is_swapped = header.byte_order == '>' && header.element_bytes > 1;
  const std::string type = header.type + std::to_string(header.element_bytes);
  if (type == "f8") return read_numbers<double, To>(source, view, count, is_swapped);
  if (type == "f4") return read_numbers<float, To>(source, view, count, is_swapped);
  if (type == "i8") return read_numbers<std::int64_t, To>(source, view, count, is_swapped);
  if (type == "i4") return read_numbers<std::int32_t, To>(source, view, count, is_swapped);
  if (type == "i2") return read_numbers<std::int16_t, To>(source, view, count, is_swapped);
  if (type == "i1") return read_numbers<std::int8_t, To>(source, view, count, is_swapped);
  if (type == "u8") return read_numbers<std::uint64_t, To>(source, view, count, is_swapped);
  if (type == "u4") return read_numbers<std::uint32_t, To>(source, view, count, is_swapped);
  if (type == "u2") return read_numbers<std::uint16_t, To>(source, view, count, is_swapped);
  return read_numbers<std::uint8_t, To>(source, view, count, is_swapped);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i != 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

AnyMatrix read_npy(ByteSource& source, const MatrixSpec& spec) {
  const Header header = read_header(source);
  const auto num_dims = static_cast<int>(header.shape.size());
  if (num_dims != spec.num_dims)
    throw UserError(source.name() + ": has shape " + shape_text(header.shape) + ", `" + spec.name + "` has " +
                    std::to_string(spec.num_dims) + (spec.num_dims == 1 ? " dimension" : " dimensions"));
  IndexT sizes[kMaxDims] = {};
  std::int64_t count = 1;
  for (int d = 0; d < num_dims; ++d) {
    const std::int64_t size = header.shape[static_cast<std::size_t>(num_dims - 1 - d)];
    if (size > INT32_MAX || __builtin_mul_overflow(count, size, &count) || count > (INT64_MAX >> 4))
      throw UserError(source.name() + ": its shape " + shape_text(header.shape) + " is too large");
    sizes[d] = static_cast<IndexT>(size);
  }
  if (source.bytes_left() >= 0 && count * static_cast<std::int64_t>(header.element_bytes) > source.bytes_left())
    fail_truncated(source, source.bytes_left() / static_cast<std::int64_t>(header.element_bytes), count);
  AnyMatrix result = AnyMatrix::allocate(spec.element, num_dims, sizes);
  RawView view = result.raw();
  IndexT reversed_sizes[kMaxDims] = {};
  std::int64_t reversed_strides[kMaxDims] = {};
  for (int d = 0; d < num_dims; ++d) {
    reversed_sizes[d] = view.sizes[num_dims - 1 - d];
    reversed_strides[d] = view.strides[num_dims - 1 - d];
  }
  if (header.is_fortran && !PB_FAULT(fortran_order_ignored)) {
    view.sizes = reversed_sizes;
    view.strides = reversed_strides;
  }
  visit_kind(spec.element, [&]<class To>(To*) { read_typed<To>(source, header, view, count); });
  return result;
}

void write_npy(const AnyMatrix& matrix, OutputFile& file) {
  const char* types[] = {"<f8", "<f4", "<i4", "<i8", "<i2", "|u1", "<u2"};
  std::vector<std::int64_t> shape;
  for (int d = matrix.num_dims(); d-- > 0;) shape.push_back(matrix.size(d));
  std::string header = std::string("{'descr': '") + types[static_cast<int>(matrix.kind())] +
                       "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const std::size_t prefix = kMagic.size() + 4;
  while ((prefix + header.size() + 1) % kHeaderAlignment != 0) header += ' ';
  header += '\n';
  std::string start(kMagic);
  start += '\x01';
  start += '\0';
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  file.write(start + header);
  static_assert(std::endian::native == std::endian::little);
  file.write(std::string_view(static_cast<const char*>(matrix.data()), static_cast<std::size_t>(matrix.bytes())));
}

}  // namespace pbrt
