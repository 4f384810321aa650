// SPDX-License-Identifier: MIT
#include "autotuner/measure/problem_case.h"

#include <algorithm>
#include <filesystem>

namespace pbtune {
namespace {

std::string name_of(const ProblemCase& one, bool has_folders) {
  std::string out;
  for (const std::string& path : one.inputs)
    out += (out.empty() ? "" : " ") + (has_folders ? path : std::filesystem::path(path).filename().string());
  for (const auto& [name, size] : one.sizes) out += (out.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  return out;
}

bool has_twins(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

std::set<std::string> size_names(const ProblemCase& one) {
  std::set<std::string> out;
  for (const auto& size : one.sizes) out.insert(size.first);
  return out;
}

}  // namespace

void CaseReader::add_size(const std::string& name, std::int64_t value) {
  if (own_.contains(name)) {
    cases_.push_back(cases_.back());
    own_.clear();
  }
  own_.insert(name);
  auto& sizes = cases_.back().sizes;
  const auto known = std::find_if(sizes.begin(), sizes.end(), [&](const auto& size) { return size.first == name; });
  if (known == sizes.end())
    sizes.emplace_back(name, value);
  else
    known->second = value;
}

void CaseReader::add_inputs(std::vector<std::string> paths) {
  if (cases_.back() != ProblemCase()) cases_.emplace_back();
  own_.clear();
  cases_.back().inputs = std::move(paths);
}

bool fixes_all_of(const ProblemCase& one, const std::vector<std::string>& variables) {
  const std::set<std::string> fixed = size_names(one);
  return !variables.empty() &&
         std::all_of(variables.begin(), variables.end(), [&](const std::string& name) { return fixed.contains(name); });
}

std::vector<std::string> case_names(const std::vector<ProblemCase>& cases) {
  std::vector<std::string> out;
  for (const bool has_folders : {false, true}) {
    out.clear();
    for (const ProblemCase& one : cases) out.push_back(name_of(one, has_folders));
    if (!has_twins(out)) break;
  }
  return out;
}

std::string fault_of_cases(const std::vector<ProblemCase>& cases, bool has_n) {
  const std::vector<std::string> names = case_names(cases);
  const ProblemCase* generated = nullptr;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    if (std::find(cases.begin(), cases.begin() + static_cast<std::ptrdiff_t>(k), cases[k]) !=
        cases.begin() + static_cast<std::ptrdiff_t>(k))
      return "the case `" + names[k] + "` is given twice";
    if (!cases[k].inputs.empty()) continue;
    if (!has_n)
      return cases.size() == 1 ? "expected the size to tune for (--n N), or --inputs FILES"
                               : "expected the size to tune for (--n N): the inputs of the case `" + names[k] +
                                     "` are generated; sizes that belong to files stand behind their --inputs";
    if (generated != nullptr && size_names(*generated) != size_names(cases[k]))
      return "the case `" + name_of(*generated, true) + "` fixes other sizes than the case `" + names[k] +
             "`; what all cases have in common stands before them";
    generated = &cases[k];
  }
  return {};
}

}  // namespace pbtune

// Note [Where a case begins]
// `--inputs` begins a case of its own, and the sizes behind it belong to its files. A size that the last case has
// already been given begins a copy of that case with another value. So `--size depth=7 --size K=3 --size K=11` are two
// cases with depth 7, and `--size K=3 --inputs a.npy k.npy` are two cases: one with generated inputs, one with files.
