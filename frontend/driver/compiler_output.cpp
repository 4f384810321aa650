// SPDX-License-Identifier: MIT
#include "frontend/driver/compiler_output.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lang/source.h"
#include "lang/suggest.h"

namespace pb {
namespace {

/// One line of the form `file:line:column: severity: text`.
struct Message {
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 1;
  std::string_view severity;  ///< `error`, `fatal error`, `note`, …; `required` for a step of a template instantiation
  std::string_view text;
};

/// Takes `<number>:` from the front of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length >= text.size() || text[length] != ':') return std::nullopt;
  text.remove_prefix(length + 1);
  return value;
}

std::optional<Message> parse_message(std::string_view line) {
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
    Message out;
    out.file = line.substr(0, colon);
    std::string_view rest = line.substr(colon + 1);
    const auto number = take_number(rest);
    if (!number) continue;
    out.line = *number;
    if (const auto column = take_number(rest)) out.column = *column;
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    for (const std::string_view severity : {"fatal error", "error", "warning", "note", "required"}) {
      if (!rest.starts_with(severity)) continue;
      out.severity = severity;
      rest.remove_prefix(severity.size());
      if (rest.starts_with(": ")) rest.remove_prefix(2);
      out.text = rest;
      return out;
    }
  }
  return std::nullopt;
}

std::optional<FileId> find_file(std::string_view name, const SourceManager& sources) {
  for (std::size_t i = 0; i < sources.num_files(); ++i) {
    const FileId id{static_cast<std::uint32_t>(i)};
    if (sources.short_name(sources.name(id)) == name || sources.name(id) == name) return id;
  }
  return std::nullopt;
}

/// The span of line `line` of `file`; none if it has no such line.
std::optional<Span> line_of(FileId file, std::uint32_t line, const SourceManager& sources) {
  const std::string_view text = sources.text(file);
  std::size_t at = 0;
  while (true) {
    if (sources.position(file, static_cast<std::uint32_t>(at)).line == line) {
      return sources.line_span(file, static_cast<std::uint32_t>(at));
    }
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos || end + 1 >= text.size()) return std::nullopt;
    at = end + 1;
  }
}

/// The lines of generated text that stand for `line` of the file that `#line` calls `name`.
std::vector<std::string_view> generated_lines(std::string_view generated, std::string_view name, std::uint32_t line) {
  std::vector<std::string_view> out;
  std::string_view current;
  std::uint32_t number = 0;
  for (const std::string_view text : lines_of(generated)) {
    if (text.starts_with("#line ")) {
      std::string_view rest = text.substr(6);
      // Pbc wrote the line, so it begins with a number.
      (void)std::from_chars(rest.data(), rest.data() + rest.size(), number);
      const std::size_t quote = rest.find('"');
      if (quote != std::string_view::npos) current = rest.substr(quote + 1, rest.rfind('"') - quote - 1);
      continue;
    }
    if (current == name && number == line) out.push_back(text);
    ++number;
  }
  return out;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view word_at(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() && is_word(line[end])) ++end;
  return line.substr(at, std::max<std::size_t>(end - at, at < line.size() ? 1 : 0));
}

/// A place in a user's line that may be what a message is about.
struct Likeness {
  std::string_view text;
  std::size_t length = 0;  ///< of the text around it that is the same in the generated line; 0: there is no such place
};

/// The length of the text around `at` that also stands around `column` of the generated line.
std::size_t same_around(std::string_view source, std::size_t at, std::string_view made, std::size_t column) {
  std::size_t before = 0, behind = 0;
  while (before < std::min(at, column) && source[at - before - 1] == made[column - before - 1]) ++before;
  while (behind < std::min(source.size() - at, made.size() - column) && source[at + behind] == made[column + behind])
    ++behind;
  return before + behind;
}

/// The place in the user's line that is most like `column` of the generated line: calls are rewritten there, and what
/// stands around them is not.
Likeness most_alike(std::string_view source, std::string_view made, std::size_t column) {
  constexpr std::size_t kLeastOfPunctuation = 3;  // a lone `=` or `(` is found anywhere
  Likeness best;
  if (column >= made.size()) return best;
  const std::string_view word = word_at(made, column);
  const bool is_name = is_word(word[0]);
  const bool is_inside = is_name && column > 0 && is_word(made[column - 1]);
  for (std::size_t at = source.find(word); at != std::string_view::npos; at = source.find(word, at + 1)) {
    const bool is_whole = (at > 0 && is_word(source[at - 1])) == is_inside && word_at(source, at).size() == word.size();
    if (is_name && !is_whole) continue;
    const std::size_t length = same_around(source, at, made, column);
    if (length > best.length && (is_name || length >= kLeastOfPunctuation))
      best = {source.substr(at, word.size()), length};
  }
  return best;
}

