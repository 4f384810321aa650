// SPDX-License-Identifier: MIT
// Macros of prefix blocks. They are taken away after the blocks, so that generated code may use any name, and given
// back around the bodies that name them. Most bodies name none, because pbc's own preprocessor has replaced what it
// could. A name in the header of a transform or rule that may be a macro of C, such as EOF in `from EOF[n]`, is taken
// away too, because there it means the program's own thing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lang/program.h"

namespace pb {

class NativeMacros {
 public:
  explicit NativeMacros(const Program& program);

  /// Returns the macros that the text of the rule's body needs, and the macros that those use.
  [[nodiscard]] std::set<std::string> used_in(const Transform& transform, const Rule& rule) const;
  /// Returns the lines that take all macros away after the last prefix block.
  [[nodiscard]] std::string take_all() const;
  /// Returns the lines after a body's text, which take the macros away again.
  [[nodiscard]] static std::string take(const std::set<std::string>& names);
  /// Returns the lines before a body's text, which give the macros back.
  [[nodiscard]] static std::string give_back(const std::set<std::string>& names);

 private:
  struct Definition {
    std::set<std::string> words;  ///< words of the macro's text
    bool pastes = false;          ///< the text has `##`, which makes names that no text contains
  };
  /// The macros that a body needs.
  struct Use {
    std::set<std::string> names;
    std::set<std::string> words;  ///< words of the body and of the macros that it needs
    bool pastes = false;
    [[nodiscard]] bool may_paste(const std::string& name) const;
  };
  void add(const std::string& line);
  void add_names(const Transform& transform);
  void add_with_named(const std::string& name, Use& to) const;

  std::map<std::string, Definition> macros_;
  std::set<std::string> of_headers_;  ///< those in `macros_` that are names in headers of transforms and rules
  std::set<std::string> used_;        ///< macros that some body uses
};

}  // namespace pb
