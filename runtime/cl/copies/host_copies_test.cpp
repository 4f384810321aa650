// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/host_copies.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/matrix/memory/mappings.h"
#include "runtime/matrix/storage.h"

namespace pbrt::cl {
namespace {

using Bytes = std::vector<std::byte>;

/// The first OpenCL device, whatever it is, with a queue.
class HostCopiesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api_ = Api::load();
    ASSERT_NE(api_, nullptr) << "OpenCL is needed: apt-get install pocl-opencl-icd";
    cl_platform_id platform = nullptr;
    api_->clGetPlatformIDs(1U, &platform, nullptr);
    api_->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1U, &device_, nullptr);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform),
                                                0};
    context_ = Context(*api_, api_->clCreateContext.make(properties, 1U, &device_, nullptr, nullptr));
    queue_ = new_queue();
  }

  Queue new_queue() {
    return {*api_, api_->clCreateCommandQueue.make(context_.get(), device_, cl_command_queue_properties{0})};
  }
  Memory buffer_of(std::size_t bytes) {
    return {*api_, api_->clCreateBuffer.make(context_.get(), cl_mem_flags{CL_MEM_READ_WRITE}, bytes, nullptr)};
  }
  void wait_for(const Event& event) {
    const cl_event id = event.get();
    api_->clWaitForEvents(1U, &id);
  }

  std::shared_ptr<const Api> api_;
  cl_device_id device_ = nullptr;
  Context context_;
  Queue queue_;
};

Bytes numbers(std::size_t size, unsigned first) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>((first + i * 2654435761U) >> 7);
  return out;
}