/// The text in the user's file that a message is about. Generated lines hold the user's text, indented differently and
/// with calls rewritten. Where nothing is alike, the whole line is taken.
std::optional<Span> place_of(const Message& message, std::string_view generated, const SourceManager& sources) {
  const auto file = find_file(message.file, sources);
  if (!file) return std::nullopt;
  const auto line = line_of(*file, message.line, sources);
  if (!line) return std::nullopt;
  const std::string_view source = sources.text(*line);
  const std::vector<std::string_view> made = generated_lines(generated, message.file, message.line);
  const std::size_t column = message.column == 0 ? 0 : message.column - 1;
  Likeness found;
  for (const std::string_view text : made)
    if (const Likeness other = most_alike(source, text, column); other.length > found.length) found = other;
  const std::string_view text = found.length > 0 ? found.text : trimmed(source);
  const auto begin = line->begin + static_cast<std::uint32_t>(text.empty() ? 0 : text.data() - source.data());
  return Span{*file, begin, begin + static_cast<std::uint32_t>(std::max<std::size_t>(text.size(), 1))};
}

/// The end of the text before `place`, where something that is missing belongs. Blanks, line ends and `//` comments in
/// between are skipped.
Span behind_previous(Span place, const SourceManager& sources) {
  std::string_view before = sources.text(place.file).substr(0, place.begin);
  while (true) {
    const std::size_t last = before.find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos) return place;
    before = before.substr(0, last + 1);
    const std::size_t line = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    const std::size_t comment = before.find("//", line);
    if (comment == std::string_view::npos) break;
    before = before.substr(0, comment);
  }
  const auto begin = static_cast<std::uint32_t>(before.size());
  return {place.file, begin, begin + 1};
}

/// The message with code in backticks: in some locales gcc quotes with typographic marks.
std::string with_backticks(std::string_view text) {
  std::string out(text);
  for (const std::string_view quote : {"\xe2\x80\x98", "\xe2\x80\x99"}) {
    for (std::size_t at = out.find(quote); at != std::string::npos; at = out.find(quote))
      out.replace(at, quote.size(), "`");
  }
  std::replace(out.begin(), out.end(), '\'', '`');
  return out;
}

/// A character beyond ASCII in UTF-8.
std::string in_utf8(std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x800) return {static_cast<char>(0xC0U | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0U | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | (code >> 18)), tail(12), tail(6), tail(0)};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Writes letters that gcc names by their numbers, as `\U000065e5`, as they are.
void restore_letters(std::string& text) {
  constexpr std::size_t kDigits = 8;
  for (std::size_t at = text.find("\\U"); at != std::string::npos; at = text.find("\\U", at + 1)) {
    std::uint32_t code = 0;
    const char* begin = text.data() + std::min(at + 2, text.size());
    const char* end = text.data() + std::min(at + 2 + kDigits, text.size());
    const auto [stop, error] = std::from_chars(begin, end, code, 16);
    const bool is_letter = error == std::errc() && stop == begin + kDigits && code >= 0x80 && code < 0x110000;
    if (is_letter) text.replace(at, 2 + kDigits, in_utf8(code));
  }
}

/// Gives types such as `BasicView<const double, 1, true, false>`, which stand for regions in hot loops, the names of
/// regions.
void rename_views(std::string& text) {
  constexpr std::string_view kView = "BasicView<";
  for (std::size_t at = text.find(kView); at != std::string::npos; at = text.find(kView, at + 1)) {
    const std::size_t comma = text.find(", ", at);
    const std::size_t rest = comma == std::string::npos ? comma : text.find(", ", comma + 2);
    const std::size_t end = rest == std::string::npos ? rest : text.find('>', rest);
    if (end == std::string::npos) return;
    text.erase(rest, end - rest);
    text.replace(at, kView.size(), "BasicRegion<");
  }
}

