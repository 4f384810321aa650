// SPDX-License-Identifier: MIT
#include "frontend/driver/with_configuration.h"

#include <cstdio>
#include <utility>

#include "choicegraph/passes/fix_choices.h"
#include "clgen/info/fixed_choices.h"
#include "clgen/info/make_training_info.h"
#include "lang/io_error.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/config_file.h"

namespace pb {
namespace {

void print(const char* kind, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::fprintf(stderr, "pbc: %s: %s\n", kind, line.c_str());
}

/// The entry nearest to this machine. Since pbc opens no devices, it takes the first of the entries that differ only in
/// them.
pbrt::ChosenEntry nearest_entry(pbrt::ConfigFile& file) {
  for (pbrt::ConfigEntry& entry : file.entries) entry.machine.devices.clear();
  return pbrt::choose_entry(file, pbrt::detect_machine({}));
}

}  // namespace

Plan with_configuration(const std::string& path, const Program& program, const Plan& plan, const SourceManager& sources,
                        EmitOptions& emit) {
  try {
    const pbrt::TrainingInfo info = make_training_info(program, plan, sources, emit);
    const pbrt::InfoIndex index(info);
    pbrt::ConfigFile file = pbrt::read_config_file(path, index);
    print("warning", file.warnings.lines(path));
    print("note", file.notes);
    const pbrt::ChosenEntry chosen = nearest_entry(file);
    if (!chosen.note.empty()) print("note", {path + ": " + chosen.note});
    if (chosen.entry == nullptr) {
      print("warning", {path + ": it has no entry; nothing is fixed"});
      return plan;
    }
    FixedProgram fixed = fixed_choices(plan, index, chosen.entry->configuration, chosen.entry->named);
    emit.globals = std::move(fixed.globals);
    emit.globals.device = chosen.entry->provenance.device;
    return fix_choices(plan, program, fixed.transforms);
  } catch (const pbrt::RuntimeError& error) {
    throw IoError(error.what());
  }
}

}  // namespace pb
