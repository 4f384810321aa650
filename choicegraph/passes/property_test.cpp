// SPDX-License-Identifier: MIT
// Compares the Plan of random headers with the definition, cell by cell (docs/architecture.md 5). The seed is printed.
// PB_SEED and PB_CASES choose another run, PB_FIRST_CASE leaves out the cases before it, and PB_NIGHTLY=1 asks for a
// long run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>

#include "base/test_number.h"
#include "choicegraph/passes/build_plan.h"
#include "choicegraph/plan/plan_text.h"
#include "choicegraph/plan/verify_plan.h"
#include "choicegraph/testing/oracle.h"
#include "choicegraph/testing/random_header.h"
#include "frontend/infer_regions/infer_regions.h"

namespace pb::testing {
namespace {

/// Prints and counts what was tested; a failure shows the text of the header.
struct Report {
  int planned = 0, uncovered = 0, unsupported = 0, too_complex = 0;
  int three_rules = 0, self = 0, several = 0, where = 0, wide = 0, lattice = 0, triangle = 0, dynamic = 0, border = 0;
  int planned_self = 0, planned_wide = 0, planned_several = 0, planned_lattice = 0, planned_triangle = 0,
      planned_dynamic = 0, planned_border = 0, planned_partial = 0, dynamic_instances = 0;
  int displaced = 0, left_out = 0;
  std::map<int, int> unsupported_kinds;
  int tiles = 0, slices = 0, joint = 0, forbidden = 0;

