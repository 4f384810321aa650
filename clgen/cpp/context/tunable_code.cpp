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

std::string table_name(const CppContext& context, TransformId transform, std::size_t index) {
  return "kFixed_" + identifier_of(context.program, transform) + "_" + std::to_string(index);
}

bool is_array(const CppContext& context, TransformId transform, const PlanTunable& tunable) {
  return tunable.user ? context.program.transforms[transform].tunables[*tunable.user].array_extent > 0
                      : is_shape(tunable.role);
}

/// How generated code reads the values of a tunable from the configuration.
struct Getters {
  const char *one, *one_real, *all, *all_real;
};
constexpr Getters kGetters{".tunable_int", ".tunable_real", ".tunable_array", ".config().tunable_real_array"};
constexpr Getters kScheduledGetters{".config().scheduled_int", ".config().scheduled_real", ".config().scheduled_array",
                                    ".config().scheduled_real_array"};

/// Returns `run.config().scheduled_int(kTunable_T_2, pb_schedule_0)`: what counts for size `n`, or in the schedule that
/// was chosen.
std::string from_run(const CppContext& context, TransformId transform, std::size_t index, const std::string& run,
                     const std::string& n, bool has_all) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  const PlanTunable& tunable = plan.tunables[index];
  const std::optional<SiteId> site = schedule_site(plan, tunable);
  const Getters& getters = site ? kScheduledGetters : kGetters;
  const char* one = tunable.is_real ? getters.one_real : getters.one;
  const char* all = tunable.is_real ? getters.all_real : getters.all;
  return run + (has_all ? all : one) + "(" + tunable_constant(context, transform, index) + ", " +
         (site ? schedule_name(*site) : n) + ")";
}

/// Returns which of the sets of values of a fixed tunable counts.
std::string fixed_set(const CppContext& context, TransformId transform, std::size_t index, const std::string& n) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  const std::optional<SiteId> site = schedule_site(plan, plan.tunables[index]);
  return site ? schedule_name(*site) : "pbrt::size_bucket(" + n + ")";
}

}  // namespace

std::string tunable_type(const UserTunable& declared) {
  const std::string element = declared.is_real ? "double" : "IndexT";
  return declared.array_extent > 0 ? "std::array<" + element + ", " + std::to_string(declared.array_extent) + ">"
                                   : element;
}

std::string schedule_name(SiteId site) { return "pb_schedule_" + std::to_string(site.index()); }
std::string fold_order_name(RuleId rule) { return "pb_any_order_" + std::to_string(rule.index()); }
std::string fold_chunk_name(RuleId rule) { return "pb_fold_chunk_" + std::to_string(rule.index()); }

std::optional<ConstantText> constant_text(const PlanTunable& tunable, const UserTunable& declared) {
  if (!tunable.is_constant()) return std::nullopt;
  const std::string type = tunable_type(declared);
  if (declared.array_extent > 0)
    return ConstantText{"static constexpr " + type, list_text(tunable, static_cast<std::size_t>(tunable.count))};
  return ConstantText{"constexpr " + type, number_text(tunable.fixed.front(), tunable.is_real)};
}

void emit_fixed_values(Writer& out, const CppContext& context, TransformId transform) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  for (std::size_t i = 0; i < plan.tunables.size(); ++i) {
    const PlanTunable& tunable = plan.tunables[i];
    if (tunable.fixed.empty() || (tunable.is_constant() && !is_array(context, transform, tunable))) continue;
    const std::size_t count = tunable.is_constant() ? static_cast<std::size_t>(tunable.count) : tunable.fixed.size();
    out.line("constexpr " + std::string(tunable.is_real ? "double " : "std::int64_t ") +
             table_name(context, transform, i) + "[] = " + list_text(tunable, count) + ";  // " + tunable.name);
  }
}

std::string tunable_value(const CppContext& context, TransformId transform, std::size_t index, const std::string& run,
                          const std::string& n) {
  const PlanTunable& tunable = context.plan.transforms[transform.index()].tunables[index];
  if (tunable.is_constant()) return number_text(tunable.fixed.front(), tunable.is_real);
  if (!tunable.fixed.empty())
    return table_name(context, transform, index) + "[" + fixed_set(context, transform, index, n) + "]";
  return from_run(context, transform, index, run, n, false);
}

std::string tunable_elements(const CppContext& context, TransformId transform, std::size_t index,
                             const std::string& run, const std::string& n) {
  const PlanTunable& tunable = context.plan.transforms[transform.index()].tunables[index];
  std::string table = table_name(context, transform, index);
  if (tunable.is_constant()) return table;
  if (!tunable.fixed.empty())
    return table + " + " + fixed_set(context, transform, index, n) + " * " + std::to_string(tunable.count);
  return from_run(context, transform, index, run, n, true);
}

}  // namespace pb
