// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/matrix_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string_view>
#include <utility>

#include "runtime/config/errors.h"
#include "runtime/matrix/files/npy_format.h"
#include "runtime/matrix/files/pnm_format.h"
#include "runtime/matrix/files/text_format.h"

namespace pbrt {

namespace {

/// The ending of a name: from the last dot on, in small letters; empty if there is none.
std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  std::string ending = dot == std::string::npos ? "" : path.substr(dot);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

/// Whether the name promises another format than text, and one that is not written.
bool promises_another_format(const std::string& path) {
  constexpr std::array<std::string_view, 14> kOthers = {".png",  ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff",
                                                        ".webp", ".csv", ".json", ".npz", ".mat", ".h5",  ".hdf5"};
  return std::find(kOthers.begin(), kOthers.end(), ending_of(path)) != kOthers.end();
}

/// Refuses a file of another format, by its name and its first byte. A text file of this format may have any name.
void refuse_other_format(const std::string& path, ByteSource& source) {
  const int first = source.peek();
  if (!promises_another_format(path) || first == 's' || first == 'S') return;
  const std::string ending = ending_of(path);
  std::string text =
      path + ": " + ending + " is none of the formats that are read, which are text, .npy, .pgm and .ppm";
  if (ending == ".npz")
    text += "; in Python, numpy.save(\"a.npy\", numpy.load(\"" + path + "\")[\"NAME\"]) takes one array out of it";
  if (ending == ".csv")
    text += "; in Python, numpy.save(\"a.npy\", numpy.loadtxt(\"" + path +
            "\", delimiter=\",\")) converts it; text begins with `SIZE width height`, without commas";
  throw UserError(text);
}

}  // namespace

FileFormat format_of(const std::string& path) {
  const std::string ending = ending_of(path);
  if (ending == ".npy") return FileFormat::Npy;
  if (ending == ".pgm" || ending == ".ppm" || ending == ".pnm") return FileFormat::Picture;
  return FileFormat::Text;
}

AnyMatrix MatrixReader::read(const std::string& path, const MatrixSpec& spec) {
  if (path == "-") {
    if (standard_input_ == nullptr) standard_input_ = ByteSource::open(path);
    return read_text(*standard_input_, spec);
  }
  const std::unique_ptr<ByteSource> source = ByteSource::open(path);
  switch (format_of(path)) {
    case FileFormat::Text:
      break;
    case FileFormat::Npy:
      return read_npy(*source, spec);
    case FileFormat::Picture:
      return read_pnm(*source, spec);
  }
  refuse_other_format(path, *source);
  AnyMatrix matrix = read_text(*source, spec);
  if (const std::string surplus = surplus_after(*source); !surplus.empty())
    std::fprintf(stderr, "warning: %s; the rest of the file is not read\n", surplus.c_str());
  return matrix;
}

namespace {

class FileSink : public TextSink {
 public:
  explicit FileSink(OutputFile& file) : file_(file) {}
  void write(std::string_view text) override { file_.write(text); }

 private:
  OutputFile& file_;
};

}  // namespace

void MatrixWriter::open(const std::string& path) {
  auto file = path == "/dev/null" ? nullptr : std::make_unique<OutputFile>(path);
  for (const Target& other : targets_)
    if (file != nullptr && other.file != nullptr && file->is_same_place(*other.file))
      throw UserError(path + " is to hold two outputs: each needs a file of its own");
  if (promises_another_format(path))
    std::fprintf(stderr, "warning: %s will hold text: the endings of other formats are .npy, .pgm, .ppm\n",
                 path.c_str());
  targets_.push_back({path, std::move(file)});
}

void MatrixWriter::write(std::size_t index, const AnyMatrix& matrix, const std::string& name) {
  const Target& target = targets_[index];
  if (target.file == nullptr) return;
  switch (format_of(target.path)) {
    case FileFormat::Text: {
      FileSink sink(*target.file);
      write_text(matrix.raw(), options_.precision, sink);
      break;
    }
    case FileFormat::Npy:
      write_npy(matrix, *target.file);
      break;
    case FileFormat::Picture:
      write_picture(matrix, name, target);
      break;
  }
  target.file->finish();
}

void MatrixWriter::write_picture(const AnyMatrix& matrix, const std::string& name, const Target& target) const {
  const bool is_given = options_.maxval > 0;
  const int maxval = is_given ? options_.maxval : kDefaultMaxval;
  const double largest = write_pnm(matrix, name, target.path, maxval, *target.file);
  if (is_given || largest <= maxval) return;
  std::fprintf(stderr, "warning: %s: samples up to %.0f were cut off at %d; --maxval sets the largest (at most %d)\n",
               target.path.c_str(), largest, maxval, kMaxMaxval);
}

void MatrixWriter::commit() {
  for (const Target& target : targets_)
    if (target.file != nullptr) target.file->commit();
}

}  // namespace pbrt
