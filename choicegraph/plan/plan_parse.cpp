// SPDX-License-Identifier: MIT
// Reads the Plan's text form back. Line by line; names are looked up in the program.
#include <string_view>

#include "choicegraph/plan/plan_line.h"
#include "choicegraph/plan/plan_text.h"
#include "choicegraph/plan/plan_words.h"

namespace pb {
namespace {

/// Fills a Plan; every reader returns false at the first surprise.
class Parser {
  using Line = PlanLine;

 public:
  explicit Parser(const Program& program) : program_(program) {}

  ParsedPlan parse(std::string_view text) {
    std::size_t line_number = 0;
    while (!text.empty()) {
      ++line_number;
      const std::size_t end = std::min(text.find('\n'), text.size());
      Line line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.at_end()) continue;
      if (!read(line) || !line.at_end())
        return {std::nullopt, "line " + std::to_string(line_number) + ": cannot read this line of a plan"};
    }
    return {std::move(plan_), {}};
  }

 private:
  bool read(Line& line) {
    if (line.accept("transform")) return read_transform(line);
    if (plan_.transforms.empty()) return false;
    if (line.accept("segment")) return read_segment(line);
    if (line.accept("site")) return read_site(line);
    if (line.accept("no")) return read_why_not(line);
    if (line.accept("fixed")) return read_fixed_level(line);
    if (line.accept("step")) return read_step(line);
    if (line.accept("for")) return read_loop(line);
    if (line.accept("where")) return last_step() != nullptr && read_conjunction(line, last_step()->conditions);
    if (line.accept("shared")) return read_share(line);
    if (line.accept("input")) return read_input(line);
    if (line.accept("edge")) return read_edge(line);
    if (line.accept("nest")) return read_nest();
    if (line.accept("row")) return read_row(line);
    if (line.accept("member")) return read_member(line);
    if (line.accept("fused")) return read_fused(line);
    if (line.accept("forbidden")) return read_forbidden(line);
    if (line.accept("displaced")) return read_displaced(line);
    if (line.accept("left-out")) return read_left_out(line);
    if (line.accept("uncovered")) return read_uncovered(line);
    if (line.accept("tunable")) return read_tunable(line);
    if (line.accept("calls")) return read_calls(line);
    return read_alternative(line);
  }

  TransformPlan& current() { return plan_.transforms.back(); }
  const Transform& transform() { return program_.transforms[current().transform]; }

  std::optional<RuleId> find_rule(std::string_view name) {
    for (const RuleId id : transform().rules.ids())
      if (transform().rules[id].name == name) return id;
    return std::nullopt;
  }
  std::optional<MatrixId> find_matrix(std::string_view name) {
    for (const MatrixId id : transform().matrices.ids())
      if (transform().matrices[id].name == name) return id;
    return std::nullopt;
  }
  std::optional<TransformId> next_transform(Line& line) const {
    for (const TransformId id : program_.transforms.ids())
      if (line.accept_name(program_.transforms[id].name)) return id;
    return std::nullopt;
  }

  bool read_transform(Line& line) {
    const auto id = next_transform(line);
    if (!id) return false;
    plan_.transforms.emplace_back();
    current().transform = *id;
    return true;
  }

  static bool read_box(Line& line, std::vector<IndexRange>& box) {
    while (!line.at_end() && line.rest().front() == '[') {
      auto range = line.next_range();
      if (!range) return false;
      box.push_back(std::move(*range));
      if (!line.accept("x")) break;
    }
    return true;
  }
  /// `a >= 0 and b >= 0`.
  static bool read_conjunction(Line& line, std::vector<IndexExpr>& items) {
    do {
      auto item = line.next_guard();
      if (!item) return false;
      items.push_back(std::move(*item));
    } while (line.accept("and"));
    return true;
  }
  static bool read_condition(Line& line, std::vector<IndexExpr>& guards) {
    return line.at_end() || (line.accept("if") && read_conjunction(line, guards));
  }
  static bool read_where(Line& line, std::vector<IndexExpr>& conditions) {
    return !line.accept("where") || read_conjunction(line, conditions);
  }
  template <class IdT>
  static void read_ids(Line& line, std::vector<IdT>& ids) {
    for (;;) {
      Line ahead = line;
      const auto id = ahead.next_number();
      if (!id) return;
      ids.emplace_back(*id);
      line = ahead;
    }
  }

