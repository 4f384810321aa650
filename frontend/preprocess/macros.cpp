// SPDX-License-Identifier: MIT
#include "frontend/preprocess/macros.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "frontend/preprocess/token_pasting.h"

namespace pb {
namespace {

constexpr std::size_t kMaxExpansion = 1'000'000;
constexpr int kMaxArgumentDepth = 200;
// So many letters that `#` and `##` make count as one token of an expansion.
constexpr std::size_t kLettersOfToken = 16;

bool same_text(const Macro& a, const Macro& b) {
  return a.is_function == b.is_function && a.params == b.params &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
                    [](const Token& s, const Token& t) { return s.text == t.text; });
}

bool is(const Token& token, std::string_view text) { return token.kind == TokenKind::Punctuator && token.text == text; }

}  // namespace

void MacroTable::leave_to_cxx(const std::string& name) {
  cxx_only_.insert(name);
  by_name_.erase(name);
  std::vector<std::string> users;
  for (const auto& [other, index] : by_name_) {
    const Macro& macro = macros_[index];
    const auto is_use = [&](const Token& token) { return token.kind == TokenKind::Name && token.text == name; };
    if (macro.is_native && std::any_of(macro.body.begin(), macro.body.end(), is_use)) users.push_back(other);
  }
  for (const std::string& user : users) leave_to_cxx(user);
}

const Macro* MacroTable::define(Macro macro) {
  macro.index = static_cast<std::uint32_t>(macros_.size());
  const Macro* old = find(macro.name);
  if (old != nullptr && same_text(*old, macro)) old = nullptr;
  seen_.insert(macro.name);
  cxx_only_.erase(macro.name);
  by_name_[macro.name] = macro.index;
  macros_.push_back(std::move(macro));
  return old;
}

const Macro* MacroTable::find(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &macros_[it->second];
}

std::optional<Token> MacroExpander::next() {
  auto item = step(main_);
  if (!item) return std::nullopt;
  return std::move(item->token);
}

std::vector<Token> MacroExpander::expand(const std::vector<Token>& tokens) {
  std::vector<Item> items;
  for (const Token& token : tokens) items.push_back({token, 0});
  std::vector<Token> out;
  for (Item& item : expand_items(std::move(items))) out.push_back(std::move(item.token));
  return out;
}

std::optional<MacroExpander::Item> MacroExpander::pop(Input& input) {
  if (is_exhausted_) {
    input.pending.clear();
    if (!input.may_feed) return std::nullopt;
    is_exhausted_ = false;
  }
  if (!input.pending.empty()) {
    Item item = std::move(input.pending.front());
    input.pending.pop_front();
    return item;
  }
  if (!input.may_feed) return std::nullopt;
  num_spent_ = 0;
  auto token = feed_();
  if (!token) return std::nullopt;
  return Item{std::move(*token), 0};
}

std::optional<MacroExpander::Item> MacroExpander::step(Input& input) {
  while (auto item = pop(input)) {
    const Macro* macro = item->token.kind == TokenKind::Name ? table_.find(item->token.text) : nullptr;
    if (macro != nullptr && !is_hidden(item->hide, *macro)) {
      if (!macro->is_function) {
        replace(input, *item, *macro, {}, with(item->hide, *macro));
        continue;
      }
      if (is_called(input, *item, *macro)) {
        expand_call(input, *item, *macro);
        continue;
      }
    }
    item->token.leading.insert(0, std::exchange(input.carry, {}));
    return item;
  }
  return std::nullopt;
}

/// True if `(` follows directly; for a macro of C++ also after blanks.
bool MacroExpander::is_called(Input& input, const Item& name, const Macro& macro) {
  if (input.pending.empty()) {
    auto item = pop(input);
    if (!item) return false;
    input.pending.push_front(std::move(*item));
  }
  const Token& token = input.pending.front().token;
  if (!is(token, "(")) return false;
  if (token.leading.empty() || macro.is_native) return true;
  if (!not_called_.insert(macro.index).second) return false;
  diags_.emit(DiagKind::MacroNotCalled, name.token.expansion)
      .arg(macro.name)
      .label(macro.span, "defined here")
      .hint("write `" + macro.name + "(` to use the macro");
  return false;
}

