// SPDX-License-Identifier: MIT
// One invocation of a compiled program: its options, engine, configuration and devices, shared by
// the modes. Those that a person runs are in modes.h; --serve is for the tuner (serve/serve.h).
#pragma once

#include "runtime/config/active_config.h"
#include "runtime/main/command_line/config_lookup.h"
#include "runtime/main/command_line/options.h"
#include "runtime/main/engine/engine.h"
#include "runtime/main/inputs/given_values.h"
#include "runtime/main/machine/devices.h"
#include "runtime/main/report/trace_output.h"

namespace pbrt {

struct Session {
  const Options& options;
  const char* program_name;  ///< argv[0]
  Engine& engine;
  Devices& devices;
  const TransformDesc& transform;
  TraceOutput& trace_output;
  std::uint64_t seed = 0;
  GivenValues given;  ///< values of --set
  // open_configuration sets the fields below.
  FoundConfiguration found;
  ActiveConfig config;
  gpu::ManagerSet used_devices;

  /// Finds the configuration, applies the options that override it, sets the kind of memory, and opens the devices if
  /// something needs one.
  void open_configuration();
  /// Applies the options that override a configuration.
  void apply_options(ActiveConfig& to) const;
  [[nodiscard]] RunWishes wishes() const;
  /// The sizes that --n, --size and --set ask for.
  [[nodiscard]] SizeWishes size_wishes() const;
};

/// The line `prog [options] [N] In[w, h] … Out[…]`, without the arguments that are given in another way.
[[nodiscard]] std::string usage_line(const char* program_name, const TransformDesc& transform,
                                     const GivenValues& given = {});

}  // namespace pbrt
