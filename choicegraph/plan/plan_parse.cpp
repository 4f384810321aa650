// SPDX-License-Identifier: MIT
// Reads the Plan's text form back. Line by line; names are looked up in the program.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "choicegraph/plan/plan_line.h"
#include "choicegraph/plan/plan_text.h"
#include "choicegraph/plan/plan_words.h"

namespace pb {
namespace {

/// The plan as far as the lines before gave it. A line adds to the last transform, and some lines to its last site or
/// step.
class PartialPlan {
 public:
  explicit PartialPlan(const Program& program) : program_(program) {}

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] bool has_transform() const { return !plan_.transforms.empty(); }
  void begin(TransformId id) { plan_.transforms.emplace_back().transform = id; }

  /// Pre: has_transform()
  [[nodiscard]] TransformPlan& current() { return plan_.transforms.back(); }
  [[nodiscard]] const Transform& transform() const { return program_.transforms[plan_.transforms.back().transform]; }
  [[nodiscard]] std::optional<RuleId> find_rule(std::string_view name) const {
    for (const RuleId id : transform().rules.ids())
      if (transform().rules[id].name == name) return id;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<MatrixId> find_matrix(std::string_view name) const {
    for (const MatrixId id : transform().matrices.ids())
      if (transform().matrices[id].name == name) return id;
    return std::nullopt;
  }
  /// Null if the transform has none yet.
  [[nodiscard]] Site* last_site() {
    return current().sites.empty() ? nullptr : &current().sites[SiteId(current().sites.size() - 1)];
  }
  [[nodiscard]] Step* last_step() {
    return current().steps.empty() ? nullptr : &current().steps[StepId(current().steps.size() - 1)];
  }

  void note_fold(RuleId rule) { last_fold_rule_ = rule; }
  [[nodiscard]] Fold* last_fold() {
    return current().computations.empty() ? nullptr : &current().computations[last_fold_rule_.index()].folds.back();
  }

  [[nodiscard]] Plan take() { return std::move(plan_); }

 private:
  const Program& program_;
  RuleId last_fold_rule_;  ///< of the last fold that was read
  Plan plan_;
};

std::optional<TransformId> next_transform(const Program& program, PlanLine& line) {
  for (const TransformId id : program.transforms.ids())
    if (line.accept_name(program.transforms[id].name)) return id;
  return std::nullopt;
}

bool read_transform(PartialPlan& plan, PlanLine& line) {
  const auto id = next_transform(plan.program(), line);
  if (id) plan.begin(*id);
  return id.has_value();
}

/// Appends the numbers that come next.
template <class IdT>
void read_ids(PlanLine& line, std::vector<IdT>& ids) {
  for (;;) {
    PlanLine ahead = line;
    const auto id = ahead.next_number();
    if (!id) return;
    ids.emplace_back(*id);
    line = ahead;
  }
}

// ---- what rules may compute --------------------------------------------------

/// `3`, or `3.1` for a part of a merged site.
bool read_site_and_part(std::string_view word, Segment& segment) {
  const std::size_t dot = std::min(word.find('.'), word.size());
  const auto site = PlanLine::number(word.substr(0, dot));
  if (!site) return false;
  segment.site = SiteId(*site);
  if (dot == word.size()) return true;
  const auto part = PlanLine::number(word.substr(dot + 1));
  segment.part = part.value_or(0);
  return part.has_value();
}

bool read_segment(PartialPlan& plan, PlanLine& line) {
  if (PlanLine::number(line.next_label()) != plan.current().segments.size()) return false;
  Segment segment;
  const auto matrix = plan.find_matrix(line.next());
  if (!matrix || !read_box(line, segment.box) || !read_where(line, segment.conditions)) return false;
  if (!line.accept("by")) return false;
  segment.matrix = *matrix;
  while (!line.accept("at")) {
    const auto rule = plan.find_rule(line.next());
    if (!rule) return false;
    segment.candidates.push_back(*rule);
  }
  if (!read_site_and_part(line.next(), segment)) return false;
  segment.only_small_sizes = line.accept("small");
  if (!read_condition(line, segment.guards)) return false;
  plan.current().segments.add(std::move(segment));
  return true;
}

/// The names in `A&B`.
std::vector<std::string> split_name(std::string_view name) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('&', begin), name.size());
    out.emplace_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool read_site(PartialPlan& plan, PlanLine& line) {
  const auto number = PlanLine::number(line.next_label());
  if (number != plan.current().sites.size()) return false;
  Site site;
  site.name = line.next();
  site.parts = split_name(site.name);
  for (const bool small : {false, true}) {
    for (const SegmentId id : plan.current().segments.ids()) {
      const Segment& segment = plan.current().segments[id];
      if (segment.site == SiteId(*number) && segment.only_small_sizes == small) site.segments.push_back(id);
    }
  }
  plan.current().sites.add(std::move(site));
  return true;
}

bool read_alternative(PartialPlan& plan, PlanLine& line) {
  Alternative alternative;
  alternative.name = line.next_label();
  if (plan.last_site() == nullptr) return false;
  for (const std::string& name : split_name(alternative.name)) {
    const auto rule = plan.find_rule(name);
    if (!rule) return false;
    alternative.rules.push_back(*rule);
  }
  if (alternative.rules.size() != plan.last_site()->parts.size()) return false;
  while (!line.at_end()) {
    const auto version = find_version(line.next());
    if (!version) return false;
    alternative.versions.push_back(*version);
  }
  plan.last_site()->alternatives.push_back(std::move(alternative));
  return true;
}

/// Index of the alternative of that name; none if the site has none such.
std::optional<std::size_t> find_alternative(const Site& site, std::string_view name) {
  for (std::size_t i = 0; i < site.alternatives.size(); ++i)
    if (site.alternatives[i].name == name) return i;
  return std::nullopt;
}

bool read_fixed_level(PartialPlan& plan, PlanLine& line) {
  Site* site = plan.last_site();
  if (!line.accept("from") || site == nullptr) return false;
  const auto from = PlanLine::number(line.next_label());
  const auto alternative = find_alternative(*site, line.next());
  const auto version = find_version(line.next());
  const auto read_index = [&](const char* word) { return line.accept(word) ? PlanLine::number(line.next()) : 0; };
  const auto schedule = read_index("schedule"), by = read_index("by");
  if (!from || !version || !alternative || !schedule || !by) return false;
  site->fixed.push_back(
      {static_cast<std::int64_t>(*from), *alternative, *version, static_cast<int>(*schedule), static_cast<int>(*by)});
  return true;
}

bool read_why_not(PartialPlan& plan, PlanLine& line) {
  const std::string_view which = line.next_label();
  if (plan.last_site() == nullptr || plan.last_site()->alternatives.empty()) return false;
  WhyNotDevice why{std::string(line.rest()), {}};
  line = PlanLine("");
  Alternative& alternative = plan.last_site()->alternatives.back();
  (which == "opencl" ? alternative.why_not_device : alternative.why_not_local_memory) = std::move(why);
  return which == "opencl" || which == "opencl_local";
}

bool read_forbidden(PartialPlan& plan, PlanLine& line) {
  ForbiddenChoice choice;
  while (!line.at_end()) {
    const auto site = line.next_number();
    if (!site || *site >= plan.current().sites.size()) return false;
    const auto alternative = find_alternative(plan.current().sites[SiteId(*site)], line.next());
    if (!alternative) return false;
    choice.emplace_back(SiteId(*site), *alternative);
  }
  plan.current().forbidden.push_back(std::move(choice));
  return true;
}

bool read_displaced(PartialPlan& plan, PlanLine& line) {
  const auto rule = plan.find_rule(line.next());
  const auto by = line.accept("by") ? plan.find_rule(line.next()) : std::nullopt;
  const auto matrix = line.accept("in") ? plan.find_matrix(line.next()) : std::nullopt;
  if (!rule || !by || !matrix) return false;
  plan.current().displaced.push_back({*rule, *by, *matrix});
  return true;
}

bool read_left_out(PartialPlan& plan, PlanLine& line) {
  const auto rule = plan.find_rule(line.next());
  if (rule) plan.current().left_out.push_back(*rule);
  return rule.has_value();
}

/// Reads the name of a matrix, for a list of the plan.
template <std::vector<MatrixId> TransformPlan::*list>
bool read_matrix(PartialPlan& plan, PlanLine& line) {
  const auto matrix = plan.find_matrix(line.next());
  if (matrix) (plan.current().*list).push_back(*matrix);
  return matrix.has_value();
}

bool read_all_versions(PartialPlan& plan, PlanLine& line) {
  const auto matrix = plan.find_matrix(line.next());
  if (!matrix || !line.accept("because")) return false;
  plan.current().whole_versions.push_back({*matrix, std::string(line.rest())});
  line = PlanLine("");
  return true;
}

bool read_uncovered(PartialPlan& plan, PlanLine& line) {
  UncoveredBox box;
  const auto matrix = plan.find_matrix(line.next());
  if (!matrix || !read_box(line, box.box) || !read_where(line, box.conditions) || !read_condition(line, box.guards))
    return false;
  box.matrix = *matrix;
  plan.current().uncovered.push_back(std::move(box));
  return true;
}

// ---- steps ---------------------------------------------------------------------

bool read_step(PartialPlan& plan, PlanLine& line) {
  if (PlanLine::number(line.next_label()) != plan.current().steps.size()) return false;
  Step step;
  const auto rule = plan.find_rule(line.next());
  if (!rule || !line.accept("at")) return false;
  const auto site = line.next_number();
  if (!site || !line.accept("writes")) return false;
  step.rule = *rule;
  step.site = SiteId(*site);
  read_ids(line, step.segments);
  if (line.accept("leaves")) read_ids(line, step.left_to_others);
  if (line.accept("reads")) read_ids(line, step.reads);
  if (!read_condition(line, step.guards)) return false;
  plan.current().steps.add(std::move(step));
  return true;
}

bool read_conditions(PartialPlan& plan, PlanLine& line) {
  return plan.last_step() != nullptr && read_conjunction(line, plan.last_step()->conditions);
}

/// `step 2 at (o)`; nothing if the word does not come next.
bool read_stride(PlanLine& line, LoopDim& loop) {
  if (!line.accept("step")) return true;
  const auto stride = line.next_number();
  std::vector<IndexExpr> offset;
  if (!stride || *stride < 2 || !read_bounds(line, "at", offset) || offset.size() != 1) return false;
  loop.stride = static_cast<std::int64_t>(*stride);
  loop.offset = std::move(offset.front());
  return true;
}

bool read_loop(PartialPlan& plan, PlanLine& line) {
  LoopDim loop;
  loop.var = line.next();
  if (plan.last_step() == nullptr || !line.accept("in")) return false;
  auto range = line.next_range();
  if (!range) return false;
  loop.range = std::move(*range);
  if (!read_bounds(line, "from", loop.lower) || !read_bounds(line, "to", loop.upper) || !read_stride(line, loop))
    return false;
  const std::string_view word = line.next();
  for (const auto& [order, spelled] : choices::kOrderWords) {
    if (spelled != word) continue;
    Step& step = *plan.last_step();
    loop.order = order;
    if (!plan.current().nests.empty()) {
      if (plan.current().nests.back().members.empty()) return false;
      plan.current().nests.back().members.back().loops.push_back(std::move(loop));
      return true;
    }
    step.is_data_parallel = order == LoopOrder::Parallel && (step.loops.empty() || step.is_data_parallel);
    step.loops.push_back(std::move(loop));
    return true;
  }
  return false;
}

bool read_input(PartialPlan& plan, PlanLine& line) {
  const auto number = PlanLine::number(line.next_label());
  if (!number || plan.last_step() == nullptr || !line.accept("at")) return false;
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
  plan.last_step()->input_boxes.push_back(std::move(box));
  return true;
}

bool read_share(PartialPlan& plan, PlanLine& line) {
  if (plan.last_step() == nullptr || !line.accept("at")) return false;
  const std::string_view var = line.next();
  const std::vector<LoopDim>& loops = plan.last_step()->loops;
  DeviceShare share;
  while (share.loop < loops.size() && loops[share.loop].var != var) ++share.loop;
  if (share.loop == loops.size() || !line.accept("along")) return false;
  while (!line.at_end()) {
    const auto dim = line.next_number();
    if (!dim) return false;
    share.dims.push_back(*dim);
  }
  plan.last_step()->device_share = std::move(share);
  return true;
}

bool read_edge(PartialPlan& plan, PlanLine& line) {
  const auto before = line.next_number();
  if (!before || !line.accept("->")) return false;
  const auto after = line.next_number();
  if (!after) return false;
  plan.current().edges.push_back({StepId(*before), StepId(*after)});
  return true;
}

bool read_fused(PartialPlan& plan, PlanLine& line) {
  FusedSteps steps;
  while (!line.at_end()) {
    const auto step = line.next_number();
    if (!step || *step >= plan.current().steps.size()) return false;
    steps.push_back(StepId(*step));
  }
  plan.current().fused.push_back(std::move(steps));
  return true;
}

// ---- nests ---------------------------------------------------------------------

bool read_nest(PartialPlan& plan, PlanLine&) {
  plan.current().nests.emplace_back();
  return true;
}

bool read_row(PartialPlan& plan, PlanLine& line) {
  if (plan.current().nests.empty()) return false;
  NestRow row;
  for (;;) {
    const std::string_view word = line.next();
    for (const auto& [kind, spelled] : choices::kRowWords) {
      if (spelled != word) continue;
      row.kind = kind;
      plan.current().nests.back().rows.push_back(std::move(row));
      return true;
    }
    const auto coefficient = PlanLine::real(word);
    if (!coefficient) return false;
    row.coefficients.push_back(static_cast<int>(*coefficient));
  }
}

bool read_member(PartialPlan& plan, PlanLine& line) {
  const auto number = PlanLine::number(line.next_label());
  if (!number || *number >= plan.current().steps.size() || plan.current().nests.empty() || !line.accept("at"))
    return false;
  NestMember member{StepId(*number), {}, {}};
  const auto at = line.next_list('(', ')');
  if (!at) return false;
  for (const IndexExpr& expr : *at) {
    auto coordinate = to_nest_coordinate(expr, plan.transform().rules[plan.current().steps[member.step].rule]);
    if (!coordinate) return false;
    member.coordinates.push_back(std::move(*coordinate));
  }
  plan.current().nests.back().members.push_back(std::move(member));
  return true;
}

// ---- tunables and calls ----------------------------------------------------------

/// Appends the numbers up to the end of the line.
bool read_reals(PlanLine& line, std::vector<double>& out) {
  while (!line.at_end()) {
    const auto value = PlanLine::real(line.next());
    if (!value) return false;
    out.push_back(*value);
  }
  return true;
}

/// `1..8`.
bool read_limits(std::string_view text, PlanTunable& tunable) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  const auto min = PlanLine::real(text.substr(0, dots));
  const auto max = PlanLine::real(text.substr(dots + 2));
  if (!min || !max) return false;
  tunable.min = *min;
  tunable.max = *max;
  return true;
}