/// Replaces names of the runtime's types by the names that programs know, and drops ` {aka …}` after them, which then
/// says nothing.
void rename_types(std::string& text) {
  for (std::size_t at = text.find(" {aka `"); at != std::string::npos; at = text.find(" {aka `", at + 1)) {
    const std::size_t end = text.find("`}", at);
    if (end == std::string::npos) break;
    if (text.substr(at, end - at).find("pbrt::") != std::string::npos) text.erase(at, end + 2 - at);
  }
  replace_all(text, "pbrt::", "");
  replace_all(text, "pb_user::{anonymous}::", "");
  rename_views(text);
  replace_all(text, "BasicRegion<const ", "ConstMatrixRegion<");
  replace_all(text, "BasicRegion<", "MatrixRegion<");
  constexpr std::string_view kUsing = "`using ";
  for (std::size_t at = text.find(kUsing); at != std::string::npos; at = text.find(kUsing, at + 1)) {
    const std::size_t equals = text.find(" = ", at);
    const std::size_t end = equals == std::string::npos ? equals : text.find('`', equals);
    if (end == std::string::npos) return;
    text.erase(equals, end - equals);
    text.erase(at + 1, kUsing.size() - 1);
  }
}

/// Whether an operator of numbers does not fit its operands.
bool is_arithmetic(std::string_view text) {
  constexpr std::string_view kWords = "no match for `operator";
  if (!text.starts_with(kWords) || text.size() < kWords.size() + 2) return false;
  const std::string_view end = text.substr(kWords.size() + 1);
  return std::string_view("+-*/%<>").find(text[kWords.size()]) != std::string_view::npos &&
         (end.starts_with("`") || end.starts_with("=`"));
}

/// A hint for `MatrixRegion2D::allocate(n)`, which has not as many sizes as the matrix has dimensions.
std::string hint_for_sizes(std::string_view text) {
  constexpr std::string_view kWords = "no matching function for call to `MatrixRegion<";
  const std::size_t end = text.find(">::allocate(");
  if (!text.starts_with(kWords) || end == std::string_view::npos) return {};
  switch (text[end - 1]) {
    case '1':
      return "a matrix of one dimension has one size: `allocate(n)`";
    case '2':
      return "a matrix of 2 dimensions has 2 sizes: `allocate(w, h)`";
    default:
      return "a matrix has a size for each dimension: `allocate(w, h, d)`";
  }
}

/// A hint for errors that users of regions make often; empty for others.
std::string hint_for(std::string_view text) {
  const auto has = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  if ((has("no match for `operator[]`") || has("no match for call to")) && has("MatrixRegion"))
    return "an element of a region is `m.cell(i)`";
  if (has("has no member named") && has("MatrixRegion"))
    return "regions have `cell`, `region`, `row`, `column`, `slice`, `all`, `transposed`, `size(d)`, `width()`, "
           "`height()`, "
           "`depth()`, `count()` and `copyTo`";
  if (text.starts_with("request for member `") && has("`const ElementT`"))
    return "it is one number: write its name alone, without `.cell( )`";
  constexpr std::string_view kCellOf = "request for member `cell` in `";
  if (text.starts_with(kCellOf) && has("`ElementT`")) {
    const std::string name(text.substr(kCellOf.size(), text.find('`', kCellOf.size()) - kCellOf.size()));
    return "it is one number: write `" + name + "` alone, or give its matrix sizes in the header, as `" + name + "[n]`";
  }
  if (std::string hint = hint_for_sizes(text); !hint.empty()) return hint;
  if (is_arithmetic(text) && has("std::array<")) return "a tunable of `array` has several values: `k[0]` is the first";
  if ((is_arithmetic(text) || text.starts_with("cannot convert `MatrixRegion") ||
       text.starts_with("cannot convert `ConstMatrixRegion")) &&
      has("MatrixRegion") && (is_arithmetic(text) || has("` to `int`") || has("` to `double`") || has("` to `float`")))
    return "a region is no number: an element of it is `m.cell(i)`";
  if ((has("no match for `operator=`") || has("conversion from `ConstMatrixRegion")) && has("ConstMatrixRegion"))
    return "an input cannot be written: copy its elements with `in.copyTo(out)`, or name it by a `ConstMatrixRegion`";
  for (const std::string name : {"max", "min"})
    if (text.starts_with("no matching function for call to `" + name + "("))
      return "both arguments are of one type: `std::" + name + "<ElementT>(a, b)` converts them";
  if (has("cannot convert") && has("::Plain*`"))
    return "the pointer is one to elements of the matrix: `ElementT*`, unless the header names another type";
  if (has("cannot convert") && has("float*`") && has("double*`"))
    return "elements are `float` here: call the routine for `float`, or declare the matrix `double`";
  if (text == "`to` was not declared in this scope")
    return "rules belong into a `transform`; the braces of a `function` hold statements";
  return {};
}

