// SPDX-License-Identifier: MIT
// Names visible in a body (docs/reference/language.md 5.10): those of its rule and its transform, and the scopes of its
// locals. Private to check_types.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/program.h"

namespace pb::checking {

/// The meaning of a name at the place where it is used.
struct NamedThing {
  NameBinding binding;
  BodyType type;
};

class Scopes {
 public:
  /// The names that a rule gives to its body; an inner name hides an outer one.
  Scopes(const Program& program, const Transform& transform, const Rule& rule);

  void push() { scopes_.emplace_back(); }
  /// Pre: follows a push
  void pop() { scopes_.pop_back(); }
  /// Declares a local in the innermost scope. `local` is the number of its declarator.
  void declare_local(const std::string& name, const BodyType& type, std::uint32_t local);
  /// Gives a local of the innermost scope the type of its initial value.
  ///
  /// Pre: it was declared there
  void retype_local(const std::string& name, const BodyType& type);
  [[nodiscard]] std::optional<NamedThing> find(const std::string& name) const;

 private:
  void declare_constants(const Transform& transform, const Rule& rule);
  void declare_matrices(const Program& program, const Transform& transform, const Rule& rule);
  void declare_region(const Program& program, const Matrix& matrix, const RegionAccess& access, NameKind kind,
                      std::size_t index);

  std::vector<std::map<std::string, NamedThing>> scopes_;
};

}  // namespace pb::checking
