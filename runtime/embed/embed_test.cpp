// SPDX-License-Identifier: MIT
// The C interface over a library in the shape of generated code, also under sanitizers. Libraries that pbc makes:
// tests/e2e/library_test.py.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/config/formats/info_json.h"
#include "runtime/config/info.h"
#include "runtime/embed/call_status.h"
#include "runtime/embed/library_desc.h"
#include "runtime/embed/shared_runtime.h"
#include "runtime/gpu/launch.h"
#include "runtime/gpu/storage_record.h"
#include "runtime/main/program/run_context.h"
#include "runtime/matrix/any_matrix.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/loops/parallel_for.h"

namespace pbrt {
namespace {

std::atomic<bool> is_waiting{false};  // whether the body of `Wait` runs

std::function<pb_status()> nested;  // what the body of `Nest` calls
pb_status nested_status;            // and what came back

// ---- Double: from A[n] to B[n]; Wait: the same, until it is cancelled; Nest: the same after a call; Ask: see below
// ----

template <class Body>
void for_each_cell(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs, const Body& body) {
  const auto out = outputs[0].as<double, 1>();
  const auto in = inputs[0].as<double, 1>();
  parallel_for<1>(frame, Box<1>{{0}, {out.size(0)}}, 16, [&](Frame&, const Box<1>& piece) {
    for (std::int64_t i = piece.lo[0]; i < piece.hi[0]; ++i) body(out.cell(i), in.cell(i));
  });
}

void run_double(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  for_each_cell(frame, outputs, inputs, [](double& b, double a) { b = 2 * a; });
}

void run_wait(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  is_waiting = true;
  for (;;) run_double(frame, outputs, inputs);
}

void run_nest(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  nested_status = nested();
  run_double(frame, outputs, inputs);
}

/// Asks for more than it reads, as steps without loops do: the matrix that it makes.
void run_ask(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  const auto out = outputs[0].as<double, 1>();
  need_on_host(frame, inputs[0].as<double, 1>(), out);
  before_host_write(frame, out);
  run_double(frame, outputs, inputs);
  wrote_on_host(frame, out);
}

void solve(const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
  values[0] = sizes[0][0];
  is_known[0] = true;
}

void extents(const RunContext&, const std::int64_t* values, std::int64_t* out) { out[0] = out[1] = values[0]; }

constexpr const char* kFormulas[] = {"n"};
constexpr MatrixDesc kInputs[] = {{"A", ElementKind::Double, 1, kFormulas, true}};
constexpr MatrixDesc kOutputs[] = {{"B", ElementKind::Double, 1, kFormulas, false}};
constexpr TransformDesc kTransforms[] = {
    {"Double", kInputs, 1, kOutputs, 1, kFormulas, 1, nullptr, 0, solve, extents, run_double, -1},
    {"Wait", kInputs, 1, kOutputs, 1, kFormulas, 1, nullptr, 0, solve, extents, run_wait, -1},
    {"Nest", kInputs, 1, kOutputs, 1, kFormulas, 1, nullptr, 0, solve, extents, run_nest, -1},
    {"Ask", kInputs, 1, kOutputs, 1, kFormulas, 1, nullptr, 0, solve, extents, run_ask, -1}};
constexpr CallableDesc kCallables[] = {{"Double", nullptr, nullptr, 0, ""},
                                       {"Wait", nullptr, nullptr, 0, ""},
                                       {"Nest", nullptr, nullptr, 0, ""},
                                       {"Ask", nullptr, nullptr, 0, ""}};

std::string info_json() {
  TrainingInfo info;
  info.program = "embedded";
  info.main = "Double";
  info.global = standard_globals();
  for (const TransformDesc& desc : kTransforms) {
    TransformInfo& transform = info.transforms.emplace_back();
    transform.name = transform.template_name = desc.name;
  }
  return to_json(info);
}

const pb_library* library() {
  static const std::string json = info_json();
  static const ProgramDesc program{"embedded", json.c_str(), kTransforms, 4, 0};
  static const LibraryDesc desc{"embedded", &program, kCallables, 4};
  static LoadedLibrary loaded(desc);
  return loaded.tables();
}

/// A context that ends with the test.
class TestContext {
 public:
  explicit TestContext(int threads) {
    pb_options options{};
    options.threads = threads;
    const pb_status status = pb_context_create(library(), &options, &context_);
    EXPECT_EQ(status.code, PB_OK) << status.message;
  }
  ~TestContext() { pb_context_destroy(context_); }
  TestContext(const TestContext&) = delete;
  TestContext& operator=(const TestContext&) = delete;

