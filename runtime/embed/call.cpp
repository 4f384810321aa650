// SPDX-License-Identifier: MIT
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "runtime/embed/arguments.h"
#include "runtime/embed/call_status.h"
#include "runtime/embed/context.h"
#include "runtime/embed/context_functions.h"
#include "runtime/main/engine/root_run.h"
#include "runtime/sched/worker.h"

namespace pbrt {

namespace {

/// Lists a call in its context while it lives.
class ListedCall {
 public:
  explicit ListedCall(LibraryContext& context) : context_(context) {
    const std::lock_guard<std::mutex> guard(context_.lock);
    context_.calls.push_back(&call_);
  }
  ~ListedCall() {
    const std::lock_guard<std::mutex> guard(context_.lock);
    std::erase(context_.calls, &call_);
  }
  ListedCall(const ListedCall&) = delete;
  ListedCall& operator=(const ListedCall&) = delete;

  [[nodiscard]] RunState& state() { return call_.state; }
  [[nodiscard]] bool is_cancelled() const {
    const std::lock_guard<std::mutex> guard(context_.lock);
    return call_.is_cancelled;
  }

 private:
  LibraryContext& context_;
  CallInProgress call_;
};

/// The size variables of a call.
struct Sizes {
  Sizes(const TransformDesc& transform, const CallableDesc& callable, const std::int64_t* numbers)
      : values(static_cast<std::size_t>(transform.num_size_vars)), is_known(new bool[values.size()]()) {
    if (callable.num_numbers != 0 && numbers == nullptr) throw UserError("the list of numbers is null");
    for (int i = 0; i < callable.num_numbers; ++i) {
      const auto var = static_cast<std::size_t>(callable.number_vars[i]);
      values[var] = numbers[i];
      is_known[var] = true;
    }
  }
  std::vector<std::int64_t> values;
  std::unique_ptr<bool[]> is_known;
};

void run(LibraryContext& context, const TransformDesc& transform, CallArguments& arguments, RunContext& run_context,
         RunState& state) {
  prepare_run(state, run_context, context.owner.desc().program->uses_random, context.device != nullptr);
  std::unique_lock<std::mutex> turn;
  if (context.device != nullptr) turn = std::unique_lock(context.devices->turn);
  SharedWorkers::Loan loan(*context.workers);
  run_root(loan.workers(), state, [&](Frame& root) {
    const RandomScope random(context.seed);
    state.root = &root;
    std::exception_ptr error;
    try {
      transform.run(root, arguments.outputs().data(), arguments.inputs());
      bring_to_host(root, arguments.outputs());
    } catch (...) {  // the fiber may not be suspended in here
      error = std::current_exception();
    }
    // The caller may free its matrices after the call, so no copy may still use them.
    if (context.device != nullptr) context.device->drain(root);
    if (error) std::rethrow_exception(error);
  });
}

/// Runs the transform and copies its results. The exceptions of rules become the status.
pb_status run_listed(LibraryContext& context, const TransformDesc& transform, CallArguments& arguments,
                     RunContext& run_context) {
  ListedCall call(context);
  try {
    run(context, transform, arguments, run_context, call.state());
    if (!call.is_cancelled()) {
      arguments.copy_results();
      return make_status(PB_OK, "");
    }
  } catch (const DeviceError&) {
    if (!call.is_cancelled()) return status_of_exception(PB_ERROR_DEVICE);
  } catch (const MemoryError&) {
    return status_of_exception(PB_ERROR_MEMORY);
  } catch (const RuntimeError& error) {
    if (!call.is_cancelled()) return make_status(PB_ERROR_RUN, error.what());
  } catch (const std::bad_alloc&) {
    return status_of_exception(PB_ERROR_MEMORY);
  } catch (const std::exception& error) {
    return make_status(PB_ERROR_RUN, std::string("exception in transform `") + transform.name + "`: " + error.what());
  } catch (...) {
    return make_status(PB_ERROR_RUN, std::string("exception of an unknown type in transform `") + transform.name + "`");
  }
  return make_status(PB_ERROR_CANCELLED, "the call was cancelled");
}

}  // namespace

pb_status call_transform(pb_context* handle, int transform, const std::int64_t* numbers,
                         const pb_matrix* const* matrices) noexcept {
  if (pb_status status = check_context(handle); status.code != PB_OK) return status;
  if (Worker::of_thread() != nullptr)
    return make_status(PB_ERROR_RUN,
                       "a body called a function of a library; its workers are those of the call in progress");
  LibraryContext& context = *static_cast<LibraryContext*>(handle);
  const LibraryDesc& library = context.owner.desc();
  if (transform < 0 || transform >= library.program->num_transforms)
    return make_status(PB_ERROR_ARGUMENT, "the library has no transform of this number");
  const TransformDesc& desc = library.program->transforms[transform];
  try {
    Sizes sizes(desc, library.callables[transform], numbers);
    CallArguments arguments(desc, matrices);
    const std::unique_ptr<RunContext> run_context =
        context.engine.make_context({&context.config, context.device, context.seed, context.is_strict,
                                     sizes.values.data(), context.config.threads()});
    arguments.solve_sizes(*run_context, sizes.values.data(), sizes.is_known.get());
    arguments.make_copies(context.device != nullptr);
    return run_listed(context, desc, arguments, *run_context);
  } catch (...) {
    return status_of_exception(PB_ERROR_MEMORY);
  }
}

}  // namespace pbrt
