// SPDX-License-Identifier: MIT
// The transforms of a program by name, and what headers name among them: generators, metrics,
// verifiers, input features. Private to this folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb::resolving {

/// Transforms of the program by name; forward declarations apart.
struct Declarations {
  std::vector<const ast::Transform*> full;
  std::map<std::string, const ast::Transform*> by_name;
  std::map<std::string, TransformId> ids;  ///< transforms that could be resolved; for a template its instance 0
};

[[nodiscard]] std::vector<std::string> names_of(const Declarations& declarations);

/// Binds the transforms that headers name; checks that their matrices fit.
void bind_references(Program& program, const Declarations& declarations, Diagnostics& diags);

/// Reports names of the transform that are keywords of C++.
void check_names(const ast::Transform& transform, Diagnostics& diags);

}  // namespace pb::resolving
