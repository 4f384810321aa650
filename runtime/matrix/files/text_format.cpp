// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/text_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>

#include "base/seeded_fault.h"
#include "runtime/config/errors.h"
#include "runtime/matrix/files/matrix_spec.h"
#include "runtime/matrix/files/store_number.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt {

namespace {

constexpr std::size_t kMaxToken = 128;

bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Skips blanks, newlines and comments.
void skip_space(ByteSource& source) {
  for (;;) {
    const int c = source.peek();
    if (c == '#') {
      while (source.peek() != -1 && source.peek() != '\n') source.advance();
    } else if (is_blank(c) || c == '\n') {
      source.advance();
    } else {
      return;
    }
  }
}

/// The characters up to the next blank, newline, comment or end. `token` is filled with up to kMaxToken of them.
std::string_view read_token(ByteSource& source, char* token) {
  std::size_t length = 0;
  for (;;) {
    const int c = source.peek();
    if (c == -1 || c == '\n' || c == '#' || is_blank(c) || length == kMaxToken) break;
    token[length++] = static_cast<char>(c);
    source.advance();
  }
  return {token, length};
}

std::string quoted(std::string_view text) {
  std::string result = "`";
  for (const char c : text.substr(0, 32)) result += c >= 32 && c < 127 ? c : '?';
  return result + (text.size() > 32 ? "…`" : "`");
}

[[noreturn]] void fail_at(const std::string& position, const std::string& why) {
  throw UserError(position + ": " + why);
}

/// The mark that some editors put before UTF-8 text.
void skip_byte_order_mark(ByteSource& source) {
  for (const int byte : {0xEF, 0xBB, 0xBF}) {
    if (source.peek() != byte) return;
    source.advance();
  }
}

void expect_size_word(ByteSource& source) {
  if (source.offset() == 0) skip_byte_order_mark(source);
  skip_space(source);
  const std::string position = source.position();
  char word[5] = {};
  int length = 0;
  for (int c = source.peek(); length < 4 && c > 32 && c < 127; c = source.peek()) {
    word[length++] = static_cast<char>(c | 0x20);
    source.advance();
  }
  if (std::string_view(word) == "size") return;
  if (length == 0 && source.peek() == -1) fail_at(position, "the file ends where `SIZE` is expected");
  std::string hint;
  if (word[0] == 'p' && word[1] >= '1' && word[1] <= '6') hint = "; a picture's name must end in .pgm or .ppm";
  if (source.peek() == 0x93 || length == 0) hint = "; other formats are chosen by the ending: .npy, .pgm, .ppm";
  fail_at(position, "expected `SIZE` and the sizes of the matrix" + hint);
}

}  // namespace

int read_text_header(ByteSource& source, IndexT* sizes) {
  expect_size_word(source);
  int num_dims = 0;
  for (;;) {
    const int c = source.peek();
    if (is_blank(c) || c == 'x' || c == 'X') {
      source.advance();
      continue;
    }
    if (c == -1 || c == '\n' || c == '#') return num_dims;
    const std::string position = source.position();
    char token[kMaxToken];
    std::size_t length = 0;
    for (int d = c; d >= '0' && d <= '9' && length < kMaxToken; d = source.peek()) {
      token[length++] = static_cast<char>(d);
      source.advance();
    }
    IndexT size = 0;
    const auto [end, error] = std::from_chars(token, token + length, size);
    if (length == 0) fail_at(position, "expected the sizes of the matrix, non-negative integers");
    if (error != std::errc() || end != token + length) fail_at(position, "the size is larger than 2147483647");
    if (num_dims == kMaxDims) fail_at(position, "a matrix has at most 9 dimensions");
    sizes[num_dims++] = size;
  }
}