bool MacroExpander::expand_call(Input& input, const Item& name, const Macro& macro) {
  HideSet close_hide = 0;
  const auto args = collect_arguments(input, name, macro, close_hide);
  if (!args) return false;
  if (args->size() != macro.params.size()) {
    diags_.emit(DiagKind::MacroArgumentCount, name.token.expansion)
        .arg(macro.name)
        .arg(macro.params.size())
        .arg(macro.params.size() == 1 ? "" : "s")
        .arg(args->size())
        .label(macro.span, "defined here");
    return false;
  }
  replace(input, name, macro, *args, with(intersect(name.hide, close_hide), macro));
  return true;
}

std::optional<std::vector<MacroExpander::Argument>> MacroExpander::collect_arguments(Input& input, const Item& name,
                                                                                     const Macro& macro,
                                                                                     HideSet& close_hide) {
  std::vector<Argument> args(1);
  int depth = 0;
  while (auto item = pop(input)) {
    const Token& token = item->token;
    if (is(token, "(") && ++depth == 1) continue;
    if (depth > kMaxArgumentDepth) {
      report_depth(token);
      return std::nullopt;
    }
    if (is(token, ")") && --depth == 0) {
      close_hide = item->hide;
      if (macro.params.empty() && args.size() == 1 && args[0].empty()) args.clear();
      return args;
    }
    if (is(token, ",") && depth == 1) {
      args.emplace_back();
      continue;
    }
    args.back().push_back(std::move(*item));
  }
  diags_.emit(DiagKind::MacroCallUnterminated, name.token.expansion).arg(macro.name);
  return std::nullopt;
}

MacroExpander::Part MacroExpander::part_at(const Macro& macro, std::size_t at, const std::vector<Argument>& args) {
  const auto argument = [&](std::size_t place) -> const Argument* {
    if (place >= macro.body.size() || macro.body[place].kind != TokenKind::Name) return nullptr;
    const auto param = std::find(macro.params.begin(), macro.params.end(), macro.body[place].text);
    return param == macro.params.end() ? nullptr : &args[static_cast<std::size_t>(param - macro.params.begin())];
  };
  Part part{&macro.body[at], argument(at)};
  if (!is(macro.body[at], "#")) return part;
  part.arg = argument(at + 1);
  part.is_literal = part.arg != nullptr;
  part.length = part.is_literal ? 2 : 1;
  return part;
}

std::vector<MacroExpander::Item> MacroExpander::items_of(const Part& part, const Item& name, const Macro& macro,
                                                         HideSet hide, bool is_replaced) {
  if (part.arg == nullptr || part.is_literal) {
    Token token = *part.first;
    token.expansion = name.token.expansion;
    if (part.is_literal) {
      std::vector<Token> tokens;
      for (const Item& item : *part.arg) tokens.push_back(item.token);
      token.kind = TokenKind::String;
      token.text = text_as_literal(tokens);
      if (!spend(name, macro, token.text.size() / kLettersOfToken)) return {};
    }
    return {{std::move(token), hide}};
  }
  std::vector<Item> items = is_replaced ? expand_items(*part.arg) : *part.arg;
  for (Item& item : items) item.hide = unite(item.hide, hide);
  return items;
}

void MacroExpander::paste(std::vector<Item>& left, std::vector<Item> right, const Item& name, const Macro& macro) {
  if (!left.empty() && !right.empty()) {
    Token& last = left.back().token;
    if (auto token = pasted(last, right.front().token)) {
      last = std::move(*token);
      left.back().hide = intersect(left.back().hide, right.front().hide);
      if (!spend(name, macro, last.text.size() / kLettersOfToken)) return;
      right.erase(right.begin());
    } else {
      diags_.emit(DiagKind::MacroPaste, name.token.expansion)
          .arg(last.text)
          .arg(right.front().token.text)
          .label(macro.span, "defined here");
    }
  }
  left.insert(left.end(), std::make_move_iterator(right.begin()), std::make_move_iterator(right.end()));
}

