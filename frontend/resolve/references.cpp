// SPDX-License-Identifier: MIT
// Transforms that headers name: generators, metrics, verifiers, input features.
#include <initializer_list>
#include <optional>

#include "frontend/resolve/declarations.h"
#include "lang/suggest.h"

namespace pb::resolving {
namespace {

/// The transform of that name; null after an error.
const ast::Transform* find_transform(const ast::Name& name, const Declarations& declarations, Diagnostics& diags) {
  const auto found = declarations.by_name.find(name.text);
  if (found != declarations.by_name.end()) return found->second;
  auto diag = diags.emit(DiagKind::UnknownTransform, name.span).arg(name.text);
  if (const std::string hint = suggest(name.text, names_of(declarations)); !hint.empty()) diag.hint(hint);
  return nullptr;
}

/// The type of a matrix's elements as its header has it.
std::string element_of(const Matrix& matrix) {
  return matrix.is_element_t ? "ElementT" : std::string(header_word(matrix.element));
}

/// Outputs of the generator, pairwise in order, become inputs of the transform (docs/reference/language.md 4.8).
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
    if (input.num_dims() == output.num_dims() && input.element != output.element) {
      diags.emit(DiagKind::GeneratorElement, span)
          .arg(output.name)
          .arg(element_of(output))
          .arg(input.name)
          .arg(element_of(input))
          .label(output.span, "made here")
          .label(input.span, "needed here");
    }
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

/// A transform that judges results: its name in messages, and the matrices that it is given.
struct Judge {
  const char* word;
  const ast::Name& name;
  std::vector<MatrixId> given;
};

/// A judge takes the matrices in order and makes one number (docs/reference/language.md 4.7, 20.5).
void check_judge(const Transform& transform, const Transform& judge, const Judge& role, Diagnostics& diags) {
  const auto inputs = judge.matrices_of(MatrixRole::From);
  const auto outputs = judge.matrices_of(MatrixRole::To);
  if (outputs.size() != 1 || judge.matrices[outputs[0]].num_dims() != 0) {
    diags.emit(DiagKind::JudgeOutput, role.name.span)
        .arg(role.word)
        .arg(role.name.text)
        .label(judge.span, "declared here")
        .hint("its header ends in `to OK`, one matrix without dimensions");
    return;
  }
  if (inputs.size() != role.given.size()) {
    std::string list;
    for (const MatrixId id : role.given) list += (list.empty() ? "" : ", ") + transform.matrices[id].name;
    diags.emit(DiagKind::JudgeInputCount, role.name.span)
        .arg(role.word)
        .arg(role.name.text)
        .arg(inputs.size())
        .arg(inputs.size() == 1 ? "" : "s")
        .arg(transform.source_name)
        .arg(role.given.size())
        .label(judge.span, "declared here")
        .hint("it takes, in this order, " + list);
    return;
  }
  if (const SizeVar* param = judge.param_of_run())
    diags.emit(DiagKind::ParamOfCallee, role.name.span)
        .arg(param->name)
        .arg(judge.source_name)
        .label(param->span, "declared here")
        .hint("give it the value as a matrix of dimension 0");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Matrix& input = judge.matrices[inputs[i]];
    const Matrix& given = transform.matrices[role.given[i]];
    if (input.num_dims() == given.num_dims() && input.element != given.element) {
      diags.emit(DiagKind::JudgeElement, role.name.span)
          .arg(input.name)
          .arg(role.word)
          .arg(role.name.text)
          .arg(element_of(input))
          .arg(given.name)
          .arg(element_of(given))
          .label(input.span, "taken here")
          .label(given.span, "given from here");
    }
    if (input.num_dims() == given.num_dims()) continue;
    diags.emit(DiagKind::JudgeDimensions, role.name.span)
        .arg(input.name)
        .arg(role.word)
        .arg(role.name.text)
        .arg(input.num_dims())
        .arg(input.num_dims() == 1 ? "" : "s")
        .arg(given.name)
        .arg(given.num_dims())
        .label(input.span, "taken here")
        .label(given.span, "given from here");
  }
}

std::vector<MatrixId> joined(std::initializer_list<std::vector<MatrixId>> lists) {
  std::vector<MatrixId> out;
  for (const auto& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

/// Binds what one header names to transforms; `id`: its (first) transform.
class ReferenceBinder {
 public:
  ReferenceBinder(Program& program, const Declarations& declarations, Diagnostics& diags)
      : program_(program), declarations_(declarations), diags_(diags) {}

  void bind(const ast::Transform& source) {
    for (const ast::Name& feature : source.input_features) (void)find_transform(feature, declarations_, diags_);
    const auto own = declarations_.ids.find(source.name.text);
    const auto generator = target(source.generator);
    const auto metric = target(source.accuracy_metric);
    const auto verifier = target(source.verify);
    if (own == declarations_.ids.end()) return;
    for (const TransformId id : program_.transforms.ids()) {
      Transform& transform = program_.transforms[id];
      if (transform.source_name != source.name.text) continue;
      transform.generator = generator;
      transform.verifier = verifier;
      if (metric) transform.accuracy->metric = metric;
      for (const ast::Name& feature : source.input_features) transform.input_features.push_back(feature.text);
    }
    const Transform& transform = program_.transforms[own->second];
    const auto from = transform.matrices_of(MatrixRole::From);
    const auto to = transform.matrices_of(MatrixRole::To);
    if (generator) check_generator(transform, program_.transforms[*generator], source.generator->span, diags_);
    if (metric)
      check_judge(transform, program_.transforms[*metric], {"metric", *source.accuracy_metric, joined({to, from})},
                  diags_);
    if (verifier)
      check_judge(transform, program_.transforms[*verifier], {"verifier", *source.verify, joined({to, to, from})},
                  diags_);
  }

 private:
  /// The transform that a name means; nothing if no name is given or after an error.
  [[nodiscard]] std::optional<TransformId> target(const std::optional<ast::Name>& name) const {
    if (!name) return std::nullopt;
    const ast::Transform* found = find_transform(*name, declarations_, diags_);
    const auto id = found == nullptr ? declarations_.ids.end() : declarations_.ids.find(found->name.text);
    if (id == declarations_.ids.end()) return std::nullopt;
    return id->second;
  }

  Program& program_;
  const Declarations& declarations_;
  Diagnostics& diags_;
};

}  // namespace

std::vector<std::string> names_of(const Declarations& declarations) {
  std::vector<std::string> names;
  for (const ast::Transform* transform : declarations.full) names.push_back(transform->name.text);
  return names;
}

void bind_references(Program& program, const Declarations& declarations, Diagnostics& diags) {
  ReferenceBinder binder(program, declarations, diags);
  for (const ast::Transform* source : declarations.full) binder.bind(*source);
}

}  // namespace pb::resolving
