// SPDX-License-Identifier: MIT
#include "frontend/preprocess/preprocess.h"

#include <algorithm>
#include <utility>

#include "frontend/preprocess/conditions.h"
#include "frontend/preprocess/file_stack.h"
#include "frontend/preprocess/included_files.h"
#include "frontend/preprocess/macros.h"

namespace pb {
namespace {

/// Puts a blank between tokens that a replacement brought together, so that they do not become one token when they are
/// printed.
void keep_apart(const Token& before, Token& token) {
  const bool is_adjacent = before.spelling.file == token.spelling.file && before.spelling.end == token.spelling.begin;
  if (!token.leading.empty() || is_adjacent) return;
  const bool is_word = token.kind != TokenKind::Punctuator;
  const bool was_word = before.kind != TokenKind::Punctuator;
  const bool is_number_part = was_word && token.text.starts_with('.') && before.kind != TokenKind::Name;
  if (is_word == was_word || is_number_part) token.leading = " ";
}

/// Reads `( [ name { , name } ] )` of a `#define` and leaves `pos` after it. Returns false after an error, which is not
/// reported if the macro belongs to the C++ compiler.
bool read_params(const std::vector<Token>& line, std::size_t& pos, Macro& macro, Diagnostics& diags) {
  const auto report = [&](std::string_view what) {
    if (!macro.is_native) diags.emit(DiagKind::MalformedDirective, macro.span).arg("define").arg(what);
  };
  ++pos;
  const auto text = [&] { return pos < line.size() ? std::string_view(line[pos].text) : ""; };
  while (text() != ")") {
    if (pos >= line.size() || line[pos].kind != TokenKind::Name) {
      report("has a parameter list that is no list of names");
      return false;
    }
    macro.params.push_back(line[pos++].text);
    if (text() == ",")
      ++pos;
    else if (text() != ")") {
      report("has a parameter list that is never closed");
      return false;
    }
  }
  ++pos;
  return true;
}

/// Whether the words behind `#pragma` are those that let a file be read once.
bool is_once(const std::vector<Token>& rest) { return rest.size() == 1 && rest[0].text == "once"; }

class Preprocessor {
 public:
  Preprocessor(SourceManager& sources, Diagnostics& diags)
      : sources_(sources),
        diags_(diags),
        expander_(macros_, diags, [this] { return feed(); }),
        files_(sources, diags),
        included_(sources, files_, diags) {}

  TokenStream run(FileId main_file) {
    TokenStream out;
    out.main_file = main_file;
    const auto size = static_cast<std::uint32_t>(sources_.text(main_file).size());
    out.end = {main_file, size, size};
    files_.open(main_file);
    while (auto token = expander_.next()) {
      if (!out.tokens.empty()) keep_apart(out.tokens.back(), *token);
      out.tokens.push_back(std::move(*token));
    }
    // The end is after the last token, so that messages about it do not point at an empty last line.
    if (!out.tokens.empty() && out.tokens.back().expansion.file == main_file) {
      const Span last = out.tokens.back().expansion;
      out.end = {main_file, last.end, last.end};
    }
    return out;
  }

 private:
  /// The next token before macro replacement.
  std::optional<Token> feed() {
    while (!files_.is_empty()) {
      files_.scanner().set_quiet(files_.is_skipping());
      auto token = files_.scanner().next();
      if (!token) {
        files_.close();
        continue;
      }
      const bool is_line = files_.scanner().starts_line() && token->kind == TokenKind::Punctuator && token->text == "#";
      if (is_line) {
        if (auto passed_on = directive(*token)) return passed_on;
        continue;
      }
      if (files_.is_skipping()) {
        files_.carry_newlines(token->leading);
        continue;
      }
      if (!files_.track_native(*token)) continue;
      token->leading.insert(0, files_.take_carry());
      return token;
    }
    return std::nullopt;
  }

  // ---- preprocessor lines ------------------------------------------------------

  /// Obeys the line that begins with `hash`. Returns a token if the line is for the C++ compiler.
  std::optional<Token> directive(const Token& hash) {
    files_.carry_newlines(hash.leading);
    if (files_.scanner().at_line_end()) return std::nullopt;
    const auto name = files_.scanner().next();
    if (!name) return std::nullopt;
    const Span span = join(hash.spelling, name->spelling);
    std::optional<Token> passed_on;
    if (!conditional_line(*name, span, passed_on) && !files_.is_skipping()) {
      if (files_.is_in_native()) {
        if (name->kind == TokenKind::Integer)
          line_marker(*name);
        else if (name->text == "define")
          passed_on = native_define(span);
        else if (name->text == "undef")
          passed_on = native_undef(span);
        else if (name->text != "include" || !include_in_native())
          passed_on = native_line(*name, span);
        if (passed_on && passed_on->text == "#pragma once") included_.read_once(hash.spelling.file);
      } else {
        plain_line(*name, span);
      }
    }
    files_.end_line();
    if (include_) files_.open(*include_, include_name_);
    include_.reset();
    if (passed_on) passed_on->leading = files_.take_carry();
    return passed_on;
  }

