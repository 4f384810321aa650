// SPDX-License-Identifier: MIT
#include "choicegraph/plan/plan_line.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace pb {

bool PlanLine::accept(std::string_view word) {
  const std::string_view saved = rest_;
  if (next() == word) return true;
  rest_ = saved;
  return false;
}

std::string_view PlanLine::next() {
  const std::size_t end = std::min(rest_.find(' '), rest_.size());
  const std::string_view out = rest_.substr(0, end);
  rest_.remove_prefix(end);
  skip();
  return out;
}

bool PlanLine::accept_name(std::string_view name) {
  if (!rest_.starts_with(name) || (rest_.size() > name.size() && rest_[name.size()] != ' ')) return false;
  rest_.remove_prefix(name.size());
  skip();
  return true;
}

std::string_view PlanLine::next_label() {
  std::string_view word = next();
  if (word.empty() || word.back() != ':') return {};
  word.remove_suffix(1);
  return word;
}

std::optional<std::size_t> PlanLine::number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> PlanLine::real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<IndexExpr>> PlanLine::next_list(char open, char close) {
  if (rest_.empty() || rest_.front() != open) return std::nullopt;
  std::vector<IndexExpr> out;
  std::size_t begin = 1;
  int depth = 0;
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    const char c = rest_[i];
    const bool ends = depth == 0 && c == close;
    if (ends || (depth == 0 && c == ',')) {
      const std::string item(rest_.substr(begin, i - begin));
      begin = i + 1;
      if (ends && out.empty() && item.empty()) return finish(i, std::move(out));
      auto expr = parse_index_expr(item);
      if (!expr) return std::nullopt;
      out.push_back(std::move(*expr));
      if (ends) return finish(i, std::move(out));
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    }
  }
  return std::nullopt;
}

std::optional<IndexRange> PlanLine::next_range() {
  const auto items = next_list('[', ')');
  if (!items || items->size() != 2) return std::nullopt;
  return IndexRange{(*items)[0], (*items)[1]};
}

std::optional<IndexExpr> PlanLine::next_guard() {
  constexpr std::string_view kEnd = " >= 0";
  const std::size_t end = rest_.find(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string text(rest_.substr(0, end));
  rest_.remove_prefix(end + kEnd.size());
  skip();
  return parse_index_expr(text);
}

std::vector<IndexExpr> PlanLine::finish(std::size_t end, std::vector<IndexExpr> items) {
  rest_.remove_prefix(end + 1);
  skip();
  return items;
}

void PlanLine::skip() {
  while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
}

bool read_box(PlanLine& line, std::vector<IndexRange>& box) {
  while (!line.at_end() && line.rest().front() == '[') {
    auto range = line.next_range();
    if (!range) return false;
    box.push_back(std::move(*range));
    if (!line.accept("x")) break;
  }
  return true;
}

bool read_conjunction(PlanLine& line, std::vector<IndexExpr>& items) {
  do {
    auto item = line.next_guard();
    if (!item) return false;
    items.push_back(std::move(*item));
  } while (line.accept("and"));
  return true;
}

bool read_condition(PlanLine& line, std::vector<IndexExpr>& guards) {
  return line.at_end() || (line.accept("if") && read_conjunction(line, guards));
}

bool read_where(PlanLine& line, std::vector<IndexExpr>& conditions) {
  return !line.accept("where") || read_conjunction(line, conditions);
}

bool read_bounds(PlanLine& line, std::string_view word, std::vector<IndexExpr>& bounds) {
  if (!line.accept(word)) return true;
  auto items = line.next_list('(', ')');
  if (!items) return false;
  bounds = std::move(*items);
  return true;
}

}  // namespace pb