  bool read_segment(Line& line) {
    if (Line::number(line.next_label()) != current().segments.size()) return false;
    Segment segment;
    const auto matrix = find_matrix(line.next());
    if (!matrix || !read_box(line, segment.box) || !read_where(line, segment.conditions)) return false;
    if (!line.accept("by")) return false;
    segment.matrix = *matrix;
    while (!line.accept("at")) {
      const auto rule = find_rule(line.next());
      if (!rule) return false;
      segment.candidates.push_back(*rule);
    }
    if (!read_site_and_part(line.next(), segment)) return false;
    segment.only_small_sizes = line.accept("small");
    if (!read_condition(line, segment.guards)) return false;
    current().segments.add(std::move(segment));
    return true;
  }

  /// `3`, or `3.1` for a part of a merged site.
  static bool read_site_and_part(std::string_view word, Segment& segment) {
    const std::size_t dot = std::min(word.find('.'), word.size());
    const auto site = Line::number(word.substr(0, dot));
    if (!site) return false;
    segment.site = SiteId(*site);
    if (dot == word.size()) return true;
    const auto part = Line::number(word.substr(dot + 1));
    segment.part = part.value_or(0);
    return part.has_value();
  }

  static std::vector<std::string> split_name(std::string_view name) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= name.size();) {
      const std::size_t end = std::min(name.find('&', begin), name.size());
      out.emplace_back(name.substr(begin, end - begin));
      begin = end + 1;
    }
    return out;
  }

  bool read_site(Line& line) {
    const auto number = Line::number(line.next_label());
    if (number != current().sites.size()) return false;
    Site site;
    site.name = line.next();
    site.parts = split_name(site.name);
    for (const bool small : {false, true}) {
      for (const SegmentId id : current().segments.ids()) {
        const Segment& segment = current().segments[id];
        if (segment.site == SiteId(*number) && segment.only_small_sizes == small) site.segments.push_back(id);
      }
    }
    current().sites.add(std::move(site));
    return true;
  }

  Site* last_site() { return current().sites.empty() ? nullptr : &current().sites[SiteId(current().sites.size() - 1)]; }
  Step* last_step() { return current().steps.empty() ? nullptr : &current().steps[StepId(current().steps.size() - 1)]; }

  bool read_alternative(Line& line) {
    Alternative alternative;
    alternative.name = line.next_label();
    if (last_site() == nullptr) return false;
    for (const std::string& name : split_name(alternative.name)) {
      const auto rule = find_rule(name);
      if (!rule) return false;
      alternative.rules.push_back(*rule);
    }
    if (alternative.rules.size() != last_site()->parts.size()) return false;
    while (!line.at_end()) {
      const auto version = find_version(line.next());
      if (!version) return false;
      alternative.versions.push_back(*version);
    }
    last_site()->alternatives.push_back(std::move(alternative));
    return true;
  }

  bool read_fixed_level(Line& line) {
    if (!line.accept("from") || last_site() == nullptr) return false;
    const auto from = Line::number(line.next_label());
    const std::string_view name = line.next();
    const auto version = find_version(line.next());
    const std::vector<Alternative>& alternatives = last_site()->alternatives;
    std::size_t index = 0;
    while (index < alternatives.size() && alternatives[index].name != name) ++index;
    if (!from || !version || index == alternatives.size()) return false;
    last_site()->fixed.push_back({static_cast<std::int64_t>(*from), index, *version});
    return true;
  }

  bool read_why_not(Line& line) {
    const std::string_view which = line.next_label();
    if (last_site() == nullptr || last_site()->alternatives.empty()) return false;
    WhyNotDevice why{std::string(line.rest()), {}};
    line = Line("");
    Alternative& alternative = last_site()->alternatives.back();
    (which == "opencl" ? alternative.why_not_device : alternative.why_not_local_memory) = std::move(why);
    return which == "opencl" || which == "opencl_local";
  }

  bool read_step(Line& line) {
    if (Line::number(line.next_label()) != current().steps.size()) return false;
    Step step;
    const auto rule = find_rule(line.next());
    if (!rule || !line.accept("at")) return false;
    const auto site = line.next_number();
    if (!site || !line.accept("writes")) return false;
    step.rule = *rule;
    step.site = SiteId(*site);
    read_ids(line, step.segments);
    if (line.accept("leaves")) read_ids(line, step.left_to_others);
    if (line.accept("reads")) read_ids(line, step.reads);
    if (!read_condition(line, step.guards)) return false;
    current().steps.add(std::move(step));
    return true;
  }

  bool read_loop(Line& line) {
    LoopDim loop;
    loop.var = line.next();
    if (last_step() == nullptr || !line.accept("in")) return false;
    auto range = line.next_range();
    if (!range) return false;
    loop.range = std::move(*range);
    if (!read_bounds(line, "from", loop.lower) || !read_bounds(line, "to", loop.upper) || !read_stride(line, loop))
      return false;
    const std::string_view word = line.next();
    for (const auto& [order, spelled] : choices::kOrderWords) {
      if (spelled != word) continue;
      Step& step = *last_step();
      loop.order = order;
      if (!current().nests.empty()) {
        if (current().nests.back().members.empty()) return false;
        current().nests.back().members.back().loops.push_back(std::move(loop));
        return true;
      }
      step.is_data_parallel = order == LoopOrder::Parallel && (step.loops.empty() || step.is_data_parallel);
      step.loops.push_back(std::move(loop));
      return true;
    }
    return false;
  }

  static bool read_bounds(Line& line, std::string_view word, std::vector<IndexExpr>& bounds) {
    if (!line.accept(word)) return true;
    auto items = line.next_list('(', ')');
    if (!items) return false;
    bounds = std::move(*items);
    return true;
  }
  static bool read_stride(Line& line, LoopDim& loop) {
    if (!line.accept("step")) return true;
    const auto stride = line.next_number();
    std::vector<IndexExpr> offset;
    if (!stride || *stride < 2 || !read_bounds(line, "at", offset) || offset.size() != 1) return false;
    loop.stride = static_cast<std::int64_t>(*stride);
    loop.offset = std::move(offset.front());
    return true;
  }

  bool read_input(Line& line) {
    const auto number = Line::number(line.next_label());
    if (!number || last_step() == nullptr || !line.accept("at")) return false;
    InputBox box;
    box.input = *number;
    auto lo = line.next_list('(', ')');
    if (!lo) return false;
    box.lo = std::move(*lo);
    if (line.accept("extent")) {
      auto extent = line.next_list('(', ')');
      if (!extent) return false;
      box.extent = std::move(*extent);
      box.extent_is_uniform = true;
      for (std::size_t d = 0; d < box.extent.size() && d < box.lo.size(); ++d)
        box.hi.push_back(index_add(box.lo[d], box.extent[d]));
    } else if (line.accept("to")) {
      auto hi = line.next_list('(', ')');
      if (!hi) return false;
      box.hi = std::move(*hi);
    }
    box.is_same_for_all_instances = line.accept("same");
    last_step()->input_boxes.push_back(std::move(box));
    return true;
  }

  bool read_share(Line& line) {
    if (last_step() == nullptr || !line.accept("at")) return false;
    const std::string_view var = line.next();
    const std::vector<LoopDim>& loops = last_step()->loops;
    DeviceShare share;
    while (share.loop < loops.size() && loops[share.loop].var != var) ++share.loop;
    if (share.loop == loops.size() || !line.accept("along")) return false;
    while (!line.at_end()) {
      const auto dim = line.next_number();
      if (!dim) return false;
      share.dims.push_back(*dim);
    }
    last_step()->device_share = std::move(share);
    return true;
  }

  bool read_edge(Line& line) {
    const auto before = line.next_number();
    if (!before || !line.accept("->")) return false;
    const auto after = line.next_number();
    if (!after) return false;
    current().edges.push_back({StepId(*before), StepId(*after)});
    return true;
  }

  bool read_nest() {
    current().nests.emplace_back();
    return true;
  }

  bool read_row(Line& line) {
    if (current().nests.empty()) return false;
    NestRow row;
    for (;;) {
      const std::string_view word = line.next();
      for (const auto& [kind, spelled] : choices::kRowWords) {
        if (spelled != word) continue;
        row.kind = kind;
        current().nests.back().rows.push_back(std::move(row));
        return true;
      }
      const auto coefficient = Line::real(word);
      if (!coefficient) return false;
      row.coefficients.push_back(static_cast<int>(*coefficient));
    }
  }

  bool read_member(Line& line) {
    const auto number = Line::number(line.next_label());
    if (!number || *number >= current().steps.size() || current().nests.empty() || !line.accept("at")) return false;
    NestMember member{StepId(*number), {}, {}};
    const auto at = line.next_list('(', ')');
    if (!at) return false;
    for (const IndexExpr& expr : *at) {
      auto coordinate = to_nest_coordinate(expr, transform().rules[current().steps[member.step].rule]);
      if (!coordinate) return false;
      member.coordinates.push_back(std::move(*coordinate));
    }
    current().nests.back().members.push_back(std::move(member));
    return true;
  }

  bool read_fused(Line& line) {
    FusedSteps steps;
    while (!line.at_end()) {
      const auto step = line.next_number();
      if (!step || *step >= current().steps.size()) return false;
      steps.push_back(StepId(*step));
    }
    current().fused.push_back(std::move(steps));
    return true;
  }

  bool read_forbidden(Line& line) {
    ForbiddenChoice choice;
    while (!line.at_end()) {
      const auto site = line.next_number();
      if (!site || *site >= current().sites.size()) return false;
      const std::vector<Alternative>& alternatives = current().sites[SiteId(*site)].alternatives;
      const std::string_view name = line.next();
      std::size_t index = 0;
      while (index < alternatives.size() && alternatives[index].name != name) ++index;
      if (index == alternatives.size()) return false;
      choice.emplace_back(SiteId(*site), index);
    }
    current().forbidden.push_back(std::move(choice));
    return true;
  }

  bool read_displaced(Line& line) {
    const auto rule = find_rule(line.next());
    const auto by = line.accept("by") ? find_rule(line.next()) : std::nullopt;
    const auto matrix = line.accept("in") ? find_matrix(line.next()) : std::nullopt;
    if (!rule || !by || !matrix) return false;
    current().displaced.push_back({*rule, *by, *matrix});
    return true;
  }

  bool read_left_out(Line& line) {
    const auto rule = find_rule(line.next());
    if (rule) current().left_out.push_back(*rule);
    return rule.has_value();
  }

  bool read_uncovered(Line& line) {
    UncoveredBox box;
    const auto matrix = find_matrix(line.next());
    if (!matrix || !read_box(line, box.box) || !read_where(line, box.conditions) || !read_condition(line, box.guards))
      return false;
    box.matrix = *matrix;
    current().uncovered.push_back(std::move(box));
    return true;
  }

  bool read_tunable(Line& line) {
    PlanTunable tunable;
    tunable.name = line.next_label();
    const auto role = find_tunable_role(line.next());
    if (!role) return false;
    tunable.role = *role;
    tunable.is_real = line.accept("real");
    tunable.is_size_specific = line.accept("sizespecific");
    while (!line.accept("in")) {
      const auto value = Line::real(line.next());
      if (!value) return false;
      tunable.initial.push_back(*value);
    }
    tunable.count = static_cast<int>(tunable.initial.size());
    if (!read_limits(line.next(), tunable)) return false;
    for (const TunableId id : transform().tunables.ids())
      if (transform().tunables[id].name == tunable.name) tunable.user = id;
    if (line.accept("of")) {
      tunable.rule = find_rule(line.next());
      const auto version = find_version(line.next());
      if (!tunable.rule || !version) return false;
      tunable.version = *version;
    }
    if (line.accept("fixed") && !read_reals(line, tunable.fixed)) return false;
    current().tunables.push_back(std::move(tunable));
    return true;
  }
  static bool read_reals(Line& line, std::vector<double>& out) {
    while (!line.at_end()) {
      const auto value = Line::real(line.next());
      if (!value) return false;
      out.push_back(*value);
    }
    return true;
  }
  static bool read_limits(std::string_view text, PlanTunable& tunable) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) return false;
    const auto min = Line::real(text.substr(0, dots));
    const auto max = Line::real(text.substr(dots + 2));
    if (!min || !max) return false;
    tunable.min = *min;
    tunable.max = *max;
    return true;
  }

  bool read_calls(Line& line) {
    while (!line.at_end()) {
      const auto id = next_transform(line);
      if (!id) return false;
      current().calls.push_back(*id);
    }
    return true;
  }

  const Program& program_;
  Plan plan_;
};

}  // namespace

ParsedPlan parse_plan(const std::string& text, const Program& program) { return Parser(program).parse(text); }

}  // namespace pb
