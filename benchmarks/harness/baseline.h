// SPDX-License-Identifier: MIT
// What baselines of benchmarks/*/workload.py share: the command line, NumPy files, and the clock. Header only; a
// baseline is one file, which knows nothing of the compiler.
//
//   baseline [--trials T] [--threads N] [--out FOLDER] [--NAME VALUE]… INPUT.npy…
//
// It reads its inputs, runs once without counting, writes the outputs of that run to FOLDER/out0.npy, FOLDER/out1.npy
// …, then runs T times, and prints {"times_ns": […], "kernel_ns": […]}. Axes are those of NumPy: the last one is the
// fastest.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace baseline {

using Clock = std::chrono::steady_clock;

[[noreturn]] inline void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

/// Uninitialised memory: the threads that write it first decide where its pages lie. If the system gives large pages
/// unasked, they serve it as they serve matrices of generated programs.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count), memory_(allocate(count * sizeof(T)), release) {}
  [[nodiscard]] T* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return count_; }
  T& operator[](std::size_t i) const { return memory_.get()[i]; }

 private:
  static constexpr std::size_t kPage = 4096, kLargePage = std::size_t{1} << 21;

  /// Each buffer begins at another page of its first large page. Buffers with equal offsets would compete for the same
  /// places in caches.
  static T* allocate(std::size_t bytes) {
    static std::size_t number = 0;
    const std::size_t start = number++ % 31 * kPage, size = start + (bytes / kLargePage + 1) * kLargePage;
    void* base = nullptr;
    if (::posix_memalign(&base, kLargePage, size) != 0) fail("out of memory");
    return reinterpret_cast<T*>(static_cast<char*>(base) + start);
  }
  static void release(T* data) {
    char* bytes = reinterpret_cast<char*>(data);
    std::free(bytes - reinterpret_cast<std::uintptr_t>(data) % kLargePage);
  }

  std::size_t count_;
  std::unique_ptr<T, void (*)(T*)> memory_;
};

/// The word for an element type in a NumPy file.
template <class T>
[[nodiscard]] const char* type_word() {
  if constexpr (std::is_same_v<T, double>) return "<f8";
  if constexpr (std::is_same_v<T, float>) return "<f4";
  if constexpr (std::is_same_v<T, std::int32_t>) return "<i4";
  if constexpr (std::is_same_v<T, std::int64_t>) return "<i8";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "|u1";
}

/// An array in C order.
template <class T>
struct Array {
  std::vector<std::size_t> shape;
  Buffer<T> cells;

  explicit Array(std::vector<std::size_t> extents) : shape(std::move(extents)), cells(volume(shape)) {}
  [[nodiscard]] std::size_t size() const { return cells.size(); }
  [[nodiscard]] T* data() const { return cells.data(); }
  T& operator[](std::size_t i) const { return cells[i]; }

  static std::size_t volume(const std::vector<std::size_t>& extents) {
    std::size_t product = 1;
    for (const std::size_t extent : extents) product *= extent;
    return product;
  }
};

