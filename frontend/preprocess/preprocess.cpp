// SPDX-License-Identifier: MIT
#include "frontend/preprocess/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <utility>

#include "frontend/preprocess/if_expression.h"
#include "frontend/preprocess/macros.h"
#include "frontend/preprocess/scanner.h"

namespace pb {
namespace {

constexpr std::size_t kMaxIncludeDepth = 200;

struct Conditional {
  std::string name;
  Span span;
  bool is_active = false;
  bool was_taken = false;  // a branch was active before
  bool has_else = false;
  bool is_passed_on = false;  // of a prefix block: left to the C++ compiler
};

/// One file that is being read.
struct OpenFile {
  Scanner scanner;
  std::vector<Conditional> conditionals;
  std::optional<Span> native;  // of the open `%{`
  bool is_cxx = false;         // read for a prefix block, in which it is as a whole
};

class Preprocessor {
 public:
  Preprocessor(SourceManager& sources, Diagnostics& diags)
      : sources_(sources), diags_(diags), expander_(macros_, diags, [this] { return feed(); }) {}

  TokenStream run(FileId main_file) {
    TokenStream out;
    out.main_file = main_file;
    const auto size = static_cast<std::uint32_t>(sources_.text(main_file).size());
    out.end = {main_file, size, size};
    open(main_file);
    while (auto token = expander_.next()) {
      if (!out.tokens.empty()) keep_apart(out.tokens.back(), *token);
      out.tokens.push_back(std::move(*token));
    }
    // The end is behind the last token, so that messages about it do not point at an empty last line.
    if (!out.tokens.empty() && out.tokens.back().expansion.file == main_file) {
      const Span last = out.tokens.back().expansion;
      out.end = {main_file, last.end, last.end};
    }
    return out;
  }

 private:
  /// Puts a blank between tokens that a replacement brought together, since they must not become one when they are
  /// printed.
  static void keep_apart(const Token& before, Token& token) {
    const bool is_adjacent = before.spelling.file == token.spelling.file && before.spelling.end == token.spelling.begin;
    if (!token.leading.empty() || is_adjacent) return;
    const bool is_word = token.kind != TokenKind::Punctuator;
    const bool was_word = before.kind != TokenKind::Punctuator;
    const bool is_number_part = was_word && token.text.starts_with('.') && before.kind != TokenKind::Name;
    if (is_word == was_word || is_number_part) token.leading = " ";
  }

  void open(FileId file) {
    const std::optional<Span> native = files_.empty() ? std::nullopt : files_.back().native;
    files_.push_back({Scanner(file, sources_, diags_), {}, native, native.has_value()});
  }
  Scanner& scanner() { return files_.back().scanner; }
  bool is_skipping() const {
    const auto& conditionals = files_.back().conditionals;
    return !conditionals.empty() && !conditionals.back().is_active;
  }

  /// The next token before macro replacement.
  std::optional<Token> feed() {
    while (!files_.empty()) {
      scanner().set_quiet(is_skipping());
      auto token = scanner().next();
      if (!token) {
        close_file();
        continue;
      }
      const bool is_line = scanner().starts_line() && token->kind == TokenKind::Punctuator && token->text == "#";
      if (is_line) {
        if (auto passed_on = directive(*token)) return passed_on;
        continue;
      }
      if (is_skipping()) {
        carry_newlines(token->leading);
        continue;
      }
      if (!track_native(*token)) continue;
      token->leading.insert(0, std::exchange(carry_, {}));
      return token;
    }
    return std::nullopt;
  }