/// Whether pbc made the name: `call_Sort`, `rule_Sort_0_B1`, `pb_frame`.
bool is_generated(std::string_view name, const UserProgram& user) {
  return name.starts_with("pb_") || name.starts_with("PB_") ||
         std::any_of(user.transforms.begin(), user.transforms.end(), [&](const std::string& transform) {
           const std::size_t at = name.find("_" + transform);
           const std::size_t end = at + 1 + transform.size();
           return at != std::string_view::npos && (end == name.size() || name[end] == '_');
         });
}

/// Describes the user's mistake in plain words, if gcc describes the template that a body became.
std::string plain_words(std::string_view text, const UserProgram& user) {
  std::string out = with_backticks(text);
  restore_letters(out);
  if (const std::size_t at = out.find(" [-fpermissive]"); at != std::string::npos) out.resize(at);
  constexpr std::string_view kBegin = "there are no arguments to ";
  const std::size_t end = out.find(" that depend on a template parameter");
  if (out.starts_with(kBegin) && end != std::string::npos) {
    out = out.substr(kBegin.size(), end - kBegin.size()) + " was not declared in this scope";
  }
  rename_types(out);
  // gcc's proposals are dropped where they are names of generated code, or of the runtime, which are seldom meant.
  constexpr std::string_view kProposal = "; did you mean `";
  const std::size_t alike = out.find(kProposal);
  const bool is_dropped = alike != std::string::npos && (out.find("MatrixRegion") < alike ||
                                                         is_generated(word_at(out, alike + kProposal.size()), user));
  if (is_dropped) out.resize(alike);
  return out;
}

/// What `text`, of the message of `lines[at]`, becomes with the proposal that gcc makes when it says the same of the
/// line once more: first it finds that no argument of a call depends on a template, then that there is no such name.
std::string with_later_proposal(std::string text, const std::vector<std::string_view>& lines, std::size_t at,
                                const Message& message, const UserProgram& user) {
  for (std::size_t i = at + 1; i < lines.size(); ++i) {
    const auto later = parse_message(lines[i]);
    if (!later || later->severity != "error" || later->file != message.file || later->line != message.line) continue;
    if (std::string words = plain_words(later->text, user); words.starts_with(text + "; did you mean ")) return words;
  }
  return text;
}

/// The header that gcc proposes in a note below the error of `lines[at]`, as `<map>`; empty if it proposes none.
std::string_view proposed_header(const std::vector<std::string_view>& lines, std::size_t at) {
  constexpr std::string_view kWords = "is defined in header ";
  for (std::size_t i = at + 1; i < lines.size(); ++i) {
    const auto message = parse_message(lines[i]);
    if (!message) continue;
    if (message->severity != "note") return {};
    const std::size_t found = message->text.find(kWords);
    if (found == std::string_view::npos) continue;
    const std::size_t begin = message->text.find('<', found);
    const std::size_t end = message->text.find('>', found);
    if (begin < end && end != std::string_view::npos) return message->text.substr(begin, end + 1 - begin);
  }
  return {};
}

/// If gcc says in a note below `lines[at]` that the name missing in `text` is in the standard library, says so, too;
/// else empty.
std::string standard_name(std::string_view text, const std::vector<std::string_view>& lines, std::size_t at) {
  const std::size_t end = text.find("` was not declared in this scope");
  if (!text.starts_with('`') || end == std::string_view::npos) return {};
  const std::string name = "`std::" + std::string(text.substr(1, end - 1)) + "`";
  for (std::size_t i = at + 1; i < lines.size(); ++i) {
    const auto message = parse_message(lines[i]);
    if (!message) continue;
    if (message->severity != "note") return {};
    if (with_backticks(message->text).find(name) != std::string::npos) return "of the standard library it is " + name;
  }
  return {};
}

/// A hint if gcc says in the note below `lines[at]` that the same line defined the name before.
std::string hint_for_second_include(const std::vector<std::string_view>& lines, std::size_t at,
                                    const Message& message) {
  if (message.text.find("redefinition of") == std::string_view::npos) return {};
  for (std::size_t i = at + 1; i < lines.size(); ++i) {
    const auto note = parse_message(lines[i]);
    if (!note) continue;
    const bool is_same = note->severity == "note" && note->file == message.file && note->line == message.line;
    return is_same ? "its file is included twice: write `#pragma once` in it" : "";
  }
  return {};
}

