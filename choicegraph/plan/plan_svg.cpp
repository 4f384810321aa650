// SPDX-License-Identifier: MIT
// The choice dependency graph as a picture: inputs on the left, then steps and the segments that they write, layer by
// layer. Boxes are segments, rounded boxes are steps; a solid line is data, a dashed one only order.
#include <algorithm>
#include <map>
#include <utility>

#include "choicegraph/plan/plan_graph.h"
#include "lang/index/readable_text.h"

namespace pb {
namespace {

constexpr int kColumn = 260;
constexpr int kRow = 58;
constexpr int kHeight = 40;
constexpr int kMargin = 20;
constexpr int kTitle = 30;
constexpr int kCharacter = 7;  // width of one at the size of the text

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

struct Node {
  std::string label, note;
  bool is_step = false;
  bool is_input = false;
  int layer = 0;
  int row = 0;
};

struct Line {
  std::size_t from, to;
  bool is_order_only = false;
};

/// The picture of one transform.
class Drawing {
 public:
  Drawing(const TransformPlan& plan, const Transform& transform) : plan_(plan), transform_(transform) {
    add_data();
    for (const StepId id : plan_.steps.ids()) add_step(id);
    for (const StepEdge& edge : plan_.edges)
      if (!share_data(edge)) lines_.push_back({step_nodes_.at(edge.before), step_nodes_.at(edge.after), true});
    place();
  }

  [[nodiscard]] int height() const { return kTitle + num_rows_ * kRow + kMargin; }
  [[nodiscard]] int width() const { return (num_layers_ - 1) * kColumn + column_width() + 2 * kMargin; }

  void draw(std::string& out, int top) const {
    out += "<text x=\"" + std::to_string(kMargin) + "\" y=\"" + std::to_string(top + 20) +
           "\" font-weight=\"bold\">transform " + escaped(transform_.name) + "</text>\n";
    for (const Line& line : lines_) draw_line(out, line, top);
    for (const Node& node : nodes_) draw_node(out, node, top);
  }

 private:
  static int column_width() { return kColumn - 60; }

