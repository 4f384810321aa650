// SPDX-License-Identifier: MIT
// Diagnostics as text.
#include <fmt/format.h>

#include <algorithm>

#include "lang/diagnostics.h"

namespace pb {
namespace {

constexpr std::size_t kMaxLineWidth = 160;  // longer source lines are shown in part

struct Colours {
  std::string_view bold, error, warning, note, label, reset;
};
constexpr Colours kPlain{};
constexpr Colours kAnsi{"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Blanks as wide as `text`: tabs stay, a multi-byte character counts once.
std::string blanks_like(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!is_continuation_byte(c)) out += c == '\t' ? '\t' : ' ';
  return out;
}

std::size_t num_columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation_byte(c); }));
}

/// A line as it is shown: with `?` in place of control characters.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') c = '?';
  return out;
}

class Renderer {
 public:
  Renderer(const SourceManager& sources, bool use_colours) : sources_(sources), c_(use_colours ? kAnsi : kPlain) {}

  void add(const Diagnostic& d) {
    const DiagInfo& info = info_of(d.kind);
    if (info.severity == Severity::Error) {
      head(d.span, c_.error, "error", d.message());
    } else {
      head(d.span, c_.warning, "warning", d.message(), fmt::format(" [{}]", info.id));
    }
    snippet(d.span, '^', d.primary_label);
    for (const DiagLabel& l : d.labels) {
      if (!l.span.is_known()) continue;
      if (!same_line(l.span, d.span)) place(l.span);
      snippet(l.span, '~', l.text);
    }
    for (const DiagLabel& n : d.notes) {
      head(n.span, c_.note, "note", n.text);
      snippet(n.span, '^', {});
    }
    for (const std::string& hint : d.hints) out_ += fmt::format("{}hint:{} {}\n", c_.note, c_.reset, hint);
  }

  void add_line(const std::string& line) { out_ += line + '\n'; }
  std::string take() { return std::move(out_); }

 private:
  /// Prints the line of a message. `name` stands at its end, for --no-warn.
  void head(Span span, std::string_view colour, std::string_view word, const std::string& message,
            const std::string& name = {}) {
    if (span.is_known()) {
      const Position p = sources_.begin_of(span);
      out_ += fmt::format("{}{}:{}:{}:{} ", c_.bold, p.file, p.line, p.column, c_.reset);
    }
    out_ += fmt::format("{}{}:{} {}{}{}{}\n", colour, word, c_.reset, c_.bold, message, c_.reset, name);
  }

  void place(Span span) {
    const Position p = sources_.begin_of(span);
    out_ += fmt::format("  {}:{}:{}:\n", p.file, p.line, p.column);
  }

  bool same_line(Span a, Span b) const {
    return b.is_known() && a.file == b.file &&
           sources_.line_span(a.file, a.begin) == sources_.line_span(b.file, b.begin);
  }

  void snippet(Span span, char mark, std::string_view label) {
    if (!span.is_known()) return;
    Span line = sources_.line_span(span.file, span.begin);
    const std::uint32_t begin = std::min(span.begin, line.end);
    if (line.end - line.begin > kMaxLineWidth) {
      const std::uint32_t first = begin - line.begin > kMaxLineWidth / 2 ? begin - kMaxLineWidth / 2 : line.begin;
      line = {line.file, first, std::min<std::uint32_t>(line.end, first + kMaxLineWidth)};
    }
    const std::uint32_t end = std::clamp(span.end, begin, line.end);
    const std::string number = fmt::format("{:>5}", sources_.position(span.file, span.begin).line);
    out_ += fmt::format("{} | {}\n", number, printable(sources_.text(line)));
    const std::size_t width = std::max<std::size_t>(1, num_columns(sources_.text({line.file, begin, end})));
    std::string marks(1, mark);
    marks.append(width - 1, '~');
    const std::string pad = blanks_like(sources_.text({line.file, line.begin, begin}));
    out_ += fmt::format("      | {}{}{}{}{}{}\n", pad, c_.label, marks, label.empty() ? "" : " ", label, c_.reset);
  }

  const SourceManager& sources_;
  const Colours& c_;
  std::string out_;
};

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceManager& sources, bool use_colours) {
  Renderer renderer(sources, use_colours);
  renderer.add(diagnostic);
  return renderer.take();
}

std::string render(const Diagnostics& diags, const SourceManager& sources, bool use_colours) {
  Renderer renderer(sources, use_colours);
  for (const Diagnostic& d : diags.all()) renderer.add(d);
  if (diags.num_dropped() > 0) renderer.add_line(fmt::format("{} more messages are not shown", diags.num_dropped()));
  return renderer.take();
}

}  // namespace pb
