// SPDX-License-Identifier: MIT
// Messages about the user's program. Stages collect them in a sink that the driver owns;
// rendering is apart. The kinds and their texts stand in lang/diagnostics.def.
//
//   diags.emit(DiagKind::UnknownMatrix, span).arg(name).label(decl_span, "declared here").hint("…");
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/source.h"
#include "lang/span.h"

namespace pb {

enum class Severity : std::uint8_t { Warning, Error };

enum class DiagKind : std::uint16_t {
#define PB_ERROR(id, text) id,
#define PB_WARNING(id, text) id,
#define PB_UNSUPPORTED(id, thing, doc) id,
#include "lang/diagnostics.def"
#undef PB_ERROR
#undef PB_WARNING
#undef PB_UNSUPPORTED
};

struct DiagInfo {
  DiagKind kind;
  std::string_view id;  ///< as in the .def: `SyntaxError`
  Severity severity;
  std::string_view format;  ///< `{}` per argument
  bool is_status;           ///< something that is not supported yet
  std::string_view doc;     ///< only for a status kind: its words in docs/status.md
};

/// The table of all kinds, in the order of the .def.
[[nodiscard]] std::span<const DiagInfo> all_diagnostics();
[[nodiscard]] const DiagInfo& info_of(DiagKind kind);
/// The kind of that name, as docs/errors.md and the ends of warnings spell it: `MacroNotCalled`.
[[nodiscard]] std::optional<DiagKind> kind_named(std::string_view id);

struct DiagLabel {
  Span span;
  std::string text;
  bool operator==(const DiagLabel&) const = default;
};

struct Diagnostic {
  DiagKind kind;
  Span span;  ///< the narrowest wrong text; unknown: the message is about no place
  std::vector<std::string> args;
  std::string primary_label;      ///< words beside the caret; may be empty
  std::vector<DiagLabel> labels;  ///< other places, shown with their line
  std::vector<DiagLabel> notes;   ///< span may be unknown
  std::vector<std::string> hints;

  /// The text of the kind with the arguments filled in.
  [[nodiscard]] std::string message() const;
};

class Diagnostics;

/// Adds to the diagnostic just emitted; use as one expression.
class DiagBuilder {
 public:
  DiagBuilder& arg(std::string_view text);
  DiagBuilder& arg(std::integral auto number) { return arg(std::string_view(std::to_string(number))); }
  /// Adds words beside the primary caret.
  DiagBuilder& label(std::string_view text);
  /// Adds a label at a second place.
  DiagBuilder& label(Span span, std::string_view text);
  DiagBuilder& note(Span span, std::string_view text);
  DiagBuilder& note(std::string_view text) { return note(Span{}, text); }
  DiagBuilder& hint(std::string_view text);

 private:
  friend class Diagnostics;
  explicit DiagBuilder(Diagnostic& diagnostic) : diagnostic_(diagnostic) {}
  Diagnostic& diagnostic_;
};

class Diagnostics {
 public:
  static constexpr std::size_t kDefaultErrorLimit = 50;
  explicit Diagnostics(std::size_t error_limit = kDefaultErrorLimit) : error_limit_(error_limit) {}

  /// Drops warnings of this kind from now on. Pre: `kind` is a warning.
  void silence(DiagKind kind);

  /// Records a diagnostic. Errors beyond the limit are counted but not kept; silenced warnings are neither.
  DiagBuilder emit(DiagKind kind, Span span = {});

  /// Records a copy of a diagnostic of another sink.
  DiagBuilder add(const Diagnostic& diagnostic);
  /// Records copies of the diagnostics of `others` that this sink lacks, with `note` if it is not empty. A mistake in a
  /// template is a mistake in most of its instances, and is reported only once.
  void add_new(const Diagnostics& others, std::string_view note = {});

  /// Sorts the diagnostics from index `first` on by their places, for a stage that looks at the program more than once.
  void sort_by_position(std::size_t first);

  [[nodiscard]] const std::vector<Diagnostic>& all() const { return kept_; }
  [[nodiscard]] std::size_t num_errors() const { return num_errors_; }
  [[nodiscard]] std::size_t num_warnings() const { return num_warnings_; }
  [[nodiscard]] bool has_errors() const { return num_errors_ > 0; }
  [[nodiscard]] bool has(DiagKind kind) const;
  [[nodiscard]] std::size_t num_dropped() const { return num_dropped_; }

 private:
  std::size_t error_limit_;
  std::size_t num_errors_ = 0;
  std::size_t num_warnings_ = 0;
  std::size_t num_dropped_ = 0;
  std::set<DiagKind> silenced_;
  std::vector<Diagnostic> kept_;
  Diagnostic discarded_{};  // what builders of dropped diagnostics write to
};

/// All messages as text, in the order in which they were emitted: position, message, source line with carets, labels,
/// notes, hints.
[[nodiscard]] std::string render(const Diagnostics& diags, const SourceManager& sources, bool use_colours = false);
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceManager& sources, bool use_colours = false);

}  // namespace pb