TEST_F(HostCopiesTest, ACrewCopiesBoxesAsTheDriverDoes) {
  constexpr std::size_t kBytes = 100'000;
  const std::vector<std::vector<gpu::CopyShape>> all = {
      {{0, kBytes}}, {{17, 5000}, {60'000, 123}}, {{40, 30, 50, 200}}, {{8, 700, 9, 1000, 4, 20'000}, {90'000, 1}}};
  const Memory buffer = buffer_of(kBytes);
  const Bytes zeros(kBytes), from = numbers(kBytes, 5);
  for (const std::size_t threads : {0U, 1U, 3U})
    for (const std::vector<gpu::CopyShape>& shapes : all) {
      HostCopies copies(*api_, context_.get(), device_, {threads, 1, 1, 256, 0});
      api_->clEnqueueWriteBuffer(queue_.get(), buffer.get(), CL_TRUE, std::size_t{0}, kBytes, zeros.data(), 0U, nullptr,
                                 nullptr);
      wait_for(copies.write(queue_.get(), buffer.get(), from.data(), shapes));
      Bytes expected(kBytes), written(kBytes), read(kBytes);
      std::size_t bytes = 0;
      for (const gpu::CopyShape& shape : shapes) {
        bytes += shape.bytes();
        for (const CopyPiece& piece : pieces_of({&shape, 1}, kBytes))
          for (std::size_t row = 0; row < piece.num_rows; ++row) {
            const std::size_t at = piece.offset + row * piece.row_pitch;
            std::memcpy(&expected[at], &from[at], piece.row_bytes);
          }
      }
      api_->clEnqueueReadBuffer(queue_.get(), buffer.get(), CL_TRUE, std::size_t{0}, kBytes, written.data(), 0U,
                                nullptr, nullptr);
      EXPECT_EQ(written, expected) << threads;
      wait_for(copies.read(queue_.get(), buffer.get(), read.data(), shapes));
      EXPECT_EQ(read, expected) << threads;
      EXPECT_EQ(copies.bytes_of_crew(), threads == 0 ? 0 : static_cast<std::int64_t>(2 * bytes));
    }
}

TEST_F(HostCopiesTest, BothDirectionsShareACrew) {
  constexpr std::size_t kBytes = 300'000;
  HostCopies copies(*api_, context_.get(), device_, {3, 1, 1, 1024, 0});
  const Queue other = new_queue();
  const Memory first = buffer_of(kBytes), second = buffer_of(kBytes);
  const gpu::CopyShape all{0, kBytes};
  for (unsigned round = 0; round < 5; ++round) {
    const Bytes a = numbers(kBytes, round), b = numbers(kBytes, round + 100);
    Bytes back_a(kBytes), back_b(kBytes);
    wait_for(copies.write(other.get(), second.get(), b.data(), {&all, 1}));
    std::thread reader([&] { wait_for(copies.read(other.get(), second.get(), back_b.data(), {&all, 1})); });
    wait_for(copies.write(queue_.get(), first.get(), a.data(), {&all, 1}));
    wait_for(copies.read(queue_.get(), first.get(), back_a.data(), {&all, 1}));
    reader.join();
    EXPECT_EQ(back_a, a);
    EXPECT_EQ(back_b, b);
  }
}

TEST_F(HostCopiesTest, ShortAndFirstCopiesGoStraight) {
  HostCopies copies(*api_, context_.get(), device_, {2, 1000, 5000, 256, 0});
  const Memory buffer = buffer_of(10'000);
  const Bytes from = numbers(10'000, 1);
  const auto write = [&](std::size_t bytes) {
    const gpu::CopyShape shape{0, bytes};
    wait_for(copies.write(queue_.get(), buffer.get(), from.data(), {&shape, 1}));
    return copies.bytes_of_crew();
  };
  for (int i = 0; i < 20; ++i) EXPECT_EQ(write(999), 0);
  EXPECT_EQ(write(3000), 0);
  EXPECT_EQ(write(2000), 2000);
  EXPECT_EQ(write(999), 2000);
}

TEST_F(HostCopiesTest, MappingsThatAreCopiedAgainArePageLocked) {
  constexpr std::size_t kBytes = 1 << 20;
  const StorageRef mapped = StorageRef::adopt(Storage::create(4 * kBytes));
  const Bytes foreign = numbers(kBytes, 3);
  auto* const data = static_cast<std::byte*>(mapped.get()->data());
  const std::optional<Mapping> mapping = Mappings::find(data);
  ASSERT_TRUE(mapping);
  PageLocks locks(*api_, context_.get(), 100 * kBytes);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(locks.note_copy(foreign.data(), kBytes)) << "of somebody else";
  // Parts of it count, too.
  std::size_t copied = 0;
  for (; 2 * copied < 3 * mapping->bytes; copied += kBytes) EXPECT_FALSE(locks.note_copy(data + copied % 4096, kBytes));
  EXPECT_EQ(locks.bytes(), 0);
  EXPECT_TRUE(locks.note_copy(data + 4096, kBytes));
  EXPECT_EQ(locks.bytes(), static_cast<std::int64_t>(mapping->bytes));
  EXPECT_GT(locks.time().count(), 0);
  locks.end(*mapping);
  EXPECT_EQ(locks.bytes(), 0);
  EXPECT_FALSE(locks.note_copy(data, kBytes)) << "it begins anew";
}

TEST_F(HostCopiesTest, NoMoreIsPageLockedThanWasAllowed) {
  constexpr std::size_t kBytes = 4 << 20;
  const StorageRef first = StorageRef::adopt(Storage::create(kBytes)),
                   second = StorageRef::adopt(Storage::create(kBytes));
  PageLocks locks(*api_, context_.get(), Mappings::find(first.get()->data())->bytes + 1);
  for (const StorageRef* each : {&first, &second})
    for (int i = 0; i < 5; ++i) static_cast<void>(locks.note_copy(each->get()->data(), 2 * kBytes));
  EXPECT_TRUE(locks.note_copy(first.get()->data(), kBytes));
  EXPECT_FALSE(locks.note_copy(second.get()->data(), kBytes));
  locks.end(*Mappings::find(first.get()->data()));
  EXPECT_TRUE(locks.note_copy(second.get()->data(), kBytes));
}

}  // namespace
}  // namespace pbrt::cl
