// SPDX-License-Identifier: MIT
#include "frontend/check_types/read_only.h"

#include <string>

namespace pb::checking {
namespace {

/// The input region whose cell `id` names; null if it names none.
const RegionAccess* read_only_region(const BodyContext& context, ExprId id) {
  const auto* member = std::get_if<MemberExpr>(&context.body().exprs[id].node);
  if (!member || member->name != "cell" || member->object.is_none()) return nullptr;
  const NameBinding& binding = context.binding_of(member->object);
  return binding.kind == NameKind::Input ? &context.rule.inputs[binding.index] : nullptr;
}

/// The word for a name that a body may only read; null if it may write to it.
const char* word_for_read_only(NameKind kind) {
  switch (kind) {
    case NameKind::Input:
    case NameKind::ScalarInput:
      return "input";
    case NameKind::SizeVar:
      return "size variable";
    case NameKind::RuleVar:
      return "rule variable";
    case NameKind::Tunable:
      return "tunable";
    case NameKind::Constant:
      return "constant";
    case NameKind::Unknown:
    case NameKind::Local:
    case NameKind::Output:
    case NameKind::Temporary:
    case NameKind::Param:
    case NameKind::BuiltIn:
      return nullptr;
  }
  return nullptr;
}

}  // namespace

void report_if_read_only(BodyContext& context, ExprId target, Span span) {
  if (const RegionAccess* region = read_only_region(context, target)) {
    context.diags.emit(DiagKind::WriteToReadOnly, span)
        .arg("input `" + region->binding + "`")
        .label(region->span, "given here in `from`");
    return;
  }
  const auto* name = std::get_if<NameExpr>(&context.body().exprs[target].node);
  if (!name || context.type_of(target).kind == BodyType::Kind::Region) return;
  const char* what = word_for_read_only(context.binding_of(target).kind);
  if (what == nullptr) return;
  DiagBuilder message = context.diags.emit(DiagKind::WriteToReadOnly, span);
  message.arg(std::string(what) + " `" + name->text + "`");
  if (std::string_view(what) == "input") message.hint("change a copy of it: `auto own = " + name->text + ";`");
}

}  // namespace pb::checking
