// SPDX-License-Identifier: MIT
#include "frontend/resolve/resolve.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "frontend/resolve/declarations.h"
#include "frontend/resolve/scope.h"
#include "lang/overloaded.h"
#include "lang/suggest.h"

namespace pb {
namespace {

using resolving::Declarations;
using resolving::TransformScope;

/// Whether a forward declaration has the signature of the full one (docs/reference/language.md 4.13).
bool same_signature(const ast::Transform& a, const ast::Transform& b) {
  const auto signature = [](const ast::Transform& transform) {
    std::vector<std::pair<ast::MatrixClauseKind, std::string>> out;
    for (const auto kind : {ast::MatrixClauseKind::To, ast::MatrixClauseKind::From}) {
      for (const ast::MatrixClause& clause : transform.matrix_clauses) {
        if (clause.kind != kind) continue;
        for (const ast::Matrix& matrix : clause.matrices) {
          std::string text = matrix.element ? std::string(spell(*matrix.element)) + " " : "";
          text += matrix.name.text;
          for (const Formula& extent : matrix.extents) text += "," + to_string(extent);
          if (matrix.versions) text += "<" + to_string(matrix.versions->last) + ">";
          out.emplace_back(kind, std::move(text));
        }
      }
    }
    return out;
  };
  return signature(a) == signature(b);
}

void report_duplicate(const ast::Transform& transform, const ast::Transform& first, Diagnostics& diags) {
  auto report = diags.emit(DiagKind::DuplicateTransform, transform.name.span);
  report.arg(transform.name.text);
  if (transform.name.span == first.name.span)
    report.hint("its file is included twice: write `#pragma once` in it");
  else
    report.label(first.name.span, "first declared here");
}

Declarations collect_declarations(const Ast& ast, Diagnostics& diags) {
  Declarations out;
  std::vector<const ast::Transform*> forwards;
  for (const ast::Transform* transform : ast.transforms()) {
    if (transform->kind == ast::TransformKind::Forward) {
      forwards.push_back(transform);
      continue;
    }
    const auto [found, is_new] = out.by_name.emplace(transform->name.text, transform);
    if (!is_new) {
      report_duplicate(*transform, *found->second, diags);
      continue;
    }
    out.full.push_back(transform);
  }
  for (const ast::Transform* forward : forwards) {
    const auto found = out.by_name.find(forward->name.text);
    if (found == out.by_name.end() || same_signature(*forward, *found->second)) continue;
    diags.emit(DiagKind::ForwardMismatch, forward->name.span)
        .arg(forward->name.text)
        .label(found->second->name.span, "the full declaration");
  }
  return out;
}

/// The main transform (docs/reference/language.md 4.11). Null after an error.
const ast::Transform* select_main(const Declarations& declarations, const std::string& name, Diagnostics& diags) {
  const ast::Transform* main = declarations.full.empty() ? nullptr : declarations.full.back();
  const ast::Transform* marked = nullptr;
  for (const ast::Transform* transform : declarations.full) {
    if (!transform->is_main) continue;
    if (marked) {
      diags.emit(DiagKind::TwoMains, transform->main_span).label(marked->main_span, "first marked here");
      continue;
    }
    main = marked = transform;
  }
  if (name.empty()) return main;
  const auto found = declarations.by_name.find(name);
  if (found != declarations.by_name.end()) return found->second;
  auto diag = diags.emit(DiagKind::UnknownMain).arg(name);
  if (const std::string hint = suggest(name, resolving::names_of(declarations)); !hint.empty()) diag.hint(hint);
  return nullptr;
}

/// Warns if `main` was taken only because it is the last transform, and it makes the inputs of another transform.
void warn_of_generator(const Program& program, const Declarations& declarations, Diagnostics& diags) {
  const auto is_marked = [](const ast::Transform* transform) { return transform->is_main; };
  if (std::any_of(declarations.full.begin(), declarations.full.end(), is_marked)) return;
  const Transform& main = program.transforms[program.main];
  for (const Transform& user : program.transforms) {
    if (!user.generator || program.transforms[*user.generator].source_name != main.source_name) continue;
    diags.emit(DiagKind::MainIsGenerator, main.span)
        .arg(main.source_name)
        .arg(user.source_name)
        .label(user.span, "its inputs are made here")
        .hint("write `main transform " + user.source_name + "`, or choose with `pbc --main NAME`");
    return;
  }
}

/// What turns a declaration into one transform: its template and the template's arguments.
struct Instance {
  const ast::Transform& source;
  const resolving::TemplateHeader* of_template = nullptr;  ///< null: it is no template
  std::vector<std::int64_t> args;
};

/// The accuracy of an instance; its metric is bound later.
std::optional<Accuracy> accuracy_of(const Instance& instance) {
  const bool has_bins = instance.of_template != nullptr && !instance.of_template->targets.empty();
  if (!has_bins && !instance.source.accuracy_metric) return std::nullopt;
  Accuracy out;
  if (!has_bins) return out;
  out.target = instance.of_template->targets[static_cast<std::size_t>(instance.args.back())];
  out.higher_is_better = instance.of_template->higher_is_better;
  return out;
}

Transform resolve_transform(const Instance& instance, ElementType element, Diagnostics& diags) {
  const ast::Transform& source = instance.source;
  Transform out;
  out.name = source.name.text;
  out.source_name = source.name.text;
  out.template_args = instance.args;
  out.accuracy = accuracy_of(instance);
  out.span = source.name.span;
  out.is_memoized = source.is_memoized;
  TransformScope scope{source, out, diags, element, {}, {}, {}, {}, 0, {}};
  for (std::size_t i = 0; i < source.template_params.size(); ++i) {
    const ast::Name& name = source.template_params[i].name;
    scope.constants.emplace(name.text, make_int(instance.args[i], name.span));
  }
  resolve_header(scope);
  resolve_rules(scope);
  return out;
}

/// Adds the transforms that a declaration stands for: one, or an instance per combination of template arguments.
void resolve_declaration(const ast::Transform& source, ElementType element, Program& program,
                         Declarations& declarations, Diagnostics& diags) {
  const std::size_t errors_before = diags.num_errors();
  resolving::check_names(source, diags);
  const auto header = resolving::read_template(source, diags);
  if (diags.num_errors() != errors_before) return;
  const TransformId first(program.transforms.size());
  declarations.ids.emplace(source.name.text, first);
  if (!header) {
    program.transforms.add(resolve_transform({source, nullptr, {}}, element, diags));
    return;
  }
  const Template made{source.name.text, header->params, first};
  program.templates.add(made);
  for (std::size_t i = 0; i < made.num_instances(); ++i) {
    Diagnostics messages;
    const std::vector<std::int64_t> args = made.args_of(i);
    Transform instance = resolve_transform({source, &*header, args}, element, messages);
    instance.name = made.name_of(args);
    const TransformId id = program.transforms.add(std::move(instance));
    diags.add_new(messages, program.instance_note(id));
  }
}

std::string program_name(const Ast& ast, const SourceManager& sources) {
  if (ast.main_file == kNoFile) return "program";
  return std::filesystem::path(sources.name(ast.main_file)).stem().string();
}

/// Notes words of the user's C++, such as `run_FFT`, which generated code must not use.
void note_stems(const std::vector<BodyToken>& tokens, std::set<std::string>& stems) {
  static const std::set<std::string_view> kVerbs = {"call",   "enter", "extents", "lanes", "loops", "memo", "packs",
                                                    "ranges", "rule",  "run",     "solve", "spawn", "step"};
  for (const BodyToken& token : tokens) {
    const std::string_view word = token.text;
    const std::size_t verb = word.find('_');
    if (verb == std::string_view::npos || !kVerbs.contains(word.substr(0, verb))) continue;
    for (std::size_t end = verb; end != std::string_view::npos;) {
      end = word.find('_', end + 1);
      stems.emplace(word.substr(verb + 1, end == std::string_view::npos ? end : end - verb - 1));
    }
  }
}

void note_stems(Program& program) {
  for (const NativeBlock& block : program.native_blocks) note_stems(block.tokens, program.taken_stems);
  for (const Transform& transform : program.transforms)
    for (const Rule& rule : transform.rules) note_stems(rule.body.tokens, program.taken_stems);
}

}  // namespace

std::optional<Program> resolve(const Ast& ast, const SourceManager& sources, const ResolveOptions& options,
                               Diagnostics& diags) {
  const std::size_t errors_before = diags.num_errors();
  Program program;
  program.name = program_name(ast, sources);
  program.element = options.element;
  for (const ast::NativeBlock* block : ast.native_blocks())
    program.native_blocks.push_back({block->tokens, block->span});
  Declarations declarations = collect_declarations(ast, diags);
  for (const ast::Transform* source : declarations.full) {
    resolve_declaration(*source, options.element, program, declarations, diags);
  }
  resolving::bind_references(program, declarations, diags);
  const ast::Transform* main = select_main(declarations, options.main_name, diags);
  if (diags.num_errors() != errors_before) return std::nullopt;
  if (!main) return std::nullopt;  // a file without transforms: the parser has said so
  program.main = declarations.ids.at(main->name.text);
  if (options.main_name.empty()) warn_of_generator(program, declarations, diags);
  note_stems(program);
  return program;
}

}  // namespace pb
