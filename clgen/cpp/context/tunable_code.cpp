// SPDX-License-Identifier: MIT
#include "clgen/cpp/context/tunable_code.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "clgen/facts/names.h"

namespace pb {
namespace {

std::string number_text(double value, bool is_real) {
  char buffer[32];
  if (is_real) return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
  return std::to_string(std::llround(std::clamp(value, -9.0e18, 9.0e18)));
}

std::string list_text(const PlanTunable& tunable, std::size_t count) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < count; ++i) items.push_back(number_text(tunable.fixed[i], tunable.is_real));
  return "{" + joined(items) + "}";
}

/// Whether the tunable is fixed to the same value at all sizes.
bool is_constant(const PlanTunable& tunable) {
  const auto count = static_cast<std::size_t>(tunable.count);
  for (std::size_t i = count; i < tunable.fixed.size(); ++i)
    if (tunable.fixed[i] != tunable.fixed[i - count]) return false;
  return !tunable.fixed.empty();
}

std::string table_name(const CppContext& context, TransformId transform, std::size_t index) {
  return "kFixed_" + identifier_of(context.program, transform) + "_" + std::to_string(index);
}

bool is_array(const CppContext& context, TransformId transform, const PlanTunable& tunable) {
  return tunable.user ? context.program.transforms[transform].tunables[*tunable.user].array_extent > 0
                      : is_shape(tunable.role);
}

std::string from_run(const CppContext& context, TransformId transform, std::size_t index, const std::string& getter,
                     const std::string& n) {
  return getter + "(" + tunable_constant(context, transform, index) + ", " + n + ")";
}

}  // namespace

std::string tunable_type(const UserTunable& declared) {
  const std::string element = declared.is_real ? "double" : "IndexT";
  return declared.array_extent > 0 ? "std::array<" + element + ", " + std::to_string(declared.array_extent) + ">"
                                   : element;
}

std::string fold_order_name(RuleId rule) { return "pb_any_order_" + std::to_string(rule.index()); }
std::string fold_chunk_name(RuleId rule) { return "pb_fold_chunk_" + std::to_string(rule.index()); }

std::optional<ConstantText> constant_text(const PlanTunable& tunable, const UserTunable& declared) {
  if (!is_constant(tunable)) return std::nullopt;
  const std::string type = tunable_type(declared);
  if (declared.array_extent > 0)
    return ConstantText{"static constexpr " + type, list_text(tunable, static_cast<std::size_t>(tunable.count))};
  return ConstantText{"constexpr " + type, number_text(tunable.fixed.front(), tunable.is_real)};
}

void emit_fixed_values(Writer& out, const CppContext& context, TransformId transform) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  for (std::size_t i = 0; i < plan.tunables.size(); ++i) {
    const PlanTunable& tunable = plan.tunables[i];
    if (tunable.fixed.empty() || (is_constant(tunable) && !is_array(context, transform, tunable))) continue;
    const std::size_t count = is_constant(tunable) ? static_cast<std::size_t>(tunable.count) : tunable.fixed.size();
    out.line("constexpr " + std::string(tunable.is_real ? "double " : "std::int64_t ") +
             table_name(context, transform, i) + "[] = " + list_text(tunable, count) + ";  // " + tunable.name);
  }
}

std::string tunable_value(const CppContext& context, TransformId transform, std::size_t index, const std::string& run,
                          const std::string& n) {
  const PlanTunable& tunable = context.plan.transforms[transform.index()].tunables[index];
  if (is_constant(tunable)) return number_text(tunable.fixed.front(), tunable.is_real);
  if (!tunable.fixed.empty()) return table_name(context, transform, index) + "[pbrt::size_bucket(" + n + ")]";
  return from_run(context, transform, index, run + (tunable.is_real ? ".tunable_real" : ".tunable_int"), n);
}

std::string tunable_elements(const CppContext& context, TransformId transform, std::size_t index,
                             const std::string& run, const std::string& n) {
  const PlanTunable& tunable = context.plan.transforms[transform.index()].tunables[index];
  std::string table = table_name(context, transform, index);
  if (is_constant(tunable)) return table;
  if (!tunable.fixed.empty()) return table + " + pbrt::size_bucket(" + n + ") * " + std::to_string(tunable.count);
  return from_run(context, transform, index,
                  run + (tunable.is_real ? ".config().tunable_real_array" : ".tunable_array"), n);
}

}  // namespace pb
