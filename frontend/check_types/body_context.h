// SPDX-License-Identifier: MIT
// The state that the parts of check_types share about the body that is being checked. Private to this folder.
#pragma once

#include <set>
#include <string>

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb::checking {

struct BodyContext {
  BodyContext(const Program& of_program, const std::set<std::string>& natives, const Transform& of_transform,
              const Rule& of_rule, Diagnostics& messages)
      : program(of_program), native_functions(natives), transform(of_transform), rule(of_rule), diags(messages) {
    found.types.assign(body().exprs.size(), {});
    found.bindings.assign(body().exprs.size(), {});
  }

  [[nodiscard]] const Body& body() const { return rule.body; }
  /// Pre: the expression was checked
  [[nodiscard]] const BodyType& type_of(ExprId id) const { return found.types[id.index()]; }
  /// Pre: the expression was checked
  [[nodiscard]] const NameBinding& binding_of(ExprId id) const { return found.bindings[id.index()]; }

  const Program& program;
  const std::set<std::string>& native_functions;  ///< functions that the program's prefix blocks declare
  const Transform& transform;
  const Rule& rule;
  Diagnostics& diags;
  BodyTypes found;  ///< the types of the expressions checked so far
};

}  // namespace pb::checking
