// SPDX-License-Identifier: MIT
#include "autotuner/measure/program_options.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runtime/config/errors.h"
#include "runtime/config/formats/info_json.h"
#include "runtime/config/nearest_word.h"

namespace pbtune {
namespace {

[[noreturn]] void fail_unknown(const std::string& option, const std::string& name, const std::string& what,
                               const std::string& transform, const std::vector<std::string>& known) {
  std::string words = option + " " + name + ": there is no such " + what + "; " + transform + " has ";
  for (std::size_t i = 0; i < known.size(); ++i) words += (i == 0 ? "" : ", ") + known[i];
  if (known.empty()) words += "none";
  if (const std::string nearest = pbrt::nearest_word(name, known); !nearest.empty())
    words += "; did you mean " + nearest + "?";
  throw pbrt::UserError(words);
}

}  // namespace

std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

std::vector<std::string> device_arguments(const ProgramOptions& options) {
  std::vector<std::string> out;
  const std::pair<const char*, const std::string*> all[] = {{"--device", &options.device},
                                                            {"--device-memory", &options.device_memory},
                                                            {"--device-limit", &options.device_limit}};
  for (const auto& [name, value] : all) {
    if (value->empty()) continue;
    out.emplace_back(name);
    out.push_back(*value);
  }
  return out;
}

MeasureOptions measure_options(const ProgramOptions& options, bool is_resident, std::size_t case_id) {
  MeasureOptions out;
  out.command = {options.program};
  for (std::string& word : device_arguments(options)) out.command.push_back(std::move(word));
  out.sizes = options.cases[case_id].sizes;
  out.given = options.given;
  for (const std::string& path : options.cases[case_id].inputs) out.files.push_back(absolute(path));
  out.seed = options.seed;
  out.is_resident = is_resident;
  out.tolerance = options.tolerance;
  return out;
}

void check_names(const ProgramOptions& options, const pbrt::TrainingInfo& info) {
  const auto main = std::find_if(info.transforms.begin(), info.transforms.end(),
                                 [&](const pbrt::TransformInfo& transform) { return transform.name == info.main; });
  if (main == info.transforms.end()) return;
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const ProblemCase& one : options.cases)
    for (const auto& [name, value] : one.sizes)  // a param is a size, too
      if (!has(main->sizes, name) && !has(main->numbers, name))
        fail_unknown("--size", name, "size variable", main->name, main->sizes);
  for (const auto& [name, value] : options.given)
    if (!has(main->numbers, name))
      fail_unknown("--set", name, "`param` or input that is one number", main->name, main->numbers);
}

pbrt::TrainingInfo info_of(const std::string& program) {
  const std::string path = program + ".info";
  const auto ends_with = [&](const std::string& ending) {
    return program.size() > ending.size() && program.ends_with(ending);
  };
  if (ends_with(".pbcc"))
    throw pbrt::UserError("`" + program + "` is a source: compile it (pbc " + program +
                          ") and name the program that comes of it");
  for (const std::string ending : {".info", ".cfg"})
    if (ends_with(ending) && std::filesystem::exists(program.substr(0, program.size() - ending.size())))
      throw pbrt::UserError("`" + program + "` is no program; did you mean `" +
                            program.substr(0, program.size() - ending.size()) + "`?");
  if (!std::filesystem::exists(program)) throw pbrt::IoError("cannot run `" + program + "`: No such file or directory");
  if (!std::filesystem::exists(path))
    throw pbrt::IoError("`" + path + "` is missing: pbc writes it beside the program; compile it again");
  return pbrt::read_training_info(path);
}

}  // namespace pbtune