namespace {

/// Parses a whole token as the nearest number of a floating type. One that is too small becomes zero or denormal, one
/// that is too large infinite, and `is_beyond` is set.
template <class T>
bool parse_floating(std::string_view token, T& to, bool& is_beyond) {
  const char* end = token.data() + token.size();
  const auto parsed = std::from_chars(token.data(), end, to);
  if (parsed.ptr != end || (parsed.ec != std::errc() && parsed.ec != std::errc::result_out_of_range)) return false;
  if (parsed.ec == std::errc::result_out_of_range) {
    const std::string text(token);
    if constexpr (std::is_same_v<T, float>)
      to = std::strtof(text.c_str(), nullptr);
    else
      to = std::strtod(text.c_str(), nullptr);
    is_beyond = std::isinf(to);
  }
  return true;
}

/// The power of ten that the text behind the `e` of a number says. Powers that no number of the format needs are cut.
std::int64_t power_of_ten(std::string_view text) {
  constexpr std::int64_t kMost = 1000000;
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t power = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), power);
  if (parsed.ec == std::errc::result_out_of_range) return text.starts_with('-') ? -kMost : kMost;
  return std::clamp(power, -kMost, kMost);
}

/// Stores a number with a point or an exponent, digit by digit: a double would lose digits of 64-bit integers.
///
/// Pre:     parse_floating() takes the token, as a finite number or as one that is too large
template <class T>
Stored store_decimal(std::string_view token, T& to) {
  const bool is_negative = token.starts_with('-');
  if (is_negative) token.remove_prefix(1);
  const std::size_t exponent = std::min(token.find_first_of("eE"), token.size());
  std::int64_t power = exponent < token.size() ? power_of_ten(token.substr(exponent + 1)) : 0;
  std::string digits(token.substr(0, exponent));
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    digits.erase(point, 1);
    power -= static_cast<std::int64_t>(digits.size() - point);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (digits.ends_with('0')) {
    digits.pop_back();
    ++power;
  }
  if (digits.empty()) return store_number(std::int64_t{0}, to);
  if (power < 0) return Stored::Fraction;
  const Stored beyond = is_negative ? Stored::TooSmall : Stored::Overflow;
  if (power > std::numeric_limits<std::int64_t>::digits10) return beyond;
  digits.append(static_cast<std::size_t>(power), '0');
  if (is_negative) digits.insert(0, 1, '-');
  std::int64_t whole = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  return parsed.ec == std::errc() ? store_number(whole, to) : beyond;
}

/// Parses a token of the format: exactly for integers, to the nearest number for floating types.
template <class T>
bool parse_number(std::string_view token, T& to, Stored& stored) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-' && token[1] != '+') token.remove_prefix(1);
  bool is_beyond = false;
  if constexpr (std::is_floating_point_v<T>) {
    if (!parse_floating(token, to, is_beyond)) return false;
    stored = is_beyond ? Stored::Overflow : Stored::Ok;
    return true;
  } else {
    std::int64_t whole = 0;
    const auto parsed = std::from_chars(token.data(), token.data() + token.size(), whole);
    if (parsed.ec == std::errc() && parsed.ptr == token.data() + token.size()) {
      stored = store_number(whole, to);
      return true;
    }
    double value = 0;
    if (!parse_floating(token, value, is_beyond)) return false;
    // The words `inf` and `nan` have no digits.
    stored = std::isfinite(value) || is_beyond ? store_decimal(token, to) : store_number(value, to);
    return true;
  }
}

template <class T>
void read_elements(ByteSource& source, const RawView& view) {
  T* base = static_cast<T*>(view.base);
  std::int64_t done = 0;
  std::int64_t wanted = 1;
  for (int d = 0; d < view.num_dims; ++d) wanted *= view.sizes[d];
  for_each_offset(view, [&](std::int64_t offset) {
    skip_space(source);
    const std::int64_t line = source.line();
    const std::int64_t column = source.column();
    char buffer[kMaxToken];
    const std::string_view token = read_token(source, buffer);
    if (token.empty())
      throw IoError(source.position_at(line, column) + ": the file ends after " + std::to_string(done) + " of " +
                    std::to_string(wanted) + " numbers");
    Stored stored = Stored::Ok;
    if (token.size() == kMaxToken || !parse_number(token, base[offset], stored))
      fail_at(source.position_at(line, column), quoted(token) + " is not a number");
    if (stored != Stored::Ok)
      fail_at(source.position_at(line, column), quoted(token) + " does not fit into an element of type " +
                                                    element_name(view.kind) + ": " + why_not_stored(stored));
    ++done;
  });
}

}  // namespace

