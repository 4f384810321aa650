// SPDX-License-Identifier: MIT
#include "runtime/embed/library.h"

#include <pthread.h>

#include <new>

#include "runtime/config/errors.h"
#include "runtime/embed/context_functions.h"

namespace pbrt {

namespace {

pb_argument argument_of(const MatrixDesc& matrix) {
  return {matrix.name, static_cast<pb_element>(matrix.element), matrix.num_dims, matrix.formulas};
}

}  // namespace

std::atomic<bool> Library::is_forked_{false};

Library::Library(const LibraryDesc& desc) : desc_(desc) {
  const ProgramDesc& program = *desc.program;
  for (int t = 0; t < program.num_transforms; ++t) {
    const TransformDesc& transform = program.transforms[t];
    std::vector<pb_argument>& arguments = arguments_.emplace_back();
    for (int i = 0; i < transform.num_inputs; ++i) arguments.push_back(argument_of(transform.inputs[i]));
    for (int i = 0; i < transform.num_outputs; ++i) arguments.push_back(argument_of(transform.outputs[i]));
    const CallableDesc& callable = desc.callables[t];
    transforms_.push_back({callable.name, callable.numbers, callable.num_numbers, transform.num_inputs,
                           transform.num_outputs, arguments.data()});
  }
  tables_ = {PB_INTERFACE,    program.num_transforms, desc.name,       transforms_.data(),
             &create_context, &destroy_context,       &cancel_context, &call_transform};
}

const Engine& Library::engine() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (engine_ == nullptr) engine_ = std::make_unique<Engine>(*desc_.program);
  return *engine_;
}

std::shared_ptr<SharedWorkers> Library::workers(int num_workers) {
  const std::lock_guard<std::mutex> guard(lock_);
  std::weak_ptr<SharedWorkers>& known = workers_[num_workers];
  std::shared_ptr<SharedWorkers> found = known.lock();
  if (found == nullptr) known = found = std::make_shared<SharedWorkers>(num_workers);
  return found;
}

std::shared_ptr<SharedDevices> Library::devices() {
  const std::lock_guard<std::mutex> guard(lock_);
  std::shared_ptr<SharedDevices> found = devices_.lock();
  if (found == nullptr) devices_ = found = std::make_shared<SharedDevices>();
  return found;
}

void Library::watch_forks() {
  static const int failed = pthread_atfork(nullptr, nullptr, [] { is_forked_.store(true, std::memory_order_relaxed); });
  if (failed != 0) throw RuntimeError("the system cannot tell a child process that it was forked");
}

namespace {
std::atomic<Library*> known{nullptr};
}

Library& library_of(const LibraryDesc& desc) {
  static Library library(desc);
  known.store(&library, std::memory_order_release);  // for known_library
  return library;
}

Library* known_library() noexcept { return known.load(std::memory_order_acquire); }  // from library_of

const pb_library* c_library(const LibraryDesc& desc) noexcept {
  try {
    return library_of(desc).tables();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace pbrt