  pb_status call(int transform, const pb_matrix& in, const pb_matrix& out) {
    const pb_matrix* const matrices[] = {&in, &out};
    return pb_call(context_, transform, nullptr, matrices);
  }
  [[nodiscard]] pb_context* get() const { return context_; }

 private:
  pb_context* context_ = nullptr;
};

pb_matrix row_of(double* data, std::int64_t n, std::int64_t stride = 1) { return {data, PB_DOUBLE, 1, {n}, {stride}}; }

std::vector<double> numbers(int n) {
  std::vector<double> result;
  for (int i = 0; i < n; ++i) result.push_back(i);
  return result;
}

TEST(CallStatus, MessagesAreOneLineThatFits) {
  const pb_status status = make_status(PB_ERROR_RUN, "a\nb");
  EXPECT_STREQ(status.message, "a b");
  EXPECT_EQ(std::string(make_status(PB_ERROR_RUN, std::string(1000, 'x')).message).size(), 507U);
  const auto cut = [](const std::string& text) { return std::string(make_status(PB_ERROR_RUN, text).message); };
  const std::string accents = [] {
    std::string text;
    for (int i = 0; i < 400; ++i) text += "\xc3\xa9";
    return text;
  }();
  EXPECT_EQ(cut("x" + accents), ("x" + accents).substr(0, 507));
  EXPECT_EQ(cut(accents), accents.substr(0, 506)) << "no part of a letter";
  EXPECT_EQ(cut(std::string(505, 'x') + "\xf0\x9f\x98\x80").size(), 505U);
  EXPECT_EQ(cut(std::string(1000, '\x80')).size(), 507U) << "no UTF-8";
}

TEST(EmbeddedCall, LayoutsGiveTheSameResults) {
  TestContext context(2);
  for (const std::int64_t from : {1, 2, -1, -3}) {
    for (const std::int64_t to : {1, 2, -2}) {
      std::vector<double> in = numbers(300);
      std::vector<double> out(200, -1);
      const pb_matrix In = row_of(from > 0 ? in.data() : &in.back(), 100, from);
      const pb_matrix Out = row_of(to > 0 ? out.data() : &out.back(), 100, to);
      const pb_status status = context.call(0, In, Out);
      ASSERT_EQ(status.code, PB_OK) << status.message;
      for (std::int64_t i = 0; i < 100; ++i)
        ASSERT_EQ(static_cast<double*>(Out.data)[i * to], 2 * static_cast<double*>(In.data)[i * from]);
    }
  }
}

TEST(EmbeddedCall, OutputsMayOverlapInputs) {
  TestContext context(2);
  std::vector<double> both = numbers(100);
  ASSERT_EQ(context.call(0, row_of(both.data(), 99), row_of(both.data() + 1, 99)).code, PB_OK);
  for (int i = 1; i < 100; ++i) ASSERT_EQ(both[static_cast<std::size_t>(i)], 2 * (i - 1));
}

TEST(EmbeddedCall, InputsSayHowLargeOutputsAre) {
  TestContext context(1);
  std::vector<double> in = numbers(100);
  pb_matrix In = row_of(in.data(), 100);
  const pb_matrix* const inputs[] = {&In};
  std::int64_t extent = -1;
  EXPECT_EQ(pb_output_extents(context.get(), 0, nullptr, inputs, &extent).code, PB_OK);
  EXPECT_EQ(extent, 100);
  EXPECT_EQ(pb_output_extents(context.get(), 0, nullptr, inputs, nullptr).code, PB_ERROR_ARGUMENT);
  EXPECT_EQ(pb_output_extents(context.get(), 0, nullptr, nullptr, &extent).code, PB_ERROR_ARGUMENT);
  EXPECT_EQ(pb_output_extents(context.get(), std::size(kCallables), nullptr, inputs, &extent).code, PB_ERROR_ARGUMENT);
  In.rank = 2;
  EXPECT_EQ(pb_output_extents(context.get(), 0, nullptr, inputs, &extent).code, PB_ERROR_ARGUMENT);
}

TEST(EmbeddedCall, StridesBeyondAllMemoryAreRefused) {
  TestContext context(1);
  double number = 1;
  const pb_matrix far = row_of(&number, 1 << 20, std::int64_t{1} << 62);
  const pb_status status = context.call(0, far, far);
  EXPECT_EQ(status.code, PB_ERROR_ARGUMENT);
  EXPECT_NE(std::string(status.message).find("beyond all memory"), std::string::npos) << status.message;
}

TEST(EmbeddedCall, ThreadsAreBounded) {
  pb_options options{};
  options.threads = kMaxThreads + 1;
  pb_context* context = nullptr;
  const pb_status status = pb_context_create(library(), &options, &context);
  EXPECT_EQ(status.code, PB_ERROR_ARGUMENT);
  EXPECT_EQ(context, nullptr);
  EXPECT_NE(std::string(status.message).find("from 0 to 512"), std::string::npos) << status.message;
}

TEST(EmbeddedCall, LimitsOfDevicesAreNumbersOfSeconds) {
  for (const double limit : {-1.0, std::nan("")}) {
    pb_options options{};
    options.device_limit = limit;
    pb_context* context = nullptr;
    const pb_status status = pb_context_create(library(), &options, &context);
    EXPECT_EQ(status.code, PB_ERROR_ARGUMENT);
    EXPECT_NE(std::string(status.message).find("no number of seconds"), std::string::npos) << status.message;
  }
}

TEST(SharedDevices, AreUsedAsTheFirstContextSaid) {
  SharedDevices devices;
  const std::lock_guard<std::mutex> guard(devices.lock);
  DeviceSettings verified;
  verified.verifies = true;
  DeviceSettings small = verified;
  small.memory_bytes = 1000;
  devices.settle(small);
  devices.settle(small);
  EXPECT_NO_THROW(devices.settle({})) << "who says nothing takes what there is";
  EXPECT_THROW(devices.settle(verified), DeviceError);
  EXPECT_NO_THROW(devices.settle(small));
}

TEST(SharedDevices, ThatAreInUseWithoutALimitGetNone) {
  SharedDevices devices;
  const std::lock_guard<std::mutex> guard(devices.lock);
  devices.settle({});
  DeviceSettings limited;
  limited.limit = std::chrono::seconds(1);
  EXPECT_THROW(devices.settle(limited), DeviceError);
}

TEST(EmbeddedCall, BodiesMayNotCallTheirOwnLibrary) {
  for (const int num_workers : {1, 3}) {
    TestContext context(num_workers);
    std::vector<double> in = numbers(64);
    std::vector<double> out(64);
    nested = [&] { return context.call(0, row_of(in.data(), 64), row_of(out.data(), 64)); };
    EXPECT_EQ(context.call(2, row_of(in.data(), 64), row_of(out.data(), 64)).code, PB_OK);
    EXPECT_EQ(nested_status.code, PB_ERROR_RUN) << nested_status.message;
  }
}

/// A row of numbers in memory of the library, as a device that has failed leaves what only it had.
class LostRow {
 public:
  LostRow(TestContext& context, std::int64_t n) : row(row_of(nullptr, n)), context_(context) {
    EXPECT_EQ(pb_matrix_create(context_.get(), &row).code, PB_OK);
    const auto* first = static_cast<const char*>(row.data);
    const AnyMatrix memory = SharedRuntime::get().resident_memory().find(first, first + 8 * n);
    const gpu::RegionRef all(memory);
    gpu::StorageRecord& record = gpu::StorageRecord::of(*all.storage, sizeof(double));
    const std::lock_guard lock(record.mutex);
    record.lost.add(record.box_of(gpu::own(*all.storage, all.view)));
    record.publish_state();
  }
  ~LostRow() { EXPECT_EQ(pb_matrix_destroy(context_.get(), &row).code, PB_OK); }
  LostRow(const LostRow&) = delete;
  LostRow& operator=(const LostRow&) = delete;