/// Puts the expansion in front of the pending tokens.
void MacroExpander::replace(Input& input, const Item& name, const Macro& macro, const std::vector<Argument>& args,
                            HideSet hide) {
  const auto is_paste = [&](std::size_t at) { return at < macro.body.size() && is(macro.body[at], "##"); };
  std::vector<Item> out;
  for (std::size_t at = 0; at < macro.body.size();) {
    const Part part = part_at(macro, at, args);
    at += part.length;
    std::vector<Item> items = items_of(part, name, macro, hide, !is_paste(at));
    while (is_paste(at) && ++at < macro.body.size()) {
      const Part next = part_at(macro, at, args);
      paste(items, items_of(next, name, macro, hide, false), name, macro);
      at += next.length;
    }
    if (!spend(name, macro, items.size())) return;
    if (items.empty()) continue;
    items.front().token.leading = part.first->leading;
    out.insert(out.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }
  if (!spend(name, macro, 1)) return;
  if (out.empty()) {
    input.carry += name.token.leading;
    return;
  }
  out.front().token.leading = name.token.leading;
  input.pending.insert(input.pending.begin(), std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
}

std::vector<MacroExpander::Item> MacroExpander::expand_items(std::vector<Item> items) {
  std::vector<Item> out;
  if (items.empty()) return out;
  if (depth_ >= kMaxArgumentDepth) {  // macros that expand to calls with macros as arguments, and so on
    if (!is_exhausted_) report_depth(items.front().token);
    return out;
  }
  ++depth_;
  Input input{{std::make_move_iterator(items.begin()), std::make_move_iterator(items.end())}, false, {}};
  while (auto item = step(input)) out.push_back(std::move(*item));
  --depth_;
  return out;
}

void MacroExpander::report_depth(const Token& token) {
  diags_.emit(DiagKind::NestingTooDeep, token.expansion).arg(kMaxArgumentDepth).note("in arguments of macros");
  is_exhausted_ = true;
}

/// Counts the tokens that one use of a macro makes. If there are too many, returns false and reports it once.
bool MacroExpander::spend(const Item& name, const Macro& macro, std::size_t num_tokens) {
  num_spent_ += num_tokens;
  if (num_spent_ <= kMaxExpansion && !is_exhausted_) return true;
  if (!is_exhausted_) {
    diags_.emit(DiagKind::MacroTooLarge, name.token.expansion)
        .arg(macro.name)
        .arg(kMaxExpansion)
        .label(macro.span, "defined here");
  }
  is_exhausted_ = true;
  num_spent_ = 0;
  return false;
}

bool MacroExpander::is_hidden(HideSet set, const Macro& macro) const {
  return std::binary_search(hide_sets_[set].begin(), hide_sets_[set].end(), macro.index);
}

MacroExpander::HideSet MacroExpander::intern(std::vector<std::uint32_t> set) {
  const auto [it, is_new] = hide_ids_.emplace(std::move(set), static_cast<HideSet>(hide_sets_.size()));
  if (is_new) hide_sets_.push_back(it->first);
  return it->second;
}

MacroExpander::HideSet MacroExpander::with(HideSet set, const Macro& macro) {
  std::vector<std::uint32_t> out = hide_sets_[set];
  out.insert(std::upper_bound(out.begin(), out.end(), macro.index), macro.index);
  return intern(std::move(out));
}

MacroExpander::HideSet MacroExpander::unite(HideSet a, HideSet b) {
  if (a == b || b == 0) return a;
  std::vector<std::uint32_t> out;
  std::set_union(hide_sets_[a].begin(), hide_sets_[a].end(), hide_sets_[b].begin(), hide_sets_[b].end(),
                 std::back_inserter(out));
  return intern(std::move(out));
}

MacroExpander::HideSet MacroExpander::intersect(HideSet a, HideSet b) {
  if (a == b) return a;
  std::vector<std::uint32_t> out;
  std::set_intersection(hide_sets_[a].begin(), hide_sets_[a].end(), hide_sets_[b].begin(), hide_sets_[b].end(),
                        std::back_inserter(out));
  return intern(std::move(out));
}

}  // namespace pb
