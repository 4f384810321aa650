// SPDX-License-Identifier: MIT
#include "frontend/resolve/resolve.h"

#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "frontend/resolve/scope.h"
#include "frontend/resolve/suggest.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

using resolving::TransformScope;

/// Transforms of the program by name; forward declarations apart.
struct Declarations {
  std::vector<const ast::Transform*> full;
  std::map<std::string, const ast::Transform*> by_name;
  std::map<std::string, TransformId> ids;  ///< of those that could be resolved
};

/// LANGUAGE 4.13: a forward declaration has the signature of the full one that follows.
bool same_signature(const ast::Transform& a, const ast::Transform& b) {
  const auto signature = [](const ast::Transform& transform) {
    std::vector<std::pair<ast::MatrixClauseKind, std::string>> out;
    for (const auto kind : {ast::MatrixClauseKind::To, ast::MatrixClauseKind::From}) {
      for (const ast::MatrixClause& clause : transform.matrix_clauses) {
        if (clause.kind != kind) continue;
        for (const ast::Matrix& matrix : clause.matrices) {
          std::string text = matrix.name.text;
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
      diags.emit(DiagKind::DuplicateTransform, transform->name.span)
          .arg(transform->name.text)
          .label(found->second->name.span, "first declared here");
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

std::vector<std::string> names_of(const Declarations& declarations) {
  std::vector<std::string> names;
  for (const ast::Transform* transform : declarations.full) names.push_back(transform->name.text);
  return names;
}

/// Null after an error.
const ast::Transform* find_transform(const ast::Name& name, const Declarations& declarations, Diagnostics& diags) {
  const auto found = declarations.by_name.find(name.text);
  if (found != declarations.by_name.end()) return found->second;
  auto diag = diags.emit(DiagKind::UnknownTransform, name.span).arg(name.text);
  if (const std::string hint = suggest(name.text, names_of(declarations)); !hint.empty()) diag.hint(hint);
  return nullptr;
}

/// LANGUAGE 4.8: outputs of the generator, pairwise in order, become inputs of the transform.
void check_generator(const Transform& transform, const Transform& generator, Span span, Diagnostics& diags) {
  const auto inputs = transform.matrices_of(MatrixRole::From);
  const auto made = generator.matrices_of(MatrixRole::To);
  if (inputs.size() != made.size()) {
    diags.emit(DiagKind::GeneratorOutputCount, span)
        .arg(generator.name)
        .arg(made.size())
        .arg(transform.name)
        .arg(inputs.size())
        .label(generator.span, "the generator");
    return;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Matrix& input = transform.matrices[inputs[i]];
    const Matrix& output = generator.matrices[made[i]];
    if (input.num_dims() == output.num_dims()) continue;
    diags.emit(DiagKind::GeneratorDimensions, span)
        .arg(output.name)
        .arg(output.num_dims())
        .arg(input.name)
        .arg(input.num_dims())
        .label(output.span, "made here")
        .label(input.span, "needed here");
  }
}

void bind_references(Program& program, Declarations& declarations, Diagnostics& diags) {
  for (const ast::Transform* source : declarations.full) {
    for (const ast::Name& feature : source->input_features) (void)find_transform(feature, declarations, diags);
    if (!source->generator) continue;
    const ast::Transform* target = find_transform(*source->generator, declarations, diags);
    if (!target || !declarations.ids.contains(target->name.text) || !declarations.ids.contains(source->name.text))
      continue;
    Transform& transform = program.transforms[declarations.ids.at(source->name.text)];
    transform.generator = declarations.ids.at(target->name.text);
    check_generator(transform, program.transforms[*transform.generator], source->generator->span, diags);
  }
}

/// LANGUAGE 4.11. Null after an error.
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
  if (const std::string hint = suggest(name, names_of(declarations)); !hint.empty()) diag.hint(hint);
  return nullptr;
}

Transform resolve_transform(const ast::Transform& source, ElementType element, Diagnostics& diags) {
  Transform out;
  out.name = source.name.text;
  out.source_name = source.name.text;
  out.span = source.name.span;
  out.is_memoized = source.is_memoized;
  TransformScope scope{source, out, diags, element, {}, {}, {}, {}};
  resolve_header(scope);
  resolve_rules(scope);
  return out;
}

std::string program_name(const Ast& ast, const SourceManager& sources) {
  if (ast.main_file == kNoFile) return "program";
  return std::filesystem::path(sources.name(ast.main_file)).stem().string();
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
    if (!resolving::check_supported(*source, diags)) continue;
    const TransformId id = program.transforms.add(resolve_transform(*source, options.element, diags));
    declarations.ids.emplace(source->name.text, id);
  }
  bind_references(program, declarations, diags);
  const ast::Transform* main = select_main(declarations, options.main_name, diags);
  if (diags.num_errors() != errors_before) return std::nullopt;
  if (!main) return std::nullopt;  // a file without transforms: the parser has said so
  program.main = declarations.ids.at(main->name.text);
  return program;
}

}  // namespace pb
