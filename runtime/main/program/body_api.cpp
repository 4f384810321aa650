// SPDX-License-Identifier: MIT
#include "runtime/body_api.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "runtime/config/errors.h"
#include "runtime/main/program/failed_assertions.h"
#include "runtime/matrix/files/byte_source.h"
#include "runtime/matrix/files/text_format.h"
#include "runtime/matrix/random.h"
#include "runtime/sched/frame.h"

double PetabricksRuntime::randDouble(double lo, double hi) { return pbrt::random_double(lo, hi); }
int PetabricksRuntime::randInt(int lo, int hi) { return static_cast<int>(pbrt::random_int(lo, hi)); }
double PetabricksRuntime::randNormal(double mean, double sigma) { return pbrt::random_normal(mean, sigma); }
double PetabricksRuntime::rand01() { return pbrt::random_double(0, 1); }

namespace {

// A global, because JASSERT has no argument of ours. Written before bodies run.
constinit bool ends_process = false;

/// Gives the run up. Tasks that have not started are dropped at once, before the exception reaches them.
[[noreturn]] void abort_run(const char* reason) {
  pbrt::abort_current_run(reason);
  throw pbrt::RunAborted(reason);
}

}  // namespace

void pbrt::end_process_on_failed_assertions() { ends_process = true; }

void PetabricksRuntime::abort() { abort_run("the program gave up (PetabricksRuntime::abort)"); }
void PetabricksRuntime::untrained() {
  abort_run("the configuration has no trained value for this size (PetabricksRuntime::untrained)");
}

namespace pbrt::jassert {

struct Message::State {
  Severity severity;
  std::ostringstream text;
};

Message::Message(Severity severity, const char* file, int line, const char* condition)
    : PB_JASSERT_A{*this}, PB_JASSERT_B{*this}, state_(new State{severity, {}}) {
  state_->text << file << ':' << line << ": ";
  switch (severity) {
    case Severity::Assertion:
      state_->text << "assertion failed: " << condition;
      break;
    case Severity::Warning:
      state_->text << "warning: " << condition;
      break;
    case Severity::Note:
      state_->text << "note: " << condition;
      break;
  }
}

Message::~Message() { delete state_; }

void Message::begin_value(const char* name) { state_->text << "\n  " << name << " = "; }
Message& Message::end_value() { return *this; }
std::ostream& Message::stream() { return state_->text; }

Message& Message::Text(const char* text) {
  state_->text << "\n  " << text;
  return *this;
}

void Finish::operator&(Message& message) const { message.finish(); }

void Message::finish() {
  if (state_->severity == Severity::Assertion && !ends_process) throw RuntimeError(state_->text.str());
  const std::string text = state_->text.str() + "\n";
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (state_->severity != Severity::Assertion) return;
  // Other workers are still running, so no destructors of static objects run. A trace is still written.
  std::fflush(nullptr);
  std::quick_exit(1);
}

}  // namespace pbrt::jassert

namespace {

class StreamSink : public pbrt::TextSink {
 public:
  explicit StreamSink(FILE* file) : file_(file) {}
  void write(std::string_view text) override {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size())
      throw pbrt::IoError(std::string("MatrixIO: cannot write: ") + std::strerror(errno));
  }

 private:
  FILE* file_;
};

constexpr int kDefaultPrecision = 8;

}  // namespace

namespace pbrt::detail {

void print_view(const RawView& view) {
  StreamSink sink(stdout);
  write_text(view, kDefaultPrecision, sink);
}

}  // namespace pbrt::detail

MatrixIO::MatrixIO(const char* file, const char* mode) {
  const bool is_write = mode != nullptr && mode[0] != 'r';
  if (file == nullptr || std::strcmp(file, "-") == 0) {
    file_ = is_write ? stdout : stdin;
    return;
  }
  file_ = std::fopen(file, mode);
  if (file_ == nullptr) throw pbrt::IoError(std::string("MatrixIO: cannot open ") + file + ": " + std::strerror(errno));
  is_owner_ = true;
}

MatrixIO::~MatrixIO() {
  if (is_owner_) std::fclose(file_);
}

void MatrixIO::read_header(int num_dims, pbrt::IndexT* sizes) {
  const auto source = pbrt::ByteSource::over(file_, "MatrixIO");
  const int found = pbrt::read_text_header(*source, sizes);
  if (found != num_dims)
    throw pbrt::UserError("MatrixIO: the file has " + std::to_string(found) +
                          (found == 1 ? " dimension, read" : " dimensions, read") + std::to_string(num_dims) +
                          "D was called");
}

void MatrixIO::read_elements(const pbrt::RawView& view) {
  const auto source = pbrt::ByteSource::over(file_, "MatrixIO");
  pbrt::read_text_elements(*source, view);
}

void MatrixIO::write_view(const pbrt::RawView& view) {
  // A handle made without arguments serves both directions.
  StreamSink sink(file_ == stdin ? stdout : file_);
  write_text(view, kDefaultPrecision, sink);
}
