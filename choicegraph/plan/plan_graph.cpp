// SPDX-License-Identifier: MIT
// The choice dependency graph as Graphviz text: boxes are segments, ovals are steps; a
// solid arrow is data, a dashed one only order.
#include "choicegraph/plan/plan_graph.h"

#include <algorithm>

#include "lang/index/readable_text.h"

namespace pb {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string node(const char* kind, std::size_t transform, std::size_t index) {
  return std::string(kind) + std::to_string(transform) + "_" + std::to_string(index);
}

void draw_segments(const TransformPlan& plan, const Transform& transform, std::string& out) {
  for (const SegmentId id : plan.segments.ids()) {
    const Segment& segment = plan.segments[id];
    std::string label = transform.matrices[segment.matrix].name;
    for (const IndexRange& range : segment.box)
      label += " [" + readable_text(range.lo) + ", " + readable_text(range.hi) + ")";
    const std::string style = segment.only_small_sizes ? ", style=dotted" : "";
    out += "    " + node("d", plan.transform.index(), id.index()) + " [shape=box" + style + ", label=" + quoted(label) +
           "];\n";
  }
}

void draw_inputs(const TransformPlan& plan, const Transform& transform, std::string& out) {
  for (const MatrixId id : transform.matrices_of(MatrixRole::From))
    out += "    " + node("m", plan.transform.index(), id.index()) +
           " [shape=box, style=filled, label=" + quoted(transform.matrices[id].name) + "];\n";
}

bool shares_data(const Step& before, const Step& after) {
  return std::any_of(before.segments.begin(), before.segments.end(), [&](SegmentId id) {
    return std::find(after.reads.begin(), after.reads.end(), id) != after.reads.end();
  });
}

void draw_steps(const TransformPlan& plan, const Transform& transform, std::string& out) {
  const std::size_t t = plan.transform.index();
  for (const StepId id : plan.steps.ids()) {
    const Step& step = plan.steps[id];
    const Rule& rule = transform.rules[step.rule];
    const Site& site = plan.sites[step.site];
    const std::string label = rule.name + (site.alternatives.size() > 1 ? "\nchosen at " + site.name : "");
    const std::string order = order_words(plan, id);
    std::string escaped = quoted(label + (order.empty() ? "" : "\n" + order));
    for (std::size_t at = escaped.find('\n'); at != std::string::npos; at = escaped.find('\n', at))
      escaped.replace(at, 1, "\\n");
    const std::string own = node("s", t, id.index());
    out += "    " + own + " [shape=oval, label=" + escaped + "];\n";
    for (const SegmentId segment : step.segments) out += "    " + own + " -> " + node("d", t, segment.index()) + ";\n";
    for (const SegmentId segment : step.reads) out += "    " + node("d", t, segment.index()) + " -> " + own + ";\n";
    std::vector<MatrixId> inputs;
    for (const RegionAccess& access : rule.inputs) {
      if (transform.matrices[access.matrix].role != MatrixRole::From) continue;
      if (std::find(inputs.begin(), inputs.end(), access.matrix) == inputs.end()) inputs.push_back(access.matrix);
    }
    for (const MatrixId matrix : inputs) out += "    " + node("m", t, matrix.index()) + " -> " + own + ";\n";
  }
}

void draw_transform(const TransformPlan& plan, const Transform& transform, std::string& out) {
  out += "  subgraph " + quoted("cluster_" + std::to_string(plan.transform.index())) + " {\n";
  out += "    label=" + quoted(transform.name) + ";\n";
  draw_inputs(plan, transform, out);
  draw_segments(plan, transform, out);
  draw_steps(plan, transform, out);
  for (const StepEdge& edge : plan.edges) {
    if (shares_data(plan.steps[edge.before], plan.steps[edge.after])) continue;
    out += "    " + node("s", plan.transform.index(), edge.before.index()) + " -> " +
           node("s", plan.transform.index(), edge.after.index()) + " [style=dashed];\n";
  }
  out += "  }\n";
}

}  // namespace

std::string to_graphviz(const Plan& plan, const Program& program) {
  std::string out = "digraph " + quoted(program.name) + " {\n  rankdir=LR;\n";
  for (const TransformPlan& transform : plan.transforms)
    draw_transform(transform, program.transforms[transform.transform], out);
  return out + "}\n";
}

}  // namespace pb
