// SPDX-License-Identifier: MIT
// Prints the branches and loops of a pack's body that instances go through in different ways. Each has a mask, a
// variable `pb_maskN`, of the instances that take part; assignments inside change only these. `break` and `continue`
// take instances out of masks. Used by packs.cpp.
#pragma once

#include <string>
#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/lower/tree/pack_facts.h"
#include "lang/program.h"

namespace pb {

class MaskPrinter {
 public:
  MaskPrinter(const Rule& rule, const PackFacts& facts) : body_(rule.body), facts_(facts) {}

  /// Prints a statement that has a mask, or is inside of one that has; else returns false.
  bool print(Writer& out, BodyCodePrinter& printer, StmtId id);

 private:
  void print_branch(Writer& out, BodyCodePrinter& printer, const IfStmt& branch);
  void print_for(Writer& out, BodyCodePrinter& printer, const ForStmt& loop);
  void print_do(Writer& out, BodyCodePrinter& printer, const DoStmt& loop);
  void print_rounds(Writer& out, BodyCodePrinter& printer, ExprId condition, StmtId body, ExprId step);
  void print_round(Writer& out, BodyCodePrinter& printer, StmtId body, ExprId step);
  void print_jump(Writer& out, std::size_t first) const;
  void print_change(Writer& out, BodyCodePrinter& printer, ExprId id) const;
  /// Opens a mask around what is printed until `masks_` loses it; returns its name.
  std::string add_mask() { return masks_.emplace_back("pb_mask" + std::to_string(num_masks_++)); }
  /// The mask of the instances that take part now, and for which a condition holds; none: a condition that always does.
  [[nodiscard]] std::string where(BodyCodePrinter& printer, ExprId condition) const;

  const Body& body_;
  const PackFacts& facts_;
  std::vector<std::string> masks_;  ///< those around the place, the innermost last
  std::size_t of_loop_ = 0;         ///< index of the mask of the innermost loop, of instances that have not ended
  std::size_t of_round_ = 0;        ///< index of the mask of its round, without those that went on to the next
  int num_masks_ = 0;
};

}  // namespace pb