  void plain_line(const Token& name, Span span) {
    if (name.kind == TokenKind::Integer) return line_marker(name);
    if (name.text == "include") return include(span);
    if (name.text == "define") return define(span);
    if (name.text == "undef") return undef(span);
    if (name.text == "pragma" && is_once(files_.rest_of_line())) {
      included_.read_once(span.file);
      return;
    }
    if (name.text == "library") {
      diags_.emit(DiagKind::LibraryIgnored, span);
      return;
    }
    // Older programs have comments of the form `# words`.
    if (span.end - span.begin > 1 + name.text.size()) return;
    diags_.emit(DiagKind::UnknownDirective, span).arg(name.text);
  }

  Token native_line(const Token& name, Span span) {
    const std::string rest = files_.scanner().take_line();
    return {TokenKind::NativeLine, "#" + name.text + (rest.empty() ? "" : " ") + rest, {}, span, span};
  }

  /// Defines a macro of a prefix block, which is the C++ compiler's. It also counts in the program's text where we can
  /// expand it, so that names and calls in it are seen.
  Token native_define(Span span) {
    const auto rest = files_.rest_of_line();
    std::string text = "#define";
    for (const Token& token : rest) text += (text == "#define" || !token.leading.empty() ? " " : "") + token.text;
    // Operators take arguments as the C++ compiler sees them, with macros of its headers, as `__LINE__`.
    const auto is_ours = [&](const Token& token) {
      return token.text != "#" && token.text != "##" && token.text != "..." && !macros_.is_left_to_cxx(token.text);
    };
    const auto& conditionals = files_.conditionals();
    const bool is_known_to_count = std::all_of(conditionals.begin(), conditionals.end(), [](const Conditional& c) {
      return !c.is_passed_on || (c.name == "ifndef" && !c.has_else);
    });
    const bool is_all_ours = std::all_of(rest.begin(), rest.end(), is_ours);
    if (is_known_to_count && is_all_ours) define_macro(rest, true);
    if (!is_all_ours && !rest.empty()) macros_.leave_to_cxx(rest[0].text);
    return {TokenKind::NativeLine, text, {}, span, span};
  }

  Token native_undef(Span span) {
    const auto rest = files_.rest_of_line();
    if (!rest.empty()) macros_.undef(rest[0].text);
    return {TokenKind::NativeLine, "#undef" + (rest.empty() ? "" : " " + rest[0].text), {}, span, span};
  }

  /// True if the line names a file beside this one, which is then read as part of the prefix block.
  bool include_in_native() {
    const std::string_view text = sources_.text(files_.scanner().file());
    const std::size_t end = std::min(text.find('\n', files_.scanner().offset()), text.size());
    const std::string_view line = text.substr(files_.scanner().offset(), end - files_.scanner().offset());
    const std::size_t open = line.find_first_not_of(" \t");
    if (open == std::string_view::npos || line[open] != '"') return false;
    const std::size_t close = line.find('"', open + 1);
    if (close == std::string_view::npos) return false;
    const auto file = sources_.load(files_.path_beside(std::string(line.substr(open + 1, close - open - 1))));
    if (!file) return false;
    const std::uint32_t begin = files_.scanner().offset();
    include_name_ = {files_.scanner().file(), begin + static_cast<std::uint32_t>(open),
                     begin + static_cast<std::uint32_t>(close + 1)};
    include_ = included_.read_again(*file, include_name_);
    return true;
  }

  void line_marker(const Token& number) {
    const auto rest = files_.rest_of_line();
    std::string file = !rest.empty() && rest[0].kind == TokenKind::String ? rest[0].text : "";
    if (file.size() >= 2) file = file.substr(1, file.size() - 2);
    std::uint32_t line = 0;
    for (const char c : number.text.substr(0, 9)) line = line * 10 + static_cast<std::uint32_t>(c - '0');
    const Span here = sources_.line_span(files_.scanner().file(), files_.scanner().offset());
    const auto text = sources_.text(files_.scanner().file());
    const std::size_t next = text.find('\n', here.begin);
    if (next != std::string_view::npos)
      sources_.set_line_marker(files_.scanner().file(), static_cast<std::uint32_t>(next + 1), line, file);
  }

  void include(Span span) {
    const auto rest = files_.rest_of_line();
    if (rest.empty() || (rest[0].kind != TokenKind::String && rest[0].text != "<")) {
      diags_.emit(DiagKind::MalformedDirective, span).arg("include").arg("needs a file name in quotation marks");
      return;
    }
    if (rest[0].text == "<") {
      std::string file;
      for (std::size_t i = 1; i < rest.size() && rest[i].text != ">"; ++i) file += rest[i].text;
      diags_.emit(DiagKind::SystemInclude, join(rest.front().spelling, rest.back().spelling))
          .arg(file)
          .hint("C++ headers are included inside a `%{ %}` block");
      return;
    }
    const std::string& quoted = rest[0].text;
    include_name_ = rest[0].spelling;
    include_ = included_.find(files_.path_beside(quoted.substr(1, quoted.size() - 2)), include_name_);
  }

