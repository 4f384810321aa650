// SPDX-License-Identifier: MIT
#include "frontend/driver/call_files.h"

#include <cstdint>
#include <string_view>

#include "clgen/cpp/emit_cpp.h"
#include "clgen/cpp/library_code.h"
#include "frontend/driver/output_names.h"
#include "runtime/config/command_files.h"

namespace pb {
namespace {

bool is_object_code(std::string_view head) { return head.starts_with("\177ELF") || head.starts_with("!<arch>\n"); }

/// Training information is an object of JSON that begins with its format.
bool is_training_info(std::string_view head) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (!head.starts_with('{')) return false;
  const std::size_t first = head.find_first_not_of(kBlanks, 1);
  return first != std::string_view::npos && head.substr(first).starts_with("\"format\"");
}

bool is_generated_cpp(std::string_view head) { return head.starts_with(kGeneratedBegin); }

bool is_library_header(std::string_view head) { return head.starts_with(kLibraryHeaderBegin); }

/// Depfiles have each name on a line of its own.
bool is_depfile(std::string_view head) { return head.substr(0, head.find('\n')).ends_with(": \\"); }

}  // namespace

std::vector<std::string> CallFiles::inputs() const {
  std::vector<std::string> out = sources;
  if (!config.empty()) out.push_back(config);
  return out;
}

CallFiles files_of_call(const Options& options, const SourceManager& sources) {
  CallFiles out;
  for (std::size_t i = 0; i < sources.num_files(); ++i)
    out.sources.emplace_back(sources.name(FileId{static_cast<std::uint32_t>(i)}));
  out.config = options.config;
  if (options.emit != Emit::Binary) {
    if (options.output != "-") out.text = options.output;
    return out;
  }
  if (options.check_only || options.explain || options.precompile) return out;
  out.is_library = options.is_library;
  out.target = options.is_library ? library_path(options) : binary_path(options);
  out.beside = options.is_library ? header_path(out.target) : out.target + ".info";
  if (options.keep) out.generated = out.target + ".cpp";
  out.depfile = options.depfile;
  return out;
}

void check_files(const CallFiles& files) {
  pbrt::CommandFiles all;
  for (const std::string& source : files.sources) all.inputs.push_back({"a source of the program", source});
  if (!files.config.empty()) all.inputs.push_back({"the configuration that it was to be made with", files.config});
  const auto add = [&](const char* what, const std::string& path, bool (*is_own)(std::string_view)) {
    if (!path.empty()) all.outputs.push_back({what, path, is_own});
  };
  add("the output", files.target, is_object_code);
  if (files.is_library)
    add("the header of the library", files.beside, is_library_header);
  else
    add("the training information", files.beside, is_training_info);
  add("the generated C++", files.generated, is_generated_cpp);
  add("the dependency file", files.depfile, is_depfile);
  add("the output", files.text, nullptr);
  pbrt::check_outputs(all, "pbc");
}

}  // namespace pb
