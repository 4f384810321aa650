// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/pnm_format.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/matrix/files/matrix_spec.h"
#include "runtime/matrix/files/store_number.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt {

namespace {

constexpr int kColours = 3;

struct Picture {
  bool is_ascii = false;
  int planes = 1;
  int width = 0, height = 0, maxval = 0;
  [[nodiscard]] std::int64_t num_samples() const { return std::int64_t{width} * height * planes; }
  /// The least number of bytes that the samples take; decimal samples take more.
  [[nodiscard]] std::int64_t least_bytes() const { return num_samples() * (!is_ascii && maxval > 255 ? 2 : 1); }
};

bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The next number of the header or of ASCII samples; -1 at the end of the file.
std::int64_t next_number(ByteSource& source, std::int64_t max) {
  for (;;) {
    const int c = source.peek();
    if (c == '#') {
      while (source.peek() != -1 && source.peek() != '\n') source.advance();
    } else if (is_space(c)) {
      source.advance();
    } else {
      break;
    }
  }
  if (source.peek() == -1) return -1;
  const std::string position = source.position();
  std::int64_t value = 0;
  bool has_digit = false;
  for (int c = source.peek(); c >= '0' && c <= '9'; c = source.peek()) {
    has_digit = true;
    value = std::min<std::int64_t>(value * 10 + (c - '0'), std::int64_t{1} << 40);
    source.advance();
  }
  if (!has_digit) throw UserError(position + ": expected a number");
  if (value > max) throw UserError(position + ": " + std::to_string(value) + " is larger than " + std::to_string(max));
  return value;
}

/// One blank stands between the header and binary samples. Where lines end with two bytes the second one belongs to the
/// header, too, unless the file is so short that it must be a sample.
void skip_end_of_header(ByteSource& source, const Picture& picture) {
  const int blank = source.peek();
  if (blank == -1) return;
  source.advance();
  const bool has_rest = source.bytes_left() < 0 || source.bytes_left() > picture.least_bytes();
  if (blank == '\r' && source.peek() == '\n' && has_rest) source.advance();
}

Picture read_picture_header(ByteSource& source) {
  char magic[2] = {};
  if (source.read(magic, 2) != 2 || magic[0] != 'P' || magic[1] < '1' || magic[1] > '6')
    throw IoError(source.name() + ": does not start like a PGM or PPM picture");
  if (magic[1] == '1' || magic[1] == '4')
    throw UserError(source.name() + ": is a bitmap (P" + magic[1] + "); pictures must be PGM or PPM");
  Picture picture;
  picture.is_ascii = magic[1] == '2' || magic[1] == '3';
  picture.planes = magic[1] == '3' || magic[1] == '6' ? kColours : 1;
  const std::int64_t width = next_number(source, INT32_MAX);
  const std::int64_t height = next_number(source, INT32_MAX);
  const std::int64_t maxval = next_number(source, kMaxMaxval);
  if (maxval < 0) throw IoError(source.name() + ": the file ends in its header");
  if (maxval == 0) throw UserError(source.name() + ": its largest sample value is 0");
  picture.width = static_cast<int>(width);
  picture.height = static_cast<int>(height);
  picture.maxval = static_cast<int>(maxval);
  if (!picture.is_ascii) skip_end_of_header(source, picture);
  return picture;
}

[[noreturn]] void fail_truncated(const ByteSource& source, std::int64_t done, const Picture& picture) {
  throw IoError(source.name() + ": the file ends after " + std::to_string(done) + " of " +
                std::to_string(picture.num_samples()) + " samples");
}

/// Reads one row of samples, colours interleaved.
void read_row(ByteSource& source, const Picture& picture, std::int64_t done, std::vector<int>& row) {
  if (picture.is_ascii) {
    for (int& sample : row) {
      const std::int64_t value = next_number(source, picture.maxval);
      if (value < 0) fail_truncated(source, done + (&sample - row.data()), picture);
      sample = static_cast<int>(value);
    }
    return;
  }
  const std::size_t sample_bytes = picture.maxval > 255 ? 2 : 1;
  std::vector<unsigned char> bytes(row.size() * sample_bytes);
  const std::size_t got = source.read(bytes.data(), bytes.size());
  if (got != bytes.size()) fail_truncated(source, done + static_cast<std::int64_t>(got / sample_bytes), picture);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = sample_bytes == 1 ? bytes[i] : bytes[2 * i] << 8 | bytes[2 * i + 1];
}

void check_kind(const ByteSource& source, const Picture& picture, const MatrixSpec& spec) {
  const int needed = picture.planes == 1 ? 2 : 3;
  if (spec.num_dims == needed) return;
  const std::string kind = picture.planes == 1 ? "a grey picture (PGM)" : "a colour picture (PPM)";
  std::string hint;
  if (picture.planes == kColours && spec.num_dims == 2) hint = "; convert it to a PGM picture first";
  if (picture.planes == 1 && spec.num_dims == 3) hint = "; a PPM picture fits `M[w, h, 3]`";
  throw UserError(source.name() + ": is " + kind + " and has " + std::to_string(needed) + " dimensions, `" + spec.name +
                  "` has " + std::to_string(spec.num_dims) + hint);
}

}  // namespace

