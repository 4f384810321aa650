// SPDX-License-Identifier: MIT
// The names of a `distinct` rule whose instances become rounds (distinct_rounds.h): what its header knows, its
// variables, and names that nothing else has. Private to this folder.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/token.h"

namespace pb {

class RoundNames {
 public:
  /// Pre: all outlive this object
  RoundNames(const ast::Transform& transform, const ast::Rule& rule, std::span<const Token> body);

  /// The rule's variables in order of appearance, those of outputs first.
  [[nodiscard]] const std::vector<std::string>& variables() const { return vars_; }
  [[nodiscard]] bool is_variable(const std::string& name) const;
  /// Whether the header has the name as that of a matrix, a size, a tunable or a parameter.
  [[nodiscard]] bool is_known(const std::string& name) const { return known_.contains(name); }

  /// Whether an extent of a matrix has the name, and nothing else of the header is called so.
  [[nodiscard]] bool is_size(const std::string& name) const { return sizes_.contains(name); }

  [[nodiscard]] std::set<std::string> variables_in(const Formula& formula) const;
  [[nodiscard]] std::set<std::string> variables_in(const ast::Region& region) const;

  /// The matrix of the header; null if it has none of that name.
  [[nodiscard]] const ast::Matrix* matrix_named(const std::string& name) const;
  [[nodiscard]] const ast::Matrix* matrix_of(const ast::Region& region) const {
    return matrix_named(region.matrix.text);
  }

  /// Returns the name, or a longer one that neither the header nor the body has.
  [[nodiscard]] std::string free_name(std::string name) const;
  /// The name of the whole matrix that a region with variables is a cell of, by the region's name in the source.
  [[nodiscard]] const std::string& whole_name(const std::string& region) const { return wholes_.at(region); }

 private:
  void note_known_names();
  void note_variables(const ast::Region& region);

  const ast::Transform& transform_;
  const ast::Rule& rule_;
  std::span<const Token> body_;
  std::set<std::string> known_, sizes_;
  std::vector<std::string> vars_;
  std::map<std::string, std::string> wholes_;
};

}  // namespace pb
