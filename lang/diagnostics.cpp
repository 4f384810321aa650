// SPDX-License-Identifier: MIT
#include "lang/diagnostics.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>

#include "lang/check.h"

namespace pb {
namespace {

constexpr DiagInfo kTable[] = {
#define PB_ERROR(id, text) {DiagKind::id, #id, Severity::Error, text, false, {}},
#define PB_WARNING(id, text) {DiagKind::id, #id, Severity::Warning, text, false, {}},
#define PB_UNSUPPORTED(id, thing, doc) {DiagKind::id, #id, Severity::Error, thing " is not supported yet", true, doc},
#include "lang/diagnostics.def"
#undef PB_ERROR
#undef PB_WARNING
#undef PB_UNSUPPORTED
};

}  // namespace

std::span<const DiagInfo> all_diagnostics() { return kTable; }

const DiagInfo& info_of(DiagKind kind) { return kTable[static_cast<std::size_t>(kind)]; }

std::optional<DiagKind> kind_named(std::string_view id) {
  for (const DiagInfo& info : kTable)
    if (info.id == id) return info.kind;
  return std::nullopt;
}

std::string Diagnostic::message() const {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& a : args) store.push_back(a);
  try {
    return fmt::vformat(info_of(kind).format, store);
  } catch (const fmt::format_error&) {
    PB_CHECK(false, "a diagnostic has fewer arguments than its text");
  }
}

DiagBuilder& DiagBuilder::arg(std::string_view text) {
  diagnostic_.args.emplace_back(text);
  return *this;
}

DiagBuilder& DiagBuilder::label(std::string_view text) {
  diagnostic_.primary_label = text;
  return *this;
}

DiagBuilder& DiagBuilder::label(Span span, std::string_view text) {
  diagnostic_.labels.push_back({span, std::string(text)});
  return *this;
}

DiagBuilder& DiagBuilder::note(Span span, std::string_view text) {
  diagnostic_.notes.push_back({span, std::string(text)});
  return *this;
}

DiagBuilder& DiagBuilder::hint(std::string_view text) {
  diagnostic_.hints.emplace_back(text);
  return *this;
}

void Diagnostics::silence(DiagKind kind) {
  PB_CHECK(info_of(kind).severity == Severity::Warning, "errors are not silenced");
  silenced_.insert(kind);
}

DiagBuilder Diagnostics::emit(DiagKind kind, Span span) {
  Diagnostic diagnostic{kind, span, {}, {}, {}, {}, {}};
  if (silenced_.contains(kind)) {
    discarded_ = std::move(diagnostic);
    return DiagBuilder(discarded_);
  }
  const bool is_error = info_of(kind).severity == Severity::Error;
  ++(is_error ? num_errors_ : num_warnings_);
  if (num_errors_ > error_limit_) {
    ++num_dropped_;
    discarded_ = std::move(diagnostic);
    return DiagBuilder(discarded_);
  }
  kept_.push_back(std::move(diagnostic));
  return DiagBuilder(kept_.back());
}

DiagBuilder Diagnostics::add(const Diagnostic& diagnostic) {
  DiagBuilder builder = emit(diagnostic.kind, diagnostic.span);
  builder.diagnostic_ = diagnostic;
  return builder;
}

void Diagnostics::add_new(const Diagnostics& others, std::string_view note) {
  // Notes are not compared, because they may name an instance.
  const auto is_same = [](const Diagnostic& a, const Diagnostic& b) {
    return a.kind == b.kind && a.span == b.span && a.args == b.args && a.primary_label == b.primary_label &&
           a.labels == b.labels && a.hints == b.hints;
  };
  for (const Diagnostic& other : others.all()) {
    if (std::any_of(kept_.begin(), kept_.end(), [&](const Diagnostic& known) { return is_same(known, other); }))
      continue;
    DiagBuilder builder = add(other);
    if (!note.empty()) builder.note(note);
  }
}

void Diagnostics::sort_by_position(std::size_t first) {
  PB_CHECK(first <= kept_.size(), "sorting begins at a diagnostic that was emitted");
  std::stable_sort(kept_.begin() + static_cast<std::ptrdiff_t>(first), kept_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span < b.span; });
}

bool Diagnostics::has(DiagKind kind) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const Diagnostic& d) { return d.kind == kind; });
}

}  // namespace pb