  pb_matrix row;

 private:
  TestContext& context_;
};

TEST(EmbeddedCall, LostOutputsAreMadeAnewAndLostInputsAreMissed) {
  constexpr int kAsk = 3;
  TestContext context(2);
  const LostRow made(context, 100), read(context, 100);
  std::vector<double> in = numbers(100);
  EXPECT_EQ(context.call(kAsk, row_of(in.data(), 100), made.row).code, PB_OK);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(static_cast<double*>(made.row.data)[i], 2 * i);
  EXPECT_EQ(context.call(kAsk, read.row, made.row).code, PB_ERROR_DEVICE);
}

TEST(EmbeddedCall, MissingMemoryHasACodeOfItsOwn) {
  TestContext context(1);
  std::vector<double> in = numbers(64);
  std::vector<double> out(64);
  nested = []() -> pb_status { throw MemoryError("there is no memory for a matrix"); };
  EXPECT_EQ(context.call(2, row_of(in.data(), 64), row_of(out.data(), 64)).code, PB_ERROR_MEMORY);
}

TEST(EmbeddedCall, ThreadsCallWithSharedContexts) {
  TestContext alone(1);
  TestContext together(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<double> in = numbers(64);
      std::vector<double> out(64);
      for (int round = 0; round < 50; ++round) {
        TestContext& context = (round + t) % 2 == 0 ? alone : together;
        ASSERT_EQ(context.call(0, row_of(in.data(), 64), row_of(out.data(), 64)).code, PB_OK);
        ASSERT_EQ(out[63], 126);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(EmbeddedCall, ThreadsMakeAndEndContexts) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::vector<double> in = numbers(64);
      std::vector<double> out(64);
      for (int round = 0; round < 10; ++round) {
        TestContext context(1 + (t + round) % 3);
        ASSERT_EQ(context.call(0, row_of(in.data(), 64), row_of(out.data(), 64)).code, PB_OK);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(EmbeddedCall, CancelledCallsSaySo) {
  for (const int num_workers : {1, 3}) {
    TestContext context(num_workers);
    is_waiting = false;
    pb_status status{};
    std::vector<double> in = numbers(64);
    std::vector<double> out(64);
    std::thread caller([&] { status = context.call(1, row_of(in.data(), 64), row_of(out.data(), 64)); });
    while (!is_waiting) std::this_thread::yield();
    EXPECT_EQ(pb_context_cancel(context.get()).code, PB_OK);
    caller.join();
    EXPECT_EQ(status.code, PB_ERROR_CANCELLED) << status.message;
    EXPECT_EQ(context.call(0, row_of(in.data(), 64), row_of(out.data(), 64)).code, PB_OK);
  }
}

TEST(EmbeddedCall, CancelledCallsDoNotWaitForTheirTurn) {
  TestContext running(3);
  TestContext waiting(3);
  is_waiting = false;
  std::vector<double> in = numbers(64);
  std::vector<double> out(64);
  std::vector<double> never(64);
  std::thread caller([&] { (void)running.call(1, row_of(in.data(), 64), row_of(out.data(), 64)); });
  while (!is_waiting) std::this_thread::yield();
  std::atomic<bool> has_ended{false};
  pb_status status{};
  std::thread second([&] {
    status = waiting.call(0, row_of(in.data(), 64), row_of(never.data(), 64));
    has_ended = true;
  });
  // It has begun at some time, and cannot end by itself.
  while (!has_ended) {
    EXPECT_EQ(pb_context_cancel(waiting.get()).code, PB_OK);
    std::this_thread::yield();
  }
  second.join();
  EXPECT_EQ(status.code, PB_ERROR_CANCELLED) << status.message;
  EXPECT_EQ(never, std::vector<double>(64));
  EXPECT_EQ(pb_context_cancel(running.get()).code, PB_OK);
  caller.join();
}

}  // namespace
}  // namespace pbrt
