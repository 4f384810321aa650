// SPDX-License-Identifier: MIT
// Reads one line of the Plan's text form word by word. It knows expressions and ranges, but no program; plan_parse.cpp
// knows what names mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "choicegraph/plan/plan.h"

namespace pb {

/// The rest of a line that is read word by word.
class PlanLine {
 public:
  explicit PlanLine(std::string_view text) : rest_(text) { skip(); }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  /// Skips the next word if it is `word`, and says whether it was.
  bool accept(std::string_view word);
  /// The next word, up to a blank.
  std::string_view next();
  /// Skips `name`, which may hold blanks, if it comes next, and says whether it did.
  bool accept_name(std::string_view name);
  /// The next word without the colon at its end; empty if it has none.
  std::string_view next_label();
  std::optional<std::size_t> next_number() { return number(next()); }
  [[nodiscard]] static std::optional<std::size_t> number(std::string_view text);
  [[nodiscard]] static std::optional<double> real(std::string_view text);
  /// Reads `open a, b close`: expressions between two brackets; empty if there is none here.
  std::optional<std::vector<IndexExpr>> next_list(char open, char close);
  /// Reads `[a, b)`.
  std::optional<IndexRange> next_range();
  /// Reads the expression up to ` >= 0`.
  std::optional<IndexExpr> next_guard();

 private:
  std::vector<IndexExpr> finish(std::size_t end, std::vector<IndexExpr> items);
  void skip();
  std::string_view rest_;
};

// Phrases of several words. Each returns false if what comes next is no such phrase.

/// Appends the ranges of `[a, b) x [c, d)`; none if no bracket comes next.
[[nodiscard]] bool read_box(PlanLine& line, std::vector<IndexRange>& box);
/// Appends the expressions of `a >= 0 and b >= 0`.
[[nodiscard]] bool read_conjunction(PlanLine& line, std::vector<IndexExpr>& items);
/// Appends the conditions after `where`; none if that word does not come next.
[[nodiscard]] bool read_where(PlanLine& line, std::vector<IndexExpr>& conditions);
/// Appends the guards after `if`, which end the line; none if the line ends here.
[[nodiscard]] bool read_condition(PlanLine& line, std::vector<IndexExpr>& guards);
/// Reads `word (a, b)` into `bounds`, which stays as it is if `word` does not come next.
[[nodiscard]] bool read_bounds(PlanLine& line, std::string_view word, std::vector<IndexExpr>& bounds);

}  // namespace pb
