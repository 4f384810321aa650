// SPDX-License-Identifier: MIT
#include "runtime/embed/library.h"

#include <new>

#include "runtime/embed/call_status.h"
#include "runtime/embed/context_functions.h"
#include "runtime/gpu/manager.h"

namespace pbrt {

namespace {

pb_argument argument_of(const MatrixDesc& matrix) {
  return {matrix.name, static_cast<pb_element>(matrix.element), matrix.num_dims, matrix.formulas,
          matrix.is_read_initially ? 1 : 0};
}

}  // namespace

Library::Library(const LibraryDesc& desc) : pb_library{}, desc_(desc) {
  const ProgramDesc& program = *desc.program;
  for (int t = 0; t < desc.num_callables; ++t) {
    const TransformDesc& transform = program.transforms[t];
    std::vector<pb_argument>& arguments = arguments_.emplace_back();
    for (int i = 0; i < transform.num_inputs; ++i) arguments.push_back(argument_of(transform.inputs[i]));
    for (int i = 0; i < transform.num_outputs; ++i) arguments.push_back(argument_of(transform.outputs[i]));
    const CallableDesc& callable = desc.callables[t];
    transforms_.push_back({callable.name, callable.numbers, callable.num_numbers, transform.num_inputs,
                           transform.num_outputs, arguments.data(), callable.documentation});
  }
  interface = PB_INTERFACE;
  num_transforms = desc.num_callables;
  name = desc.name;
  transforms = transforms_.data();
  create = &create_context;
  destroy = &destroy_context;
  cancel = &cancel_context;
  call = &call_transform;
  pb_library::output_extents = &pbrt::output_extents;
  pb_library::create_matrix = &pbrt::create_matrix;
  pb_library::destroy_matrix = &pbrt::destroy_matrix;
  fetch_matrix = &pbrt::fetch_matrix;
  change_matrix = &note_matrix_change;
  statistics = &device_statistics;
}

Library::~Library() { gpu::Manager::note_unloaded_code(); }

const Engine& Library::engine() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (engine_ == nullptr) engine_ = std::make_unique<Engine>(*desc_.program);
  return *engine_;
}

LoadedLibrary::~LoadedLibrary() { delete made_.load(std::memory_order_acquire); }  // from tables

const pb_library* LoadedLibrary::tables() noexcept {
  Library* library = made_.load(std::memory_order_acquire);  // from below
  if (library != nullptr) return library;
  try {
    auto made = std::make_unique<Library>(desc_);
    // Of several threads, the first one wins.
    if (made_.compare_exchange_strong(library, made.get(), std::memory_order_acq_rel)) return made.release();
    return library;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

pb_status LoadedLibrary::call(pb_context* context, int transform, const std::int64_t* numbers,
                              const pb_matrix* const* arguments) const noexcept {
  if (context != nullptr && context->library != made_.load(std::memory_order_acquire))  // from tables
    return make_status(PB_ERROR_ARGUMENT, "the context is one of another library");
  return call_transform(context, transform, numbers, arguments);
}

}  // namespace pbrt