/// "did you mean `Sort`?" for a call of an unknown name that is like that of a transform.
std::string similar_transform(std::string_view text, Span place, const UserProgram& user) {
  constexpr std::string_view kWords = "` was not declared in this scope";
  const std::size_t end = text.find(kWords);
  if (!text.starts_with('`') || end == std::string_view::npos) return {};
  const std::string_view rest = user.sources.text(place.file).substr(place.end);
  const std::size_t next = rest.find_first_not_of(" \t");
  const bool is_called = next != std::string_view::npos && (rest[next] == '(' || rest[next] == '<');
  return is_called ? suggest(text.substr(1, end - 1), user.transforms) : "";
}

/// A hint for `call Sort(b, a);`.
std::string hint_for_call_word(std::string_view text, Span place, const UserProgram& user) {
  if (!text.starts_with("`call` was not declared in this scope")) return {};
  const std::string_view rest = user.sources.text(place.file).substr(place.end);
  const std::string_view call = trimmed(rest.substr(0, std::min(rest.find_first_of(";\n"), rest.size())));
  const std::string_view name = call.substr(0, word_at(call, 0).size());
  if (std::find(user.transforms.begin(), user.transforms.end(), name) == user.transforms.end()) return {};
  return "a call is `" + std::string(call) + ";`";
}

/// A hint for the macros by which the first programs declared tunables.
std::string hint_for_old_tunable(Span place, const UserProgram& user) {
  const std::string_view text = user.sources.text(place.file);
  const std::size_t newline = text.substr(0, place.begin).rfind('\n');
  const std::string_view line = text.substr(newline == std::string_view::npos ? 0 : newline + 1);
  if (!line.substr(std::min(line.find_first_not_of(" \t"), line.size())).starts_with("JTUNABLE")) return {};
  return "remove the line; tunables stand in the header of each transform that uses them: `tunable NAME(value, min, "
         "max)`";
}

bool report_messages(const std::vector<std::string_view>& lines, std::string_view generated, const UserProgram& user,
                     Diagnostics& diags) {
  std::set<std::tuple<std::string_view, std::uint32_t, std::string>> seen;  // templates repeat messages per instance
  std::optional<Span> required_from;
  bool found = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto message = parse_message(lines[i]);
    if (!message) continue;
    auto place = place_of(*message, generated, user.sources);
    if (message->severity == "required") {
      if (place) required_from = place;
      continue;
    }
    if (message->severity != "error" && message->severity != "fatal error") continue;
    if (!place) place = std::exchange(required_from, std::nullopt);
    if (!place) continue;
    required_from.reset();
    found = true;
    const std::string text = with_later_proposal(plain_words(message->text, user), lines, i, *message, user);
    if (!seen.emplace(message->file, message->line, text).second) continue;
    if (text.starts_with("expected `,` or `;` before")) place = behind_previous(*place, user.sources);
    DiagBuilder builder = diags.emit(DiagKind::CxxError, *place);
    builder.arg(text);
    if (const std::string hint = hint_for(text); !hint.empty()) builder.hint(hint);
    if (const std::string hint = hint_for_old_tunable(*place, user); !hint.empty()) builder.hint(hint);
    if (const std::string hint = similar_transform(text, *place, user); !hint.empty()) builder.hint(hint);
    if (const std::string hint = hint_for_call_word(text, *place, user); !hint.empty()) builder.hint(hint);
    if (const std::string hint = hint_for_second_include(lines, i, *message); !hint.empty()) builder.hint(hint);
    if (const std::string hint = standard_name(text, lines, i); !hint.empty()) builder.hint(hint);
    const std::string_view header = proposed_header(lines, i);
    if (!header.empty())
      builder.hint("write `%{`, `#include " + std::string(header) + "`, `%}` in lines above the transform");
  }
  return found;
}

bool report_undefined(const std::vector<std::string_view>& lines, Diagnostics& diags) {
  constexpr std::string_view kUndefined = "undefined reference to ";
  constexpr std::string_view kMissing = "cannot find -l";
  std::set<std::string> seen;
  for (const std::string_view line : lines) {
    for (const std::string_view words : {kUndefined, kMissing}) {
      const std::size_t at = line.find(words);
      if (at == std::string_view::npos) continue;
      const std::string text = with_backticks(line.substr(at));
      if (seen.insert(text).second) {
        diags.emit(DiagKind::LinkError)
            .arg(text)
            .hint("a C++ prefix block declares it, but no library that is linked has it");
      }
    }
  }
  return !seen.empty();
}

}  // namespace

bool report_compiler_output(std::string_view output, std::string_view generated, const UserProgram& user,
                            Diagnostics& diags) {
  const std::vector<std::string_view> lines = lines_of(output);
  const bool has_messages = report_messages(lines, generated, user, diags);
  return has_messages || report_undefined(lines, diags);
}

}  // namespace pb