  void define(Span span) {
    const auto rest = files_.rest_of_line();
    if (rest.empty() || rest[0].kind != TokenKind::Name)
      diags_.emit(DiagKind::MalformedDirective, span).arg("define").arg("needs a name");
    else
      define_macro(rest, false);
  }

  /// Defines a macro. `rest` holds name, parameters and text. Nothing is said about a macro that is the C++ compiler's
  /// (`is_native`).
  void define_macro(const std::vector<Token>& rest, bool is_native) {
    if (rest.empty() || rest[0].kind != TokenKind::Name) return;
    Macro macro{rest[0].text, false, is_native, {}, {}, rest[0].spelling, 0};
    std::size_t pos = 1;
    if (pos < rest.size() && rest[pos].text == "(" && rest[pos].leading.empty()) {
      macro.is_function = true;
      if (!read_params(rest, pos, macro, diags_)) return;
    }
    macro.body.assign(rest.begin() + static_cast<std::ptrdiff_t>(pos), rest.end());
    if (!macro.body.empty() && (macro.body.front().text == "##" || macro.body.back().text == "##")) {
      diags_.emit(DiagKind::MalformedDirective, rest[0].spelling).arg("define").arg("has `##` at an end of its text");
      return;
    }
    const Macro* old = macros_.define(std::move(macro));
    if (old != nullptr && !is_native)
      diags_.emit(DiagKind::MacroRedefined, rest[0].spelling).arg(old->name).label(old->span, "first defined here");
  }

  void undef(Span span) {
    const auto rest = files_.rest_of_line();
    if (rest.empty() || rest[0].kind != TokenKind::Name)
      diags_.emit(DiagKind::MalformedDirective, span).arg("undef").arg("needs a name");
    else
      macros_.undef(rest[0].text);
  }

  // ---- conditionals ----------------------------------------------------------

  /// True if the line belongs to a conditional.
  bool conditional_line(const Token& name, Span span, std::optional<Token>& passed_on) {
    if (name.text == "if" || name.text == "ifdef" || name.text == "ifndef") {
      open_conditional(name, span, passed_on);
      return true;
    }
    if (name.text != "elif" && name.text != "else" && name.text != "endif") return false;
    auto& conditionals = files_.conditionals();
    if (conditionals.empty()) {
      diags_.emit(DiagKind::ConditionalMismatch, span).arg(name.text);
      return true;
    }
    if (conditionals.back().is_passed_on) {
      passed_on = native_line(name, span);
      if (name.text == "endif")
        conditionals.pop_back();
      else
        conditionals.back().has_else = true;
      return true;
    }
    if (name.text == "endif")
      conditionals.pop_back();
    else
      next_branch(name, span);
    return true;
  }

  void open_conditional(const Token& name, Span span, std::optional<Token>& passed_on) {
    Conditional conditional{name.text, span, false, false, false, false};
    if (files_.is_skipping()) {
      conditional.was_taken = true;  // no branch of it counts
      files_.conditionals().push_back(std::move(conditional));
      return;
    }
    const std::uint32_t begin = files_.scanner().offset();
    const auto rest = files_.rest_of_line();
    if (files_.is_in_native() && !speaks_of_known_macros(rest, macros_)) {
      std::string text(sources_.text({files_.scanner().file(), begin, files_.scanner().offset()}));
      std::replace(text.begin(), text.end(), '\n', ' ');
      std::replace(text.begin(), text.end(), '\\', ' ');
      passed_on = Token{TokenKind::NativeLine, "#" + name.text + text, {}, span, span};
      conditional.is_active = conditional.is_passed_on = true;
    } else {
      conditional.is_active = conditional.was_taken =
          condition_holds(name.text, rest, span, macros_, expander_, diags_);
    }
    files_.conditionals().push_back(std::move(conditional));
  }

  void next_branch(const Token& name, Span span) {
    Conditional& conditional = files_.conditionals().back();
    if (conditional.has_else)
      diags_.emit(DiagKind::ConditionalAfterElse, span).arg(name.text).label(conditional.span, "of this");
    conditional.has_else = conditional.has_else || name.text == "else";
    if (conditional.was_taken) {
      conditional.is_active = false;
      return;
    }
    files_.scanner().set_quiet(false);
    conditional.is_active = conditional.was_taken =
        name.text == "else" || condition_holds(name.text, files_.rest_of_line(), span, macros_, expander_, diags_);
  }

  SourceManager& sources_;
  Diagnostics& diags_;
  MacroTable macros_;
  MacroExpander expander_;
  FileStack files_;
  IncludedFiles included_;
  std::optional<FileId> include_;  // to open when the line is done
  Span include_name_;
};

}  // namespace

std::optional<TokenStream> preprocess(const std::string& path, SourceManager& sources, Diagnostics& diags) {
  std::string why;
  const auto file = sources.load(path, &why);
  if (!file) {
    diags.emit(DiagKind::CannotReadFile).arg(path).arg(why);
    return std::nullopt;
  }
  return preprocess(*file, sources, diags);
}

TokenStream preprocess(FileId main_file, SourceManager& sources, Diagnostics& diags) {
  return Preprocessor(sources, diags).run(main_file);
}

}  // namespace pb