bool read_tunable(PartialPlan& plan, PlanLine& line) {
  PlanTunable tunable;
  tunable.name = line.next_label();
  const auto role = find_tunable_role(line.next());
  if (!role) return false;
  tunable.role = *role;
  tunable.is_real = line.accept("real");
  tunable.is_size_specific = line.accept("sizespecific");
  while (!line.accept("in")) {
    const auto value = PlanLine::real(line.next());
    if (!value) return false;
    tunable.initial.push_back(*value);
  }
  tunable.count = static_cast<int>(tunable.initial.size());
  if (!read_limits(line.next(), tunable)) return false;
  for (const TunableId id : plan.transform().tunables.ids())
    if (plan.transform().tunables[id].name == tunable.name) tunable.user = id;
  if (line.accept("of")) {
    tunable.rule = plan.find_rule(line.next());
    const auto version = find_version(line.next());
    if (!tunable.rule || !version) return false;
    tunable.version = *version;
  }
  if (line.accept("fixed") && !read_reals(line, tunable.fixed)) return false;
  plan.current().tunables.push_back(std::move(tunable));
  return true;
}

bool read_calls(PartialPlan& plan, PlanLine& line) {
  while (!line.at_end()) {
    const auto id = next_transform(plan.program(), line);
    if (!id) return false;
    plan.current().calls.push_back(*id);
  }
  return true;
}