  void carry_newlines(std::string_view text) {
    carry_.append(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
  }

  bool track_native(const Token& token) {
    std::optional<Span>& native = files_.back().native;
    if (files_.back().is_cxx) return token.kind != TokenKind::NativeBegin && token.kind != TokenKind::NativeEnd;
    if (token.kind == TokenKind::NativeBegin && !native) native = token.spelling;
    if (token.kind != TokenKind::NativeEnd) return true;
    if (!native) diags_.emit(DiagKind::StrayNativeEnd, token.spelling);
    return std::exchange(native, std::nullopt).has_value();
  }

  void close_file() {
    OpenFile& file = files_.back();
    for (const Conditional& c : file.conditionals) diags_.emit(DiagKind::UnterminatedConditional, c.span).arg(c.name);
    if (file.native && !file.is_cxx) diags_.emit(DiagKind::UnterminatedNative, *file.native);
    carry_ += file.scanner.take_leading();
    files_.pop_back();
  }

  // ---- preprocessor lines ------------------------------------------------------

  /// Obeys the line that begins with `hash`. Returns a token if the line is for the C++ compiler.
  std::optional<Token> directive(const Token& hash) {
    carry_newlines(hash.leading);
    if (scanner().at_line_end()) return std::nullopt;
    const auto name = scanner().next();
    if (!name) return std::nullopt;
    const Span span = join(hash.spelling, name->spelling);
    std::optional<Token> passed_on;
    if (!conditional_line(*name, span, passed_on) && !is_skipping()) {
      if (files_.back().native) {
        if (name->kind == TokenKind::Integer)
          line_marker(*name);
        else if (name->text == "define")
          passed_on = native_define(span);
        else if (name->text == "undef")
          passed_on = native_undef(span);
        else if (name->text != "include" || !include_in_native())
          passed_on = native_line(*name, span);
      } else {
        plain_line(*name, span);
      }
    }
    end_line();
    if (include_) open(*std::exchange(include_, std::nullopt));
    if (passed_on) passed_on->leading = std::exchange(carry_, {});
    return passed_on;
  }

  void end_line() {
    const std::uint32_t begin = scanner().offset();
    (void)scanner().take_line();  // what is left of the line is ignored
    carry_newlines(sources_.text({scanner().file(), begin, scanner().offset()}));
  }

  void plain_line(const Token& name, Span span) {
    if (name.kind == TokenKind::Integer) return line_marker(name);
    if (name.text == "include") return include(span);
    if (name.text == "define") return define(span);
    if (name.text == "undef") return undef(span);
    if (name.text == "library") {
      diags_.emit(DiagKind::LibraryIgnored, span);
      return;
    }
    diags_.emit(DiagKind::UnknownDirective, span).arg(name.text);
  }

  Token native_line(const Token& name, Span span) {
    const std::string rest = scanner().take_line();
    return {TokenKind::NativeLine, "#" + name.text + (rest.empty() ? "" : " ") + rest, {}, span, span};
  }

  /// Defines a macro of a prefix block, which is the C++ compiler's. It also counts in the program's text where we can
  /// expand it, so that names and calls in it are seen.
  Token native_define(Span span) {
    const auto rest = rest_of_line();
    std::string text = "#define";
    for (const Token& token : rest) text += (text == "#define" || !token.leading.empty() ? " " : "") + token.text;
    const auto is_ours = [](const Token& token) {
      return token.text != "#" && token.text != "##" && token.text != "...";
    };
    const auto& conditionals = files_.back().conditionals;
    const bool is_known_to_count = std::all_of(conditionals.begin(), conditionals.end(), [](const Conditional& c) {
      return !c.is_passed_on || (c.name == "ifndef" && !c.has_else);
    });
    if (is_known_to_count && std::all_of(rest.begin(), rest.end(), is_ours)) define_macro(rest, true);
    return {TokenKind::NativeLine, text, {}, span, span};
  }

  Token native_undef(Span span) {
    const auto rest = rest_of_line();
    if (!rest.empty()) macros_.undef(rest[0].text);
    return {TokenKind::NativeLine, "#undef" + (rest.empty() ? "" : " " + rest[0].text), {}, span, span};
  }

  /// True if the line names a file beside this one, which is then read as part of the prefix block.
  bool include_in_native() {
    const std::string_view text = sources_.text(scanner().file());
    const std::size_t end = std::min(text.find('\n', scanner().offset()), text.size());
    const std::string_view line = text.substr(scanner().offset(), end - scanner().offset());
    const std::size_t open = line.find_first_not_of(" \t");
    if (open == std::string_view::npos || line[open] != '"') return false;
    const std::size_t close = line.find('"', open + 1);
    if (close == std::string_view::npos) return false;
    const std::string path = path_beside(std::string(line.substr(open + 1, close - open - 1)));
    if (!sources_.is_loaded(path)) include_ = sources_.load(path);
    return sources_.is_loaded(path);
  }

  DiagBuilder malformed(Span span, std::string_view name, std::string_view what) {
    return diags_.emit(DiagKind::MalformedDirective, span).arg(name).arg(what);
  }

  std::vector<Token> rest_of_line() {
    std::vector<Token> out;
    while (!scanner().at_line_end()) {
      auto token = scanner().next();
      if (!token) break;
      std::replace(token->leading.begin(), token->leading.end(), '\n', ' ');
      out.push_back(std::move(*token));
    }
    carry_newlines(scanner().take_leading());
    return out;
  }

  void line_marker(const Token& number) {
    const auto rest = rest_of_line();
    std::string file = !rest.empty() && rest[0].kind == TokenKind::String ? rest[0].text : "";
    if (file.size() >= 2) file = file.substr(1, file.size() - 2);
    std::uint32_t line = 0;
    for (const char c : number.text.substr(0, 9)) line = line * 10 + static_cast<std::uint32_t>(c - '0');
    const Span here = sources_.line_span(scanner().file(), scanner().offset());
    const auto text = sources_.text(scanner().file());
    const std::size_t next = text.find('\n', here.begin);
    if (next != std::string_view::npos)
      sources_.set_line_marker(scanner().file(), static_cast<std::uint32_t>(next + 1), line, file);
  }

  void include(Span span) {
    const auto rest = rest_of_line();
    if (rest.empty() || (rest[0].kind != TokenKind::String && rest[0].text != "<")) {
      malformed(span, "include", "needs a file name in quotation marks");
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
    const std::string quoted = rest[0].text;
    include_file(quoted.substr(1, quoted.size() - 2), rest[0].spelling);
  }

  /// `file` relative to the folder of the file that is being read.
  std::string path_beside(const std::string& file) {
    return (std::filesystem::path(sources_.name(scanner().file())).parent_path() / file).string();
  }

  void include_file(const std::string& file, Span span) {
    if (files_.size() >= kMaxIncludeDepth) {
      diags_.emit(DiagKind::IncludeTooDeep, span).arg(kMaxIncludeDepth);
      return;
    }
    const std::string path = path_beside(file);
    if (sources_.is_loaded(path)) return;
    std::string why;
    const auto id = sources_.load(path, &why);
    if (!id) {
      diags_.emit(DiagKind::CannotInclude, span).arg(path).arg(why);
      return;
    }
    include_ = id;
  }

  void define(Span span) {
    const auto rest = rest_of_line();
    if (rest.empty() || rest[0].kind != TokenKind::Name)
      malformed(span, "define", "needs a name");
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
      if (!parse_params(rest, pos, macro, is_native)) return;
    }
    macro.body.assign(rest.begin() + static_cast<std::ptrdiff_t>(pos), rest.end());
    const Macro* old = macros_.define(std::move(macro));
    if (old != nullptr && !is_native)
      diags_.emit(DiagKind::MacroRedefined, rest[0].spelling).arg(old->name).label(old->span, "first defined here");
  }

  /// Reads `( [ name { , name } ] )` and leaves `pos` behind it.
  bool parse_params(const std::vector<Token>& line, std::size_t& pos, Macro& macro, bool is_native) {
    ++pos;
    const auto text = [&] { return pos < line.size() ? std::string_view(line[pos].text) : ""; };
    while (text() != ")") {
      if (pos >= line.size() || line[pos].kind != TokenKind::Name) {
        if (!is_native) malformed(macro.span, "define", "has a parameter list that is no list of names");
        return false;
      }
      macro.params.push_back(line[pos++].text);
      if (text() == ",")
        ++pos;
      else if (text() != ")") {
        if (!is_native) malformed(macro.span, "define", "has a parameter list that is never closed");
        return false;
      }
    }
    ++pos;
    return true;
  }

  void undef(Span span) {
    const auto rest = rest_of_line();
    if (rest.empty() || rest[0].kind != TokenKind::Name)
      malformed(span, "undef", "needs a name");
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
    auto& conditionals = files_.back().conditionals;
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
    if (is_skipping()) {
      conditional.was_taken = true;  // no branch of it counts
      files_.back().conditionals.push_back(std::move(conditional));
      return;
    }
    const std::uint32_t begin = scanner().offset();
    const auto rest = rest_of_line();
    if (files_.back().native && !is_ours(rest)) {
      std::string text(sources_.text({scanner().file(), begin, scanner().offset()}));
      std::replace(text.begin(), text.end(), '\n', ' ');
      std::replace(text.begin(), text.end(), '\\', ' ');
      passed_on = Token{TokenKind::NativeLine, "#" + name.text + text, {}, span, span};
      conditional.is_active = conditional.is_passed_on = true;
    } else {
      conditional.is_active = conditional.was_taken = test(name.text, rest, span);
    }
    files_.back().conditionals.push_back(std::move(conditional));
  }

  void next_branch(const Token& name, Span span) {
    Conditional& conditional = files_.back().conditionals.back();
    if (conditional.has_else)
      diags_.emit(DiagKind::ConditionalAfterElse, span).arg(name.text).label(conditional.span, "of this");
    conditional.has_else = conditional.has_else || name.text == "else";
    if (conditional.was_taken) {
      conditional.is_active = false;
      return;
    }
    scanner().set_quiet(false);
    const bool is_taken = name.text == "else" || test(name.text, rest_of_line(), span);
    Conditional& same = files_.back().conditionals.back();
    same.is_active = same.was_taken = is_taken;
  }

  /// Whether a condition in a prefix block speaks of numbers and of this program's macros only.
  bool is_ours(const std::vector<Token>& condition) const {
    return std::all_of(condition.begin(), condition.end(), [&](const Token& t) {
      return t.kind != TokenKind::Name || t.text == "defined" || macros_.was_ever_defined(t.text);
    });
  }

  bool is_defined(const std::string& name) const {
    const Macro* macro = macros_.find(name);
    return macro != nullptr && !macro->is_function;
  }

  bool test(const std::string& name, const std::vector<Token>& line, Span span) {
    if (name == "ifdef" || name == "ifndef") {
      if (line.empty() || line[0].kind != TokenKind::Name) {
        malformed(span, name, "needs a name");
        return false;
      }
      return is_defined(line[0].text) == (name == "ifdef");
    }
    const std::vector<Token> expression = expander_.expand(replace_defined(line));
    std::string why;
    const auto value = evaluate_condition(expression, why);
    if (!value) {
      const Span where = line.empty() ? span : join(line.front().spelling, line.back().spelling);
      diags_.emit(DiagKind::ConditionNotConstant, where).arg(name).arg(why);
    }
    return value.value_or(0) != 0;
  }

  /// The line with `defined X` and `defined(X)` replaced by 1 or 0.
  std::vector<Token> replace_defined(const std::vector<Token>& line) const {
    std::vector<Token> out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool is_defined_word = line[i].kind == TokenKind::Name && line[i].text == "defined";
      const bool has_paren = i + 3 < line.size() && line[i + 1].text == "(" && line[i + 3].text == ")";
      const std::size_t name = i + (has_paren ? 2 : 1);
      out.push_back(line[i]);
      if (!is_defined_word || name >= line.size() || line[name].kind != TokenKind::Name) continue;
      out.back().kind = TokenKind::Integer;
      out.back().text = is_defined(line[name].text) ? "1" : "0";
      i = name + (has_paren ? 1 : 0);
    }
    return out;
  }

  SourceManager& sources_;
  Diagnostics& diags_;
  MacroTable macros_;
  MacroExpander expander_;
  std::deque<OpenFile> files_;
  std::optional<FileId> include_;  // to open when the line is done
  std::string carry_;              // newlines of lines that gave no token
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
