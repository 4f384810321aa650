// SPDX-License-Identifier: MIT
#include <algorithm>
#include <exception>
#include <limits>
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
      if (numbers[i] != static_cast<std::int32_t>(numbers[i]))
        throw UserError(std::string("`") + callable.numbers[i] + "` is " + std::to_string(numbers[i]) +
                        ", which is no integer of 32 bits");
      values[var] = numbers[i];
      is_known[var] = true;
    }
  }
  std::vector<std::int64_t> values;
  std::unique_ptr<bool[]> is_known;
};

void run(LibraryContext& context, const TransformDesc& transform, CallArguments& arguments, RunContext& run_context,
         RunState& state) {
  const bool may_meet_device = !context.managers.is_empty() || arguments.may_be_on_device();
  std::shared_ptr<SharedDevices> met;  // those of other contexts, whose data the call may use, stay meanwhile
  if (may_meet_device && context.managers.is_empty()) met = SharedRuntime::get().known_devices();
  prepare_run(state, run_context, context.owner.desc().program->uses_random, may_meet_device);
  // A call that is cancelled while it waits ends here.
  const TurnScope on_device(!context.managers.is_empty() ? &context.devices->turn : nullptr, state.aborted);
  if (!on_device.has_turn()) return;
  const TurnScope on_workers(context.workers->turn(), state.aborted);
  if (!on_workers.has_turn()) return;
  SharedWorkers::Loan loan(*context.workers);
  run_root(loan.workers(), state, [&](Frame& root) {
    const RandomScope random(context.seed);
    if (!arguments.has_resident_output()) state.root = &root;  // else results are not copied out early
    std::exception_ptr error;
    try {
      arguments.forget_lost_outputs();
      arguments.make_copies(root);
      transform.run(root, arguments.outputs(), arguments.inputs());
      arguments.bring_results(root);
    } catch (...) {  // the fiber may not be suspended in here
      error = std::current_exception();
    }
    // The caller may free its matrices after the call, so no copy may still use them.
    for (gpu::Manager* each : context.managers.managers()) each->drain(root);
    if (error) std::rethrow_exception(error);
  });
}

/// Runs the transform. The exceptions of rules become the status.
pb_status run_listed(LibraryContext& context, const TransformDesc& transform, CallArguments& arguments,
                     RunContext& run_context) {
  ListedCall call(context);
  try {
    run(context, transform, arguments, run_context, call.state());
    if (!call.is_cancelled()) return make_status(PB_OK, "");
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

/// Why a transform cannot be called; PB_OK if it can.
pb_status check_call(const pb_context* handle, int transform) {
  pb_status status = check_caller(handle);
  if (status.code != PB_OK) return status;
  const LibraryDesc& library = static_cast<const LibraryContext*>(handle)->owner.desc();
  if (transform < 0 || transform >= library.num_callables)
    return make_status(PB_ERROR_ARGUMENT, "the library has no transform of this number");
  return status;
}

/// The sizes of a call, solved.
struct SolvedCall {
  SolvedCall(const LibraryContext& context, int transform, const std::int64_t* numbers, const CallArguments& arguments)
      : sizes(context.owner.desc().program->transforms[transform], context.owner.desc().callables[transform], numbers),
        run_context(context.engine.make_context({&context.config, &context.managers, context.seed, context.is_strict,
                                                 sizes.values.data(), context.config.threads()})),
        extents(arguments.solve_sizes(*run_context, sizes.values.data(), sizes.is_known.get())) {}

  Sizes sizes;
  std::unique_ptr<RunContext> run_context;
  std::vector<std::int64_t> extents;  ///< of all inputs and outputs
};

}  // namespace

pb_status call_transform(pb_context* handle, int transform, const std::int64_t* numbers,
                         const pb_matrix* const* matrices) noexcept {
  if (pb_status status = check_call(handle, transform); status.code != PB_OK) return status;
  LibraryContext& context = *static_cast<LibraryContext*>(handle);
  const TransformDesc& desc = context.owner.desc().program->transforms[transform];
  try {
    CallArguments arguments(desc, matrices, desc.num_inputs + desc.num_outputs);
    const SolvedCall solved(context, transform, numbers, arguments);
    arguments.place(!context.managers.is_empty());
    return run_listed(context, desc, arguments, *solved.run_context);
  } catch (...) {
    return status_of_exception(PB_ERROR_MEMORY);
  }
}

pb_status output_extents(pb_context* handle, int transform, const std::int64_t* numbers, const pb_matrix* const* inputs,
                         std::int64_t* extents) noexcept {
  pb_status status = check_call(handle, transform);
  if (status.code != PB_OK) return status;
  const LibraryContext& context = *static_cast<const LibraryContext*>(handle);
  const TransformDesc& desc = context.owner.desc().program->transforms[transform];
  try {
    const SolvedCall solved(context, transform, numbers, CallArguments(desc, inputs, desc.num_inputs));
    std::ptrdiff_t num_of_inputs = 0;
    for (int i = 0; i < desc.num_inputs; ++i) num_of_inputs += desc.inputs[i].num_dims;
    if (extents == nullptr && num_of_inputs != std::ssize(solved.extents))
      throw UserError("the list of extents is null");
    auto next = solved.extents.begin() + num_of_inputs;
    for (int i = 0; i < desc.num_outputs; ++i)
      for (int d = 0; d < desc.outputs[i].num_dims; ++d, ++next)
        if (*next < 0 || *next > std::numeric_limits<IndexT>::max())
          impossible_size(desc.name, desc.outputs[i].name, d, desc.outputs[i].formulas[d], *next);
    std::copy(solved.extents.begin() + num_of_inputs, solved.extents.end(), extents);
    return status;
  } catch (...) {
    return status_of_exception(PB_ERROR_MEMORY);
  }
}

}  // namespace pbrt
