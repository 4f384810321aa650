// SPDX-License-Identifier: MIT
// The cases that a search serves with one configuration: each is a problem of the program, with generated inputs of
// given sizes or with input files. How a command line lists them, and what people call them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pbtune {

struct ProblemCase {
  std::vector<std::pair<std::string, std::int64_t>> sizes;  ///< names and values of fixed size variables
  std::vector<std::string> inputs;                          ///< paths of input files; empty: inputs are generated
  bool operator==(const ProblemCase&) const = default;
};

/// Makes cases from `--size` and `--inputs` in the order in which a command line has them. See Note [Where a case
/// begins].
class CaseReader {
 public:
  /// Reads into `cases`, which must have one case without contents. Keeps the reference.
  explicit CaseReader(std::vector<ProblemCase>& cases) : cases_(cases) {}

  void add_size(const std::string& name, std::int64_t value);
  void add_inputs(std::vector<std::string> paths);

 private:
  std::vector<ProblemCase>& cases_;
  std::set<std::string> own_;  ///< names of the sizes that were given for the last case, and not for the one before
};

/// Whether a case gives a value to each of the size variables, of which there are some.
[[nodiscard]] bool fixes_all_of(const ProblemCase& one, const std::vector<std::string>& variables);

/// What is wrong with the cases together; empty: nothing. `has_n`: the command line says a size for generated inputs.
[[nodiscard]] std::string fault_of_cases(const std::vector<ProblemCase>& cases, bool has_n);

/// `KWIDTH = 3, depth = 7`, `in.npy kernel.npy, depth = 7`: short names that differ. A lone case without sizes and
/// files has an empty one.
[[nodiscard]] std::vector<std::string> case_names(const std::vector<ProblemCase>& cases);

}  // namespace pbtune