  void count(const HeaderTraits& traits) {
    three_rules += traits.num_rules >= 3 ? 1 : 0;
    self += traits.has_self_dependence ? 1 : 0;
    several += traits.has_several_outputs ? 1 : 0;
    where += traits.has_where ? 1 : 0;
    wide += traits.has_wide_output ? 1 : 0;
    lattice += traits.has_lattice_or_diagonal ? 1 : 0;
    triangle += traits.has_triangle ? 1 : 0;
    dynamic += traits.has_dynamic_where ? 1 : 0;
    border += traits.has_border ? 1 : 0;
  }
  void count_orders(const TransformPlan& plan) {
    for (const Nest& nest : plan.nests) {
      ++(nest.rows.front().kind == RowKind::Slices ? slices : tiles);
      joint += nest.members.size() > 1 ? 1 : 0;
    }
    forbidden += plan.forbidden.empty() ? 0 : 1;
    displaced += plan.displaced.empty() ? 0 : 1;
    left_out += plan.left_out.empty() ? 0 : 1;
  }
  void count_planned(const HeaderTraits& traits) {
    ++planned;
    planned_self += traits.has_self_dependence ? 1 : 0;
    planned_wide += traits.has_wide_output ? 1 : 0;
    planned_several += traits.has_several_outputs ? 1 : 0;
    planned_lattice += traits.has_lattice_or_diagonal ? 1 : 0;
    planned_triangle += traits.has_triangle ? 1 : 0;
    planned_dynamic += traits.has_dynamic_where ? 1 : 0;
    planned_border += traits.has_border ? 1 : 0;
    planned_partial += traits.has_partial_temporary ? 1 : 0;
  }
};

std::string sizes_text(const Values& sizes) {
  std::string out;
  for (const auto& [name, value] : sizes) out += " " + name + "=" + std::to_string(value);
  return out;
}

/// Whether the candidates that a segment lists for a cell are those of the definition, less instances that are left
/// out.
bool are_candidates(const std::vector<RuleId>& listed, const std::vector<RuleId>& rules, const Liveness& live,
                    const Cell& cell) {
  if (listed == rules || (listed.size() == 1 && listed.front() == rules.front())) return true;
  if (live.needed.contains(cell)) return false;
  const auto found = live.makers.find(cell);
  const auto stays = [&](RuleId id) { return found != live.makers.end() && found->second.contains(id); };
  const auto has = [](const std::vector<RuleId>& list, RuleId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  const bool is_any_left = std::any_of(rules.begin(), rules.end(), stays);
  return std::all_of(rules.begin(), rules.end(), [&](RuleId id) { return has(listed, id) || !stays(id); }) &&
         std::all_of(listed.begin(), listed.end(),
                     [&](RuleId id) { return has(rules, id) || (stays(id) && !is_any_left); });
}

/// Compares the segments of one matrix with the candidates of its cells at one size. Returns what is wrong, or nothing.
std::string compare_matrix(const TransformPlan& plan, const Oracle& oracle, const Liveness& live, const Values& sizes,
                           MatrixId matrix) {
  std::map<Point, SegmentId> segment_of;
  for (const SegmentId id : plan.segments.ids()) {
    const Segment& segment = plan.segments[id];
    if (segment.matrix != matrix) continue;
    for (const Point& cell : points_of(segment.box, segment.conditions, segment.guards, sizes))
      if (!segment_of.emplace(cell, id).second) return "segments overlap";
  }
  std::set<Point> uncovered;
  for (const UncoveredBox& box : plan.uncovered)
    if (box.matrix == matrix)
      for (Point& cell : points_of(box.box, box.conditions, box.guards, sizes)) uncovered.insert(std::move(cell));
  std::size_t num_covered = 0;
  for (const auto& [cell, rules] : oracle.candidates(matrix)) {
    const auto segment = segment_of.find(cell);
    const bool is_needed = live.needed.contains({matrix.value, cell});
    if (rules.empty()) {
      if (segment != segment_of.end()) return "a segment holds a cell that no rule provides";
      if (is_needed && !uncovered.contains(cell)) return "an uncovered cell is not listed";
      if (!is_needed && uncovered.contains(cell)) return "an uncovered cell is listed that nobody needs";
      continue;
    }
    if (segment == segment_of.end() && !is_needed) continue;
    if (segment == segment_of.end()) return "a needed cell with candidates is in no segment";
    ++num_covered;
    if (!are_candidates(plan.segments[segment->second].candidates, rules, live, {matrix.value, cell}))
      return "candidates differ from the definition";
  }
  return num_covered == segment_of.size() ? "" : "a segment holds a cell outside the matrix";
}

/// Every way to choose at the sites, at most `limit` of them, spread evenly.
std::vector<std::vector<std::size_t>> choices_of(const TransformPlan& plan, std::size_t limit) {
  std::vector<std::vector<std::size_t>> out{{}};
  for (const Site& site : plan.sites) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& choice : out) {
      for (std::size_t a = 0; a < site.alternatives.size(); ++a) {
        if (out.size() * site.alternatives.size() > limit && a != choice.size() % site.alternatives.size()) continue;
        longer.push_back(choice);
        longer.back().push_back(a);
      }
    }
    out = std::move(longer);
  }
  return out;
}

bool is_forbidden(const TransformPlan& plan, const std::vector<std::size_t>& choice) {
  return std::any_of(plan.forbidden.begin(), plan.forbidden.end(), [&](const ForbiddenChoice& forbidden) {
    return std::all_of(forbidden.begin(), forbidden.end(), [&](const std::pair<SiteId, std::size_t>& item) {
      return choice[item.first.index()] == item.second;
    });
  });
}

constexpr std::int64_t kReach = 1;  // coordinates of random headers shift rule variables by less than that

/// What is wrong with `plan` at these sizes, with its choices at most `num_choices` ways.
std::string check_sizes(const Transform& transform, const TransformPlan& plan, const Values& sizes,
                        std::size_t num_choices) {
  const Oracle oracle(transform, sizes, kReach);
  const Liveness live = oracle.liveness(plan);
  for (const MatrixId matrix : transform.matrices.ids()) {
    if (transform.matrices[matrix].role == MatrixRole::From) continue;
    const std::string wrong = compare_matrix(plan, oracle, live, sizes, matrix);
    if (!wrong.empty()) return transform.matrices[matrix].name + " at" + sizes_text(sizes) + ": " + wrong;
  }
  for (const auto& choice : choices_of(plan, num_choices)) {
    if (is_forbidden(plan, choice)) continue;
    const std::string wrong = oracle.run(plan, choice);
    if (!wrong.empty()) return "run at" + sizes_text(sizes) + ": " + wrong;
  }
  return "";
}

/// All sizes up to kMaxSize, planes of at most kMaxCells cells: long ones are narrow.
std::string check_plan(const Transform& transform, const TransformPlan& plan) {
  constexpr std::int64_t kMaxSize = 12;
  constexpr std::int64_t kMaxCells = 25;
  const bool has_m = transform.size_vars.size() > 1;
  for (std::int64_t n = 0; n <= kMaxSize; ++n) {
    for (std::int64_t m = 0; m <= (has_m ? kMaxSize : 0); ++m) {
      if (has_m && n * m > kMaxCells) break;
      Values sizes{{"n", n}};
      if (has_m) sizes["m"] = m;
      const std::string wrong = check_sizes(transform, plan, sizes, std::max(n, m) <= 5 ? 8 : 2);
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

/// Matrices of which some cell that is needed has no candidate at these sizes.
std::set<MatrixId> uncovered_at(const Transform& transform, const Values& sizes) {
  const Liveness live = Oracle(transform, sizes, kReach).liveness({});
  std::set<MatrixId> out;
  for (const Cell& cell : live.uncovered)
    if (live.needed.contains(cell)) out.insert(MatrixId(cell.first));
  return out;
}

using Divisions = std::vector<std::pair<Formula, std::int64_t>>;

/// Appends the divisions of sizes by a number in `formula`.
void add_divisions(const Formula& formula, Divisions& out) {
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) add_divisions(negated->operand[0], out);
  const auto* binary = std::get_if<BinaryFormula>(&formula.node);
  if (binary == nullptr) return;
  for (const Formula& operand : binary->operands) add_divisions(operand, out);
  const auto* divisor = std::get_if<IntLiteral>(&binary->operands[1].node);
  if (binary->op != FormulaOp::Div || divisor == nullptr ||
      !symbols_of(binary->operands[0], SymbolKind::RuleVar).empty())
    return;
  out.emplace_back(binary->operands[0], divisor->value);
}

Divisions divisions_of(const Transform& transform) {
  Divisions out;
  for (const Matrix& matrix : transform.matrices)
    for (const Formula& extent : matrix.extents) add_divisions(extent, out);
  for (const Rule& rule : transform.rules) {
    for (const auto* accesses : {&rule.outputs, &rule.inputs})
      for (const RegionAccess& access : *accesses)
        for (const auto* bounds : {&access.lo, &access.hi})
          for (const Formula& bound : *bounds) add_divisions(bound, out);
    for (const Relation& relation : rule.where)
      for (const Formula* side : {&relation.lhs, &relation.rhs}) add_divisions(*side, out);
  }
  return out;
}

/// The `sizes` at which the transform's divisions are exact. Of divisions that no sizes make exact together, the first
/// counts.
std::vector<Values> that_divide(const Transform& transform, std::vector<Values> sizes) {
  for (const auto& [top, bottom] : divisions_of(transform)) {
    std::vector<Values> exact;
    for (const Values& values : sizes)
      if (value_of(top, values).value_or(1) % bottom == 0) exact.push_back(values);
    if (!exact.empty()) sizes = exact;
  }
  return sizes;
}

/// True if at large sizes some cell of a matrix that is needed has no candidate, whichever size is the greater. Large:
/// beyond every constant that random headers write, with every remainder of the strides they use. What is uncovered
/// only where divisions of sizes leave a remainder ends a run (cut_grid.cpp, Note [Sizes that divide]).
bool is_uncovered_when_large(const Transform& transform) {
  static constexpr std::pair<std::int64_t, std::int64_t> kPlanes[] = {{8, 8},  {9, 9},   {8, 9},   {9, 8},  {12, 8},
                                                                      {8, 12}, {11, 10}, {10, 11}, {8, 20}, {20, 8}};
  if (transform.size_vars.size() == 1) {
    std::vector<Values> sizes;
    for (std::int64_t n = 8; n < 20; ++n) sizes.push_back({{"n", n}});
    sizes = that_divide(transform, sizes);
    return std::any_of(sizes.begin(), sizes.end(),
                       [&](const Values& values) { return !uncovered_at(transform, values).empty(); });
  }
  std::vector<Values> planes;
  for (const auto& [n, m] : kPlanes) planes.push_back({{"n", n}, {"m", m}});
  std::set<MatrixId> wide;
  std::set<MatrixId> tall;
  for (const Values& sizes : that_divide(transform, planes)) {
    for (const MatrixId matrix : uncovered_at(transform, sizes)) {
      if (sizes.at("n") >= sizes.at("m")) wide.insert(matrix);
      if (sizes.at("n") <= sizes.at("m")) tall.insert(matrix);
    }
  }
  return std::any_of(wide.begin(), wide.end(), [&](MatrixId matrix) { return tall.contains(matrix); });
}

void check_header(const RandomHeader& header, Report& report) {
  Program program = header.transform.program();
  Diagnostics diags;
  report.count(header.traits);
  if (!infer_regions(program, diags)) {
    ASSERT_TRUE(diags.has(DiagKind::DynamicInstances) && header.traits.has_dynamic_where) << header.text;
    ++report.dynamic_instances;
    return;
  }
  const Plan plan = build_plan(program, diags);
  const Transform& transform = program.transforms[program.main];
  if (!diags.has(DiagKind::RegionsTooComplex)) {
    ASSERT_EQ(diags.has(DiagKind::UncoveredOutput), is_uncovered_when_large(transform)) << header.text;
  }
  if (diags.has_errors()) {
    const bool is_wrong = diags.has(DiagKind::UncoveredOutput) || diags.has(DiagKind::NoLoopOrder) ||
                          diags.has(DiagKind::BorderReadsOwnCell) || diags.has(DiagKind::NoLegalOrder) ||
                          diags.has(DiagKind::NoConsistentChoice);
    ++(is_wrong ? report.uncovered : report.unsupported);
    if (!is_wrong) ++report.unsupported_kinds[static_cast<int>(diags.all().back().kind)];
    report.too_complex += diags.has(DiagKind::RegionsTooComplex) ? 1 : 0;
    return;
  }
  report.count_planned(header.traits);
  report.count_orders(plan.transforms.front());
  verify(plan, program);
  const std::string text = to_string(plan, program);
  const ParsedPlan again = parse_plan(text, program);
  ASSERT_TRUE(again.plan.has_value()) << again.error << "\n" << text;
  ASSERT_EQ(to_string(*again.plan, program), text);
  const std::string wrong = check_plan(transform, plan.transforms.front());
  ASSERT_EQ(wrong, "") << header.text << "\n" << text;
}

/// Plans and runs `transform` at all small sizes.
void check_transform(const TestTransform& transform) {
  Program program = transform.program();
  Diagnostics diags;
  ASSERT_TRUE(infer_regions(program, diags));
  const Plan plan = build_plan(program, diags);
  ASSERT_FALSE(diags.has_errors());
  EXPECT_EQ(check_plan(program.transforms[program.main], plan.transforms.front()), "") << to_string(plan, program);
}

TEST(PlanProperty, RulesThatOverwriteEachOtherTakeTurns) {
  check_transform(TestTransform()
                      .to("P[n,m]")
                      .to("Q[n,m]")
                      .rule({"P.cell(i,j)", "Q.cell(i,j)"}, {"Q.cell(i-1,j)", "Q.cell(i,j-1)"}, 2)
                      .rule({"Q.cell(i,j)"}, {"P.cell(i-1,j)", "P.cell(i+1,j-1)"}, 1)
                      .rule({"P.cell(i,j)"}, {}, 3)
                      .rule({"Q.cell(i,j)"}, {}, 3));
  check_transform(TestTransform()
                      .from("A[n]")
                      .to("P[n]")
                      .rule({"P.region(0,n/2)"}, {})
                      .rule({"P.region(3*i,3*i+3)"}, {"A.cell(i-1)"})
                      .rule({"P.cell(i)"}, {}, 2));
}

TEST(PlanProperty, RandomHeadersAgreeWithTheDefinition) {
  const bool is_nightly = number_from("PB_NIGHTLY", 0) != 0;
  const std::uint64_t seed = number_from("PB_SEED", is_nightly ? std::random_device()() : 20130316);
  const std::uint64_t num_cases = number_from("PB_CASES", is_nightly ? 10000 : 300);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 rng(seed);
  Report report;
  const std::uint64_t first_case = number_from("PB_FIRST_CASE", 0);
  for (std::uint64_t i = 0; i < num_cases; ++i) {
    const RandomHeader header = random_header(rng);
    if (i < first_case) continue;
    SCOPED_TRACE("PB_SEED=" + std::to_string(seed) + " case " + std::to_string(i));
    check_header(header, report);
    if (HasFatalFailure()) return;
  }
  std::printf("seed %llu: %d headers planned, %d without a plan by the language's rules, %d not supported yet\n",
              static_cast<unsigned long long>(seed), report.planned, report.uncovered, report.unsupported);
  std::printf("of all: three or more rules %d, self-dependence %d, several outputs %d, where with one variable %d\n",
              report.three_rules, report.self, report.several, report.where);
  std::printf("        wide outputs %d, lattice or diagonal %d, triangle %d, dynamic where %d, borders %d\n",
              report.wide, report.lattice, report.triangle, report.dynamic, report.border);
  std::printf(
      "of planned: self-dependence %d, several outputs %d, wide outputs %d, lattice or diagonal %d, triangle %d, "
      "dynamic where %d, borders %d, partial temporaries %d\n",
      report.planned_self, report.planned_several, report.planned_wide, report.planned_lattice, report.planned_triangle,
      report.planned_dynamic, report.planned_border, report.planned_partial);
  std::printf("dynamic where with other instances: %d\n", report.dynamic_instances);
  std::printf("nests: in tiles %d, in slices %d, of several steps %d; plans with forbidden choices %d\n", report.tiles,
              report.slices, report.joint, report.forbidden);
  std::printf("plans with displaced rules %d, with instances that are left out %d\n", report.displaced,
              report.left_out);
  std::printf("too complex: %d\n", report.too_complex);
  for (const auto& [kind, count] : report.unsupported_kinds)
    std::printf("not supported yet: %d of diagnostic %d\n", count, kind);
  const int all = static_cast<int>(num_cases - std::min(first_case, num_cases));
  if (all < 250) return;  // too few cases for shares to mean anything
  EXPECT_LE(report.too_complex * 100, all);
  EXPECT_GE(report.planned * 100, all * 50);
  EXPECT_GE(report.planned_dynamic * 100, all * 5);
  EXPECT_GE(report.planned_border * 100, all * 5);
  EXPECT_GE(report.planned_partial * 100, all * 5);
  EXPECT_GE(report.left_out * 100, all);
  EXPECT_GE(report.three_rules * 100, all * 30);
  for (const int count : {report.self, report.several, report.wide, report.lattice, report.triangle})
    EXPECT_GE(count * 100, all * 20);
}

}  // namespace
}  // namespace pb::testing