// ---- folds ---------------------------------------------------------------------

bool read_fold(PartialPlan& plan, PlanLine& line) {
  const auto rule = plan.find_rule(line.next_label());
  Fold fold;
  fold.var = line.next();
  if (!rule || !line.accept("loop")) return false;
  const auto loop = line.next_number();
  const auto step = line.accept("step") ? PlanLine::real(line.next()) : std::nullopt;
  if (!loop || !step) return false;
  fold.loop = StmtId(*loop);
  fold.step = static_cast<std::int64_t>(*step);
  if (line.accept("in")) {
    fold.outer = line.next_number();
    if (!fold.outer) return false;
  }
  plan.current().computations.resize(plan.transform().rules.size());
  plan.current().computations[rule->index()].folds.push_back(std::move(fold));
  plan.note_fold(*rule);
  return true;
}

template <class Key>
bool read_word(std::string_view word, const std::array<std::pair<Key, std::string_view>, 3>& table, Key& key) {
  for (const auto& [value, spelled] : table)
    if (spelled == word) {
      key = value;
      return true;
    }
  return false;
}

bool read_accumulator(PartialPlan& plan, PlanLine& line) {
  Fold* fold = plan.last_fold();
  if (fold == nullptr) return false;
  Accumulator accumulator;
  accumulator.name = line.next();
  const auto op = find_fold_op(line.next());
  if (!op || !read_word(line.next(), choices::kRegroupingWords, accumulator.regrouping)) return false;
  accumulator.op = *op;
  if (line.accept("with")) {
    while (!line.at_end()) accumulator.places.emplace_back().name = line.next();
  }
  fold->accumulators.push_back(std::move(accumulator));
  return true;
}