  std::size_t add(Node node) {
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  void add_data() {
    for (const MatrixId id : transform_.matrices_of(MatrixRole::From))
      input_nodes_[id] = add({transform_.matrices[id].name, "input", false, true});
    for (const SegmentId id : plan_.segments.ids()) {
      const Segment& segment = plan_.segments[id];
      std::string box;
      for (const IndexRange& range : segment.box)
        box += (box.empty() ? "[" : " x [") + readable_text(range.lo) + ", " + readable_text(range.hi) + ")";
      segment_nodes_[id] = add({transform_.matrices[segment.matrix].name, box});
      nodes_.back().layer = 1;
    }
  }

  void add_step(StepId id) {
    const Step& step = plan_.steps[id];
    const Rule& rule = transform_.rules[step.rule];
    const Site& site = plan_.sites[step.site];
    std::string note = site.alternatives.size() > 1 ? "chosen at " + site.name : "";
    if (const std::string order = order_words(plan_, id); !order.empty()) note += (note.empty() ? "" : ", ") + order;
    const std::size_t node = add({rule.name, note, true});
    step_nodes_[id] = node;
    int layer = 1;
    std::vector<std::size_t> sources;
    for (const RegionAccess& access : rule.inputs) {
      const auto input = input_nodes_.find(access.matrix);
      if (input != input_nodes_.end() && std::find(sources.begin(), sources.end(), input->second) == sources.end())
        sources.push_back(input->second);
    }
    for (const SegmentId segment : step.reads) {
      sources.push_back(segment_nodes_.at(segment));
      if (is_written_[segment]) layer = std::max(layer, nodes_[sources.back()].layer + 1);
    }
    for (const std::size_t source : sources) lines_.push_back({source, node});
    nodes_[node].layer = layer;
    for (const SegmentId segment : step.segments) {
      Node& target = nodes_[segment_nodes_.at(segment)];
      target.layer = std::max(target.layer, layer + 1);
      is_written_[segment] = true;
      lines_.push_back({node, segment_nodes_.at(segment)});
    }
  }

  bool share_data(const StepEdge& edge) const {
    const std::vector<SegmentId>& reads = plan_.steps[edge.after].reads;
    const std::vector<SegmentId>& writes = plan_.steps[edge.before].segments;
    return std::any_of(writes.begin(), writes.end(),
                       [&](SegmentId id) { return std::find(reads.begin(), reads.end(), id) != reads.end(); });
  }

  void place() {
    std::map<int, int> used;
    for (Node& node : nodes_) {
      node.row = used[node.layer]++;
      num_rows_ = std::max(num_rows_, node.row + 1);
      num_layers_ = std::max(num_layers_, node.layer + 1);
    }
  }

  static int left(const Node& node) { return kMargin + node.layer * kColumn; }
  static int upper(const Node& node, int top) { return top + kTitle + node.row * kRow; }

  static std::string fitted(const std::string& text) {
    const auto room = static_cast<std::size_t>((column_width() - 10) / kCharacter);
    return escaped(text.size() <= room ? text : text.substr(0, room - 3) + "...");
  }

  void draw_node(std::string& out, const Node& node, int top) const {
    const int x = left(node);
    const int y = upper(node, top);
    const char* fill = node.is_input ? "#e8e8e8" : node.is_step ? "#e3f0fb" : "#ffffff";
    out += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
           std::to_string(column_width()) + "\" height=\"" + std::to_string(kHeight) + "\" rx=\"" +
           (node.is_step ? "18" : "2") + "\" fill=\"" + fill + "\" stroke=\"#333333\"><title>" +
           escaped(node.label + (node.note.empty() ? "" : ": " + node.note)) + "</title></rect>\n";
    const std::string middle = "<text x=\"" + std::to_string(x + column_width() / 2) + "\" text-anchor=\"middle\" y=\"";
    out += middle + std::to_string(y + (node.note.empty() ? 25 : 17)) + "\">" + fitted(node.label) + "</text>\n";
    if (!node.note.empty())
      out += middle + std::to_string(y + 33) + "\" fill=\"#555555\">" + fitted(node.note) + "</text>\n";
  }

  void draw_line(std::string& out, const Line& line, int top) const {
    const Node& from = nodes_[line.from];
    const Node& to = nodes_[line.to];
    const int x0 = left(from) + column_width();
    const int y0 = upper(from, top) + kHeight / 2;
    const int x1 = left(to);
    const int y1 = upper(to, top) + kHeight / 2;
    const auto point = [](int x, int y) { return std::to_string(x) + " " + std::to_string(y); };
    out += "<path d=\"M" + point(x0, y0) + " C" + point(x0 + 40, y0) + " " + point(x1 - 40, y1) + " " + point(x1, y1) +
           "\" fill=\"none\" stroke=\"#666666\" marker-end=\"url(#arrow)\"" +
           (line.is_order_only ? " stroke-dasharray=\"5 3\"" : "") + "/>\n";
  }

  const TransformPlan& plan_;
  const Transform& transform_;
  std::vector<Node> nodes_;
  std::vector<Line> lines_;
  std::map<MatrixId, std::size_t> input_nodes_;
  std::map<SegmentId, std::size_t> segment_nodes_;
  std::map<StepId, std::size_t> step_nodes_;
  std::map<SegmentId, bool> is_written_;
  int num_rows_ = 1;
  int num_layers_ = 1;
};

}  // namespace

std::string to_svg(const Plan& plan, const Program& program) {
  std::string body;
  int width = 0;
  int height = 0;
  for (const TransformPlan& transform : plan.transforms) {
    const Drawing drawing(transform, program.transforms[transform.transform]);
    drawing.draw(body, height);
    height += drawing.height();
    width = std::max(width, drawing.width());
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(height) +
         "\" font-family=\"sans-serif\" font-size=\"12\">\n"
         "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
         "orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#666666\"/></marker></defs>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         body + "</svg>\n";
}

}  // namespace pb
