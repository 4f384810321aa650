// SPDX-License-Identifier: MIT
#include "runtime/embed/context.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/config/formats/config_file.h"
#include "runtime/embed/blocked_signals.h"
#include "runtime/embed/call_status.h"
#include "runtime/embed/context_functions.h"
#include "runtime/main/command_line/config_lookup.h"
#include "runtime/sched/worker.h"

namespace pbrt {

namespace {

constexpr pb_options kDefaultOptions{};

pb_status forked_status() {
  return make_status(PB_ERROR_FORKED,
                     "this process was forked from one that had made a context: it may only destroy contexts");
}

/// The configuration that the options name, else the program's default.
///
/// Errors:  ConfigError, IoError; UserError if the options name two
MachineConfiguration configuration_of(const pb_options& options, const Engine& engine, Devices& devices) {
  if (options.configuration_file == nullptr && options.configuration_text == nullptr)
    return {default_configuration(engine.index()), engine.index().info().device, {}, {}};
  if (options.configuration_file != nullptr && options.configuration_text != nullptr)
    throw UserError("the options name a configuration file and a configuration text");
  const std::string name = options.configuration_file != nullptr ? options.configuration_file : "configuration text";
  const ConfigFile file = options.configuration_file != nullptr
                              ? read_config_file(name, engine.index())
                              : parse_config_file(options.configuration_text, name, engine.index());
  // A program warns and goes on. A library has nobody to warn.
  if (const std::vector<std::string> lines = file.warnings.lines(name); !lines.empty())
    throw ConfigError("a library ignores nothing of a configuration: " + lines.front());
  MachineConfiguration chosen = configuration_for_this_machine(file, engine, devices);
  refuse_differences(chosen.differences);
  return chosen;
}

void check_options(const pb_options& options) {
  for (std::size_t i = 0; i < options.num_devices; ++i)
    if (options.devices == nullptr || options.devices[i] == nullptr) throw UserError("the name of the device is null");
  if (!(options.device_limit >= 0))
    throw UserError("the limit of devices is " + std::to_string(options.device_limit) +
                    ", which is no number of seconds");
  if (options.threads < 0 || options.threads > kMaxThreads)
    throw UserError("the number of threads is " + std::to_string(options.threads) + ", which is not one from 0 to " +
                    std::to_string(kMaxThreads));
}

/// Indices of the devices that the options want, else of the one that the configuration was tuned on.
///
/// Errors:  DeviceError
std::vector<int> chosen_devices(const pb_options& options, const std::string& tuned_on, Devices& devices) {
  std::optional<std::string> wish;
  for (std::size_t i = 0; i < options.num_devices; ++i) wish = (i == 0 ? "" : *wish + ",") + options.devices[i];
  try {
    return devices.choose(wish, tuned_on);
  } catch (const UserError& error) {
    throw DeviceError(std::string("device of the context: ") + error.what());
  }
}

/// Opens the devices that the options or the configuration ask for, if they do.
///
/// Pre:     the lock of `shared` is held
/// Errors:  DeviceError
void open_devices(LibraryContext& context, const pb_options& options, const Configuration& configuration,
                  const std::string& tuned_on, std::shared_ptr<SharedDevices> shared) {
  if (options.num_devices == 0 && !context.engine.uses_device(configuration)) return;
  const std::vector<int> chosen = chosen_devices(options, tuned_on, shared->devices);
  if (chosen.empty()) return;
  shared->settle({options.device_memory, limit_of_seconds(options.device_limit), options.verifies_device != 0});
  (void)shared->devices.list();  // what is settled may be new
  std::vector<gpu::Manager*> managers;
  for (const int index : chosen) managers.push_back(&shared->devices.manager(index));
  context.managers = gpu::ManagerSet(std::move(managers));
  context.devices = std::move(shared);
}

std::unique_ptr<LibraryContext> make_context(Library& library, const pb_options& options) {
  check_options(options);
  watch_forks();
  const BlockedSignals none_for_new_threads;
  auto context = std::make_unique<LibraryContext>(library);
  context->seed = options.seed;
  context->is_strict = options.is_strict != 0;
  const std::shared_ptr<SharedDevices> shared = SharedRuntime::get().devices();
  {
    const std::lock_guard<std::mutex> guard(shared->lock);
    const MachineConfiguration found = configuration_of(options, context->engine, shared->devices);
    context->config = ActiveConfig(context->engine.index(), found.configuration);
    open_devices(*context, options, found.configuration, found.device, shared);
  }
  if (options.threads > 0) context->config.set_threads(options.threads);
  context->workers = SharedRuntime::get().workers(context->config.threads());
  return context;
}

}  // namespace

pb_status create_context(const pb_library* library, const pb_options* options, pb_context** context) noexcept {
  if (is_forked()) return forked_status();
  try {
    // The tables are the library's own, which is not constant: its engine is made with its first context.
    auto& owner = const_cast<Library&>(static_cast<const Library&>(*library));
    *context = make_context(owner, options == nullptr ? kDefaultOptions : *options).release();
    return make_status(PB_OK, "");
  } catch (const IoError& error) {
    return make_status(PB_ERROR_CONFIGURATION, error.what());
  } catch (...) {
    return status_of_exception(PB_ERROR_MEMORY);
  }
}

void destroy_context(pb_context* context) noexcept {
  // In the child of a fork the threads of the context do not exist, so nothing can end them.
  if (!is_forked()) delete static_cast<LibraryContext*>(context);
}

pb_status check_context(const pb_context* context) noexcept {
  if (is_forked()) return forked_status();
  if (context == nullptr) return make_status(PB_ERROR_ARGUMENT, "the context is null");
  return make_status(PB_OK, "");
}

pb_status check_caller(const pb_context* context) noexcept {
  pb_status status = check_context(context);
  if (status.code == PB_OK && Worker::of_thread() != nullptr)
    return make_status(PB_ERROR_RUN,
                       "a body called a function of a library; its workers are those of the call in progress");
  return status;
}

pb_status cancel_context(pb_context* context) noexcept {
  pb_status status = check_context(context);
  if (status.code != PB_OK) return status;
  LibraryContext& cancelled = *static_cast<LibraryContext*>(context);
  const std::lock_guard<std::mutex> guard(cancelled.lock);
  for (CallInProgress* call : cancelled.calls) {
    call->is_cancelled = true;
    call->state.aborted.store(true, std::memory_order_relaxed);
  }
  if (cancelled.devices != nullptr) cancelled.devices->turn.look_again();
  if (Turn* const turn = cancelled.workers->turn()) turn->look_again();
  return status;
}

}  // namespace pbrt