/// Reads the rest of a line after its first word. Returns false at the first mistake.
using Reader = bool (*)(PartialPlan& plan, PlanLine& line);

/// The words with which lines of a transform begin. All other lines begin with the name of an alternative.
constexpr std::pair<std::string_view, Reader> kReaders[] = {
    {"segment", read_segment},
    {"site", read_site},
    {"no", read_why_not},
    {"fixed", read_fixed_level},
    {"step", read_step},
    {"for", read_loop},
    {"where", read_conditions},
    {"shared", read_share},
    {"input", read_input},
    {"edge", read_edge},
    {"nest", read_nest},
    {"row", read_row},
    {"member", read_member},
    {"fused", read_fused},
    {"forbidden", read_forbidden},
    {"displaced", read_displaced},
    {"left-out", read_left_out},
    {"uncovered", read_uncovered},
    {"two-versions", read_matrix<&TransformPlan::two_versions>},
    {"in-place", read_matrix<&TransformPlan::in_place>},
    {"all-versions", read_all_versions},
    {"tunable", read_tunable},
    {"calls", read_calls},
    {"fold", read_fold},
    {"accumulator", read_accumulator},
};

bool read_line(PartialPlan& plan, PlanLine& line) {
  if (line.accept("transform")) return read_transform(plan, line);
  if (!plan.has_transform()) return false;
  for (const auto& [word, reader] : kReaders)
    if (line.accept(word)) return reader(plan, line);
  return read_alternative(plan, line);
}

}  // namespace

ParsedPlan parse_plan(const std::string& text, const Program& program) {
  PartialPlan plan(program);
  std::string_view rest = text;
  for (std::size_t line_number = 1; !rest.empty(); ++line_number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    PlanLine line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.at_end()) continue;
    if (!read_line(plan, line) || !line.at_end())
      return {std::nullopt, "line " + std::to_string(line_number) + ": cannot read this line of a plan"};
  }
  return {plan.take(), {}};
}

}  // namespace pb