void read_text_elements(ByteSource& source, const RawView& view) {
  visit_kind(view.kind, [&]<class T>(T*) { read_elements<T>(source, view); });
}

AnyMatrix read_text(ByteSource& source, const MatrixSpec& spec) {
  IndexT sizes[kMaxDims] = {};
  skip_space(source);
  const std::string position = source.position();
  const int num_dims = read_text_header(source, sizes);
  if (num_dims != spec.num_dims)
    fail_at(position, "the file has " + std::to_string(num_dims) +
                          (num_dims == 1 ? " dimension, `" : " dimensions, `") + spec.name + "` has " +
                          std::to_string(spec.num_dims));
  // A number takes at least a character and a separator. A header that promises more numbers than fit is damaged.
  std::int64_t wanted = 1;
  for (int d = 0; d < num_dims; ++d)
    if (__builtin_mul_overflow(wanted, static_cast<std::int64_t>(sizes[d]), &wanted)) wanted = INT64_MAX / 4;
  if (source.bytes_left() >= 0 && wanted > source.bytes_left() / 2 + 1)
    throw IoError(position + ": the file is too short for the " + std::to_string(wanted) +
                  " numbers that its `SIZE` line promises");
  AnyMatrix result = AnyMatrix::allocate(spec.element, num_dims, sizes);
  read_text_elements(source, result.raw());
  return result;
}

std::string surplus_after(ByteSource& source) {
  if (source.bytes_left() < 0) return {};
  skip_space(source);
  const std::string position = source.position();
  char buffer[kMaxToken];
  const std::string_view token = read_token(source, buffer);
  if (token.empty() || ((token[0] | 0x20) == 's')) return {};
  return position + ": " + quoted(token) + " follows the last number that `SIZE` promises";
}

namespace {

/// Formats like printf's `%4.*g` for floating types, all digits for integers.
template <class T>
std::string_view format_number(T value, int precision, bool is_padded, char* buffer) {
  constexpr int kPad = 4;
  char* begin = buffer + kPad;
  char* end = nullptr;
  if constexpr (std::is_floating_point_v<T>) {
    end =
        std::to_chars(begin, buffer + kMaxToken, static_cast<double>(value), std::chars_format::general, precision).ptr;
  } else {
    end = std::to_chars(begin, buffer + kMaxToken, static_cast<std::int64_t>(value)).ptr;
  }
  while (is_padded && end - begin < kPad) *--begin = ' ';
  return {begin, static_cast<std::size_t>(end - begin)};
}

template <class T>
void write_elements(const RawView& view, int precision, TextSink& sink) {
  const T* base = static_cast<const T*>(view.base);
  IndexT at[kMaxDims] = {};
  char buffer[kMaxToken];
  std::string line;
  for_each_offset(view, [&](std::int64_t offset) {
    line += format_number(base[offset], precision, true, buffer);
    line += ' ';
    int d = 0;
    for (; d < view.num_dims; ++d) {
      if (++at[d] < view.sizes[d]) break;
      at[d] = 0;
    }
    // A newline follows for each dimension that starts again; after the last number there are two, whatever the
    // dimensions.
    line.append(static_cast<std::size_t>(d == view.num_dims && !PB_FAULT(text_ends_early) ? 2 : d), '\n');
    if (line.size() < 4096) return;
    sink.write(line);
    line.clear();
  });
  sink.write(line);
}

}  // namespace

void write_text(const RawView& view, int precision, TextSink& sink) {
  std::string header = "SIZE";
  std::int64_t count = 1;
  for (int d = 0; d < view.num_dims; ++d) {
    header += ' ';
    header += std::to_string(view.sizes[d]);
    count *= view.sizes[d];
  }
  header += '\n';
  sink.write(header);
  if (count == 0) return;
  visit_kind(view.kind, [&]<class T>(T*) {
    if (view.num_dims != 0) {
      write_elements<T>(view, precision, sink);
      return;
    }
    char buffer[kMaxToken];
    sink.write(format_number(*static_cast<const T*>(view.base), precision, true, buffer));
    sink.write("\n");
  });
}

}  // namespace pbrt
