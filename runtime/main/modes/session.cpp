// SPDX-License-Identifier: MIT
#include "runtime/main/modes/session.h"

#include <string>

#include "runtime/main/machine/native_libraries.h"
#include "runtime/matrix/storage.h"

namespace pbrt {

void Session::open_configuration() {
  found = find_configuration(options, program_name, engine, devices);
  if (!found.file.empty()) trace_output.check_is_not(found.file, "the configuration");
  config = ActiveConfig(engine.index(), found.configuration);
  if (found.configuration.openblas_coretype != "auto") use_core_type(found.configuration.openblas_coretype);
  if (config.openblas_threads() > 1) use_library_threads(config.openblas_threads());
  apply_options(config);
  Storage::ask_for_large_pages(config.large_pages());
  if (options.device || engine.uses_device(found.configuration))
    used_devices = devices.open(devices.choose(options.device, found.device));
}

void Session::apply_options(ActiveConfig& to) const {
  if (options.threads > 0) to.set_threads(options.threads);
  if (options.large_pages) to.set_large_pages(*options.large_pages);
}

RunWishes Session::wishes() const {
  RunWishes wishes;
  wishes.config = &config;
  wishes.devices = used_devices;
  wishes.seed = seed;
  wishes.is_strict = options.is_strict;
  wishes.is_resident = options.is_resident;
  return wishes;
}

SizeWishes Session::size_wishes() const {
  SizeWishes wishes{options.n, options.sizes};
  given.add_to(wishes);
  return wishes;
}

std::string usage_line(const char* program_name, const TransformDesc& transform, const GivenValues& given) {
  std::string line = std::string("usage: ") + program_name + " [options]";
  for (int p = 0; p < transform.num_params; ++p)
    if (!given.has_param(p)) line += std::string(" ") + transform.size_vars[transform.params[p]];
  for (int i = 0; i < transform.num_inputs; ++i)
    if (!given.has_input(i)) line += " " + header_of(transform.inputs[i]);
  for (int i = 0; i < transform.num_outputs; ++i) line += " " + header_of(transform.outputs[i]);
  return line;
}

}  // namespace pbrt
