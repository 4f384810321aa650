// SPDX-License-Identifier: MIT
// Macros and their replacement, as in C. Each token carries the set of macros from whose expansion it came, and is not
// replaced by those again.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostics.h"
#include "lang/token.h"

namespace pb {

struct Macro {
  std::string name;
  bool is_function = false;
  bool is_native = false;  ///< it belongs to a prefix block, and so to the C++ compiler
  std::vector<std::string> params;
  std::vector<Token> body;
  Span span;                ///< the name in its `#define`
  std::uint32_t index = 0;  ///< index in the table
};

class MacroTable {
 public:
  /// Adds or replaces a macro; returns the one that it replaces, if its text differs.
  const Macro* define(Macro macro);
  void undef(const std::string& name) { by_name_.erase(name); }
  /// Leaves the macro, and those of prefix blocks that use it, to the C++ compiler.
  void leave_to_cxx(const std::string& name);
  /// Whether only the C++ compiler expands what is called so.
  [[nodiscard]] bool is_left_to_cxx(const std::string& name) const { return cxx_only_.contains(name); }
  [[nodiscard]] const Macro* find(const std::string& name) const;
  /// True if the name was ever defined here, whether it still is or not.
  [[nodiscard]] bool was_ever_defined(const std::string& name) const { return seen_.contains(name); }

 private:
  std::deque<Macro> macros_;  // never removed: an expansion may still point here after `#undef`
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::set<std::string, std::less<>> seen_;
  std::set<std::string, std::less<>> cxx_only_;
};

class MacroExpander {
 public:
  using Feed = std::function<std::optional<Token>()>;

  /// Expands macros. `feed` yields the tokens of the program before replacement.
  MacroExpander(const MacroTable& table, Diagnostics& diags, Feed feed)
      : table_(table), diags_(diags), feed_(std::move(feed)) {}

  /// The next token after replacement; none at the end.
  [[nodiscard]] std::optional<Token> next();
  /// Replaces macros in a closed list of tokens (the expression of an `#if`).
  [[nodiscard]] std::vector<Token> expand(const std::vector<Token>& tokens);

 private:
  using HideSet = std::uint32_t;  // index into hide_sets_
  struct Item {
    Token token;
    HideSet hide = 0;
  };
  struct Input {
    std::deque<Item> pending;
    bool may_feed = false;
    std::string carry;  // white space before macros that vanished
  };
  using Argument = std::vector<Item>;
  /// A part of a macro's text: a token, a parameter, or `#` with a parameter.
  struct Part {
    const Token* first = nullptr;
    const Argument* arg = nullptr;  ///< of the parameter; null: a token
    bool is_literal = false;        ///< the argument's text as a literal
    std::size_t length = 1;         ///< tokens of the macro's text
  };

  [[nodiscard]] std::optional<Item> pop(Input& input);
  [[nodiscard]] std::optional<Item> step(Input& input);
  [[nodiscard]] bool is_called(Input& input, const Item& name, const Macro& macro);
  bool expand_call(Input& input, const Item& name, const Macro& macro);
  [[nodiscard]] std::optional<std::vector<Argument>> collect_arguments(Input& input, const Item& name,
                                                                       const Macro& macro, HideSet& close_hide);
  void replace(Input& input, const Item& name, const Macro& macro, const std::vector<Argument>& args, HideSet hide);
  [[nodiscard]] static Part part_at(const Macro& macro, std::size_t at, const std::vector<Argument>& args);
  /// What stands for a part: arguments as they are written, or after replacement.
  [[nodiscard]] std::vector<Item> items_of(const Part& part, const Item& name, const Macro& macro, HideSet hide,
                                           bool is_replaced);
  /// Adds the items of a part behind `##`.
  void paste(std::vector<Item>& left, std::vector<Item> right, const Item& name, const Macro& macro);
  [[nodiscard]] std::vector<Item> expand_items(std::vector<Item> items);
  [[nodiscard]] bool is_hidden(HideSet set, const Macro& macro) const;
  [[nodiscard]] HideSet intern(std::vector<std::uint32_t> set);
  [[nodiscard]] HideSet with(HideSet set, const Macro& macro);
  [[nodiscard]] HideSet unite(HideSet a, HideSet b);
  [[nodiscard]] HideSet intersect(HideSet a, HideSet b);
  void report_depth(const Token& token);
  [[nodiscard]] bool spend(const Item& name, const Macro& macro, std::size_t num_tokens);

  const MacroTable& table_;
  Diagnostics& diags_;
  Feed feed_;
  Input main_{{}, true, {}};
  std::vector<std::vector<std::uint32_t>> hide_sets_{{}};
  std::map<std::vector<std::uint32_t>, HideSet> hide_ids_{{{}, 0}};
  std::set<std::uint32_t> not_called_;  // macros for which a message said that a blank before `(` prevents a call
  std::size_t num_spent_ = 0;           // tokens made since the feed last gave a token to `main_`
  bool is_exhausted_ = false;
  int depth_ = 0;
};

}  // namespace pb
