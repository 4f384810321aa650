// SPDX-License-Identifier: MIT
// Macros of prefix blocks: they are taken away behind the blocks, so that generated code may use any name, and given
// back to the bodies that name them. Most bodies name none: the preprocessor has replaced what it could. The same
// happens to names of headers of the program that may be macros of C, as in `from EOF[n]`: there they are the
// program's.
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

  /// Those that the text of the rule's body needs, with the macros that these name.
  [[nodiscard]] std::set<std::string> used_in(const Transform& transform, const Rule& rule) const;
  /// Lines behind the last prefix block.
  [[nodiscard]] std::string take_all() const;
  /// Lines behind and before a body's text.
  [[nodiscard]] static std::string take(const std::set<std::string>& names);
  [[nodiscard]] static std::string give_back(const std::set<std::string>& names);

 private:
  struct Definition {
    std::set<std::string> words;  ///< of its text
    bool pastes = false;          ///< `##` makes names that stand nowhere
  };
  /// What a body needs.
  struct Use {
    std::set<std::string> names;
    std::set<std::string> words;  ///< of the body and of the macros it needs
    bool pastes = false;
    [[nodiscard]] bool may_paste(const std::string& name) const;
  };
  void add(const std::string& line);
  void add_names(const Transform& transform);
  void add_with_named(const std::string& name, Use& to) const;

  std::map<std::string, Definition> macros_;
  std::set<std::string> of_headers_;  ///< names of the program among them
  std::set<std::string> used_;        ///< by any body
};

}  // namespace pb