AnyMatrix read_pnm(ByteSource& source, const MatrixSpec& spec) {
  const Picture picture = read_picture_header(source);
  check_kind(source, picture, spec);
  if (source.bytes_left() >= 0 && picture.least_bytes() > source.bytes_left())
    throw IoError(source.name() + ": the file is too short for a picture of " + std::to_string(picture.width) + " by " +
                  std::to_string(picture.height));
  const IndexT sizes[] = {picture.width, picture.height, kColours};
  AnyMatrix result = AnyMatrix::allocate(spec.element, spec.num_dims, sizes);
  const auto planes = static_cast<std::size_t>(picture.planes);
  // A picture without rows may say any width.
  std::vector<int> row(picture.height > 0 ? static_cast<std::size_t>(picture.width) * planes : 0);
  const std::int64_t plane_size = std::int64_t{picture.width} * picture.height;
  visit_kind(spec.element, [&]<class T>(T*) {
    T* data = static_cast<T*>(result.data());
    for (std::int64_t y = 0; y < picture.height; ++y) {
      read_row(source, picture, y * static_cast<std::int64_t>(row.size()), row);
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto x = static_cast<std::int64_t>(i / planes);
        const auto plane = static_cast<std::int64_t>(i % planes);
        if (store_number(row[i], data[x + y * picture.width + plane * plane_size]) != Stored::Ok)
          throw UserError(source.name() + ": the sample " + std::to_string(row[i]) + " at (" + std::to_string(x) +
                          ", " + std::to_string(y) + ") does not fit into an element of type " +
                          element_name(spec.element));
      }
    }
  });
  return result;
}

namespace {

int clamp_sample(double value, int maxval) {
  if (!(value > 0)) return 0;
  return value >= maxval ? maxval : static_cast<int>(std::floor(value + 0.5));
}

}  // namespace

double write_pnm(const AnyMatrix& matrix, const std::string& name, const std::string& path, int maxval,
                 OutputFile& file) {
  const bool is_colour = matrix.num_dims() == 3 && matrix.size(2) == kColours;
  const std::string ending = path.substr(path.size() - 3);
  const bool wants_colour = ending == "ppm" || ending == "PPM";
  const bool wants_grey = ending == "pgm" || ending == "PGM";
  if ((matrix.num_dims() != 2 && !is_colour) || (is_colour && wants_grey) || (!is_colour && wants_colour))
    throw UserError("cannot write `" + name + "` to " + path +
                    ": a PGM picture needs `M[w, h]`, a PPM picture `M[w, h, 3]`");
  const std::int64_t width = matrix.size(0);
  const std::int64_t height = matrix.size(1);
  const std::int64_t planes = is_colour ? kColours : 1;
  file.write(std::string(is_colour ? "P6\n" : "P5\n") + std::to_string(width) + " " + std::to_string(height) + "\n" +
             std::to_string(maxval) + "\n");
  std::string row;
  double largest = 0;
  for (std::int64_t y = 0; y < height; ++y) {
    row.clear();
    for (std::int64_t i = 0; i < width * planes; ++i) {
      const std::int64_t at = i / planes + y * width + i % planes * width * height;
      const double value = matrix.number_at(at);
      if (value > largest) largest = value;
      const int sample = clamp_sample(value, maxval);
      if (maxval > 255) row += static_cast<char>(sample >> 8);
      row += static_cast<char>(sample & 0xff);
    }
    file.write(row);
  }
  return std::floor(largest + 0.5);
}

}  // namespace pbrt
