// SPDX-License-Identifier: MIT
#include "frontend/infer_regions/tried_rules.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace pb {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

/// The rules with a dynamic `where`, by priority, then as declared.
std::vector<RuleId> dynamic_rules(const Transform& transform) {
  std::vector<RuleId> out;
  for (const RuleId id : transform.rules.ids())
    if (transform.rules[id].is_dynamic && transform.rules[id].domain.is_known()) out.push_back(id);
  std::stable_sort(out.begin(), out.end(),
                   [&](RuleId a, RuleId b) { return transform.rules[a].priority < transform.rules[b].priority; });
  return out;
}

bool share_cells(const Rule& a, const Rule& b) {
  for (const RegionAccess& left : a.outputs)
    for (const RegionAccess& right : b.outputs)
      if (left.matrix == right.matrix && intersects(left.cells.range(), right.cells.range())) return true;
  return false;
}

/// Maps the variables of `guest` to the names of those of `host`.
Names names_of(const Rule& guest, const Rule& host) {
  Names out;
  for (std::size_t i = 0; i < guest.vars.size(); ++i) out.emplace_back(guest.vars[i].name, host.vars[i].name);
  return out;
}

bool is_same_box(const RegionAccess& guest, const RegionAccess& host, const Names& names) {
  if (guest.matrix != host.matrix) return false;
  for (std::size_t d = 0; d < guest.lo.size(); ++d)
    if (renamed(guest.lo[d], names) != host.lo[d] || renamed(guest.hi[d], names) != host.hi[d]) return false;
  return true;
}

/// Whether instances of both make the same cells, variable by variable.
bool have_same_instances(const Rule& guest, const Rule& host) {
  if (guest.vars.size() != host.vars.size() || guest.outputs.size() != host.outputs.size()) return false;
  const Names names = names_of(guest, host);
  return std::all_of(guest.outputs.begin(), guest.outputs.end(), [&](const RegionAccess& output) {
    return std::any_of(host.outputs.begin(), host.outputs.end(),
                       [&](const RegionAccess& other) { return is_same_box(output, other, names); });
  });
}

void add_guest(Rule& host, RuleId id, const Rule& guest, const std::vector<RegionAccess>& inputs) {
  host.tried.push_back(id);
  const Names names = names_of(guest, host);
  const Region shared = host.domain.intersect(guest.domain);
  for (RegionAccess input : inputs) {
    input.is_guest = true;
    for (auto* corner : {&input.lo, &input.hi})
      for (Formula& bound : *corner) bound = renamed(bound, names);
    if (input.missing_value) input.missing_value = renamed(*input.missing_value, names);
    input.cells = input.cells.intersect_domain(shared);
    host.inputs.push_back(std::move(input));
  }
}

}  // namespace

bool find_tried_rules(Transform& transform, Diagnostics& diags) {
  const std::vector<RuleId> dynamic = dynamic_rules(transform);
  std::vector<std::vector<RegionAccess>> inputs;  // the inputs before guests were added
  for (const RuleId id : dynamic) inputs.push_back(transform.rules[id].inputs);
  bool ok = true;
  for (const RuleId host_id : transform.rules.ids()) {
    Rule& host = transform.rules[host_id];
    if (!host.domain.is_known()) continue;
    for (std::size_t i = 0; i < dynamic.size() && dynamic[i] != host_id; ++i) {
      const Rule& guest = transform.rules[dynamic[i]];
      if (!share_cells(guest, host)) continue;
      if (have_same_instances(guest, host)) {
        add_guest(host, dynamic[i], guest, inputs[i]);
        continue;
      }
      ok = false;
      diags.emit(DiagKind::DynamicInstances, guest.span)
          .arg(guest.name)
          .arg(host.name)
          .label(host.span, "the other rule")
          .note("where a `where` is not affine, an instance of the other rule tries this one first");
    }
  }
  return ok;
}

}  // namespace pb