template <class T>
[[nodiscard]] Array<T> read_npy(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(path + ": cannot be read");
  unsigned char start[10];
  if (std::fread(start, 1, 10, file.get()) != 10 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    fail(path + ": no NumPy file");
  std::string header(static_cast<std::size_t>(start[8]) + 256U * start[9], ' ');
  if (std::fread(header.data(), 1, header.size(), file.get()) != header.size()) fail(path + ": cut off");
  if (header.find(type_word<T>()) == std::string::npos || header.find("'fortran_order': False") == std::string::npos)
    fail(path + ": not of type " + type_word<T>() + " in C order: " + header);
  std::vector<std::size_t> shape;
  const char* at = header.c_str() + header.find('(') + 1;
  while (*at != ')') {
    char* end = nullptr;
    const unsigned long long extent = std::strtoull(at, &end, 10);
    if (end != at) shape.push_back(extent);
    at = end == at ? at + 1 : end;
  }
  Array<T> array(std::move(shape));
  if (std::fread(array.data(), sizeof(T), array.size(), file.get()) != array.size()) fail(path + ": cut off");
  return array;
}

template <class T>
void write_npy(const std::string& path, const Array<T>& array) {
  std::string header = std::string("{'descr': '") + type_word<T>() + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : array.shape) header += std::to_string(extent) + ",";
  header += "), }";
  header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) fail(path + ": cannot be written");
  const unsigned char start[] = {0x93,
                                 'N',
                                 'U',
                                 'M',
                                 'P',
                                 'Y',
                                 1,
                                 0,
                                 static_cast<unsigned char>(header.size() % 256),
                                 static_cast<unsigned char>(header.size() / 256)};
  std::fwrite(start, 1, sizeof start, file.get());
  std::fwrite(header.data(), 1, header.size(), file.get());
  if (std::fwrite(array.data(), sizeof(T), array.size(), file.get()) != array.size()) fail(path + ": disk full");
}

/// The command line, and what is measured.
class Run {
 public:
  Run(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word.rfind("--", 0) != 0) {
        files_.push_back(word);
      } else if (i + 1 < argc) {
        options_[word.substr(2)] = argv[++i];
      } else {
        fail(word + ": a value is missing");
      }
    }
  }

  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = options_.find(name);
    return found == options_.end() ? otherwise : found->second;
  }
  [[nodiscard]] int number(const std::string& name, int otherwise) const {
    return std::atoi(text(name, std::to_string(otherwise)).c_str());
  }
  [[nodiscard]] int threads() const { return number("threads", 1); }
  [[nodiscard]] std::size_t num_inputs() const { return files_.size(); }

  template <class T>
  [[nodiscard]] Array<T> input(std::size_t number) const {
    if (number >= files_.size()) fail("input " + std::to_string(number) + " is missing");
    return read_npy<T>(files_[number]);
  }

  /// Runs `solve` once without counting, `write_outputs`, and then `solve` as often as asked. `prepare` comes before
  /// each run and is not timed.
  template <class Prepare, class Solve, class Write>
  void measure(Prepare prepare, Solve solve, Write write_outputs) {
    const int trials = number("trials", 3);
    for (int trial = 0; trial <= trials; ++trial) {
      prepare();
      kernel_ns_ = 0;
      const auto start = Clock::now();
      solve();
      const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
      if (trial == 0) {
        write_outputs();
        continue;
      }
      times_ns_.push_back(ns);
      kernels_ns_.push_back(kernel_ns_);
    }
    print();
  }
  template <class Solve, class Write>
  void measure(Solve solve, Write write_outputs) {
    measure([] {}, solve, write_outputs);
  }

  template <class T>
  void write(std::size_t number, const Array<T>& array) const {
    const std::string folder = text("out", "");
    if (!folder.empty()) write_npy(folder + "/out" + std::to_string(number) + ".npy", array);
  }

  /// Adds what a device's clock says of one launch to the kernels of this run.
  void add_kernel_ns(double ns) { kernel_ns_ += ns; }

 private:
  void print() const {
    const auto list = [](const std::vector<double>& values) {
      std::string text;
      for (const double value : values) {
        char number[64];
        std::snprintf(number, sizeof number, "%.17g", value);
        text += (text.empty() ? "" : ", ") + std::string(number);
      }
      return text;
    };
    const bool has_kernels = std::any_of(kernels_ns_.begin(), kernels_ns_.end(), [](double ns) { return ns > 0; });
    std::printf("{\"times_ns\": [%s], \"kernel_ns\": [%s]}\n", list(times_ns_).c_str(),
                has_kernels ? list(kernels_ns_).c_str() : "");
  }

  std::map<std::string, std::string> options_;
  std::vector<std::string> files_;
  std::vector<double> times_ns_, kernels_ns_;
  double kernel_ns_ = 0;
};

}  // namespace baseline
