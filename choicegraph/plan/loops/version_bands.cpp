// SPDX-License-Identifier: MIT
#include "choicegraph/plan/loops/version_bands.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "choicegraph/plan/launches/launch_steps.h"
#include "choicegraph/plan/launches/step_cells.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Bands of which neighbours need more rows than this would not stay in caches.
constexpr std::int64_t kMaxSkew = 64;

/// Where the instances of a member write.
struct WrittenRows {
  BandMember member;
  std::vector<IndexExpr> first;  ///< the row of an instance, in several spellings; empty: it is not known
  std::int64_t count = 1;        ///< rows of an instance; 0: not known
};

/// The rows [`first`, `end`) that an instance reads, counted from its own.
struct ReadRows {
  std::int64_t first = 0, end = 1;
  bool is_across = false;  ///< they may lie at the other edge: counted as if the first row came behind the last one
  bool is_mapped = false;  ///< a border may map them to others, no farther away, in both directions

  [[nodiscard]] std::int64_t farthest() const { return std::max(-first, end - 1); }
};

/// Looks at the members of one nest, for bands with or without folds.
class BandsFinder {
 public:
  BandsFinder(const Transform& transform, const TransformPlan& plan, const Nest& nest, bool is_folded)
      : transform_(transform), plan_(plan), nest_(nest) {
    out_.is_folded = is_folded;
  }

  VersionBands find() {
    const std::optional<MatrixId> found = matrix_of_versions(plan_, nest_);
    if (!found) return no_bands("the nest makes no versions of a temporary");
    out_.matrix = *found;
    versions_ = transform_.matrices[*found].extents.size() - 1;
    for (const NestMember& member : nest_.members)
      if (std::string why = add(member); !why.empty()) return no_bands("`" + rule_of(member).name + "` " + why);
    // See Note [How far bands lie apart].
    out_.skew = std::max(after_, before_ + most_rows_ - 1) + out_.members.back().lag;
    if (out_.skew > kMaxSkew) return no_bands("instances read rows far from their own");
    out_.main = std::max_element(nest_.members.begin(), nest_.members.end(), [&](const auto& a, const auto& b) {
                  return has_less_to_do(transform_, plan_.steps[a.step], plan_.steps[b.step]);
                })->step;
    return std::move(out_);
  }
  /// Whether find() found instances that read rows at the other edge, which folded bands may allow.
  [[nodiscard]] bool needs_fold() const { return needs_fold_; }

 private:
  const Rule& rule_of(const NestMember& member) const { return transform_.rules[plan_.steps[member.step].rule]; }
  std::size_t row_dim() const { return versions_ - 1; }

  static VersionBands no_bands(std::string why) {
    VersionBands out;
    out.why_not = std::move(why);
    return out;
  }

  /// Adds a member; returns why it has no bands, or nothing.
  std::string add(const NestMember& member) {
    const NestCoordinate& version = member.coordinates.front();
    if (rule_of(member).outputs.front().matrix != out_.matrix) return "writes another matrix";
    if (member.coordinates.size() != 1 || version.var.empty() || version.factor != 1)
      return "counts versions otherwise";
    WrittenRows written = written_rows(member);
    if (written.count == 0 || (written.count > 1 && out_.is_folded)) return "writes more than one row of a version";
    if (written.first.empty()) return "writes rows that do not follow one another";
    if (written.count > written.member.step && !written.member.var.empty()) return "writes rows several times";
    std::int64_t ahead = 0;
    if (std::string why = add_reads(member, written, ahead); !why.empty()) return why;
    BandMember& added = written.member;
    if (!out_.members.empty()) {
      // What several members write has the value of the last one. An instance with several rows waits for the others.
      ahead = std::max(ahead, written.count - 1);
      added.lag = out_.members.back().lag;
    }
    added.lag += ahead;
    most_rows_ = std::max(most_rows_, written.count);
    out_.members.push_back(std::move(added));
    return "";
  }

  WrittenRows written_rows(const NestMember& member) const {
    const RegionAccess& output = rule_of(member).outputs.front();
    const Formula& at = output.lo[row_dim()];
    const auto lo = to_index_expr(at, {}), hi = to_index_expr(output.hi[row_dim()], {});
    WrittenRows out;
    if (output.kind != AccessKind::Cell && !output.is_fixed_dim(row_dim())) {
      const auto count = lo && hi ? constant_of(index_sub(*hi, *lo)) : std::nullopt;
      out.count = count && *count > 0 ? *count : 0;
      if (out.count == 0) return out;
    }
    const std::vector<std::string> vars = symbols_of(at, SymbolKind::RuleVar);
    if (!vars.empty()) {
      find_place(member, vars, at, out);
    } else if (out.count > 1) {
      out.first = {*lo};
      out.member.row = *lo;
    } else {
      find_single_row(member, out);
    }
    return out;
  }

  /// Finds how instances move along the rows: `step * var + shift`.
  static void find_place(const NestMember& member, const std::vector<std::string>& vars, const Formula& at,
                         WrittenRows& out) {
    const auto is_it = [&](const LoopDim& loop) { return loop.var == vars.front(); };
    if (vars.size() > 1 || std::none_of(member.loops.begin(), member.loops.end(), is_it)) return;
    const auto step = coefficient_of(at, vars.front());
    const auto exact = to_rational(at, {});
    if (!step || *step < 1 || !exact || exact->denominator != 1) return;
    out.member.var = vars.front();
    out.member.step = *step;
    out.member.shift = index_sub(exact->numerator, index_mul(index_const(*step), index_symbol(vars.front())));
    out.first = {exact->numerator};
  }

  /// Finds the row that all instances write.
  void find_single_row(const NestMember& member, WrittenRows& out) const {
    const Step& step = plan_.steps[member.step];
    if (step.segments.size() != 1) return;
    const IndexRange& range = plan_.segments[step.segments.front()].box[row_dim()];
    out.first = {range.lo, index_sub(range.hi, index_const(1))};
    out.member.row = range.lo;
    // Bounds of a row in the middle, such as `h/2`, are those of its neighbours, too.
    Step slice = step;
    slice.loops = member.loops;
    const StepCells cells = find_step_cells(transform_, plan_, slice, versions_);
    if (cells.why_not.empty() && cells.dims[row_dim()].is_fixed()) out.first = cells.dims[row_dim()].spellings;
  }

  /// Adds what the member reads; sets `ahead` to how many rows of its own version it reads behind its row.
  std::string add_reads(const NestMember& member, const WrittenRows& written, std::int64_t& ahead) {
    const Step& step = plan_.steps[member.step];
    const NestCoordinate& version = member.coordinates.front();
    for (const InputBox& box : step.input_boxes) {
      const RegionAccess& input = rule_of(member).inputs[box.input];
      if (input.matrix != out_.matrix) continue;
      const std::vector<std::size_t>& tested = input.tested_dims;
      if (input.is_guest || std::find(tested.begin(), tested.end(), row_dim()) != tested.end())
        return "computes which rows it reads";
      const std::optional<ReadRows> rows = rows_read(box, input, written.first);
      if (!rows) return "reads rows that are not next to its own";
      if (rows->is_across && !out_.is_folded) {
        needs_fold_ = true;
        return "reads rows at the other edge";
      }
      before_ = std::max(before_, is_either_way(*rows) ? rows->farthest() : -rows->first);
      after_ = std::max(after_, is_either_way(*rows) ? rows->farthest() : rows->end - 1);
      const IndexExpr made = index_add(index_symbol(version.var), version.shift);
      if (index_sub(made, box.lo[versions_]).is_const(1)) continue;
      // It reads its own version: what other members have made, or itself in rows before. Members stand in the order in
      // which they run within a version, and lags do not fall, so those before it have made rows up to its own.
      if (may_read_own_later(*rows, written)) return "reads rows after its own in its own version";
      ahead = std::max(ahead, is_either_way(*rows) ? rows->farthest() : rows->end - 1);
    }
    return "";
  }

  /// Whether rows before an instance may lie behind its place: where they are folded or mapped by a border.
  [[nodiscard]] bool is_either_way(const ReadRows& rows) const { return rows.is_mapped || out_.is_folded; }

  /// Whether a member with many rows may read later ones of itself. Rows between its own are those of others.
  [[nodiscard]] bool may_read_own_later(const ReadRows& rows, const WrittenRows& written) const {
    if (written.member.var.empty()) return false;
    const std::int64_t end = std::min(rows.end, kMaxSkew + 2);
    for (std::int64_t at = std::max(rows.first, is_either_way(rows) ? -kMaxSkew - 1 : 1); at < end; ++at) {
      if (at == 0) continue;
      const std::int64_t step = written.member.step;
      if (rows.is_mapped || rows.is_across || (at % step + step) % step < written.count) return true;
    }
    return false;
  }

  /// Returns the rows that the input reads, from an instance's own row on; none if they are not known.
  [[nodiscard]] std::optional<ReadRows> rows_read(const InputBox& box, const RegionAccess& input,
                                                  const std::vector<IndexExpr>& own) const {
    ReadRows out;
    const bool is_mapped = input.is_mapped_dim(row_dim());
    if (const auto near = distances(box, own, index_const(0))) {
      std::tie(out.first, out.end) = *near;
      out.is_mapped = is_mapped && out.farthest() != 0;
      out.is_across = out.is_mapped && input.border == Border::Wrap;
      return out;
    }
    const auto height = to_index_expr(transform_.matrices[out_.matrix].extents[row_dim()], {});
    for (const int sign : {-1, 1}) {
      const auto across = height ? distances(box, own, index_mul(index_const(sign), *height)) : std::nullopt;
      if (!across || (is_mapped && input.border != Border::Wrap)) continue;
      std::tie(out.first, out.end) = *across;
      out.is_across = true;
      return out;
    }
    return std::nullopt;
  }

  /// Returns how far the first and the last row of the box, moved by `by`, lie behind an instance's own row.
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> distances(const InputBox& box,
                                                                               const std::vector<IndexExpr>& own,
                                                                               const IndexExpr& by) const {
    std::optional<std::int64_t> first, end;
    for (const IndexExpr& row : own) {
      const IndexExpr moved = index_sub(row, by);
      if (!first) first = constant_of(index_sub(box.lo[row_dim()], moved));
      if (!end) end = constant_of(index_sub(box.hi[row_dim()], moved));
    }
    if (!first || !end) return std::nullopt;
    return std::pair(*first, *end);
  }

  const Transform& transform_;
  const TransformPlan& plan_;
  const Nest& nest_;
  std::size_t versions_ = 0;    ///< the dimension of the versions
  std::int64_t before_ = 0;     ///< the farthest row before its own that an instance reads
  std::int64_t after_ = 0;      ///< the farthest one behind its own
  std::int64_t most_rows_ = 1;  ///< of an instance
  bool needs_fold_ = false;
  VersionBands out_;
};

}  // namespace

VersionBands find_version_bands(const Transform& transform, const TransformPlan& plan, const Nest& nest) {
  BandsFinder plain(transform, plan, nest, false);
  VersionBands out = plain.find();
  return plain.needs_fold() ? BandsFinder(transform, plan, nest, true).find() : out;
}

// Note [How far bands lie apart]
// ------------------------------
// An instance with lag l at row p runs in the band that has the place p + l. Before a band that ends at place t begins,
// all places before t + skew are done in the version before. Let L be the largest lag.
// - An instance in the band reads rows up to p + after of the version before. These are made by instances at these rows
//   or before, at places below t + after + L.
// - It writes rows up to p + count - 1, in the memory of the version two before. Of the version before, instances up to
//   row p + count - 1 + before read them, at places below t + count - 1 + before + L.
// So a skew of L and the larger one of `after` and `before + count - 1` is enough. Bands that run at the same time, an
// earlier one of a later version and a later one of an earlier version, lie as far apart, and neither needs what the
// other one writes.
//
// Note [Folded rows]
// ------------------
// Where the first row reads the last one, or the other way round, no order of bands from the first row to the last has
// what it needs. The place of row y of h is then min(y, h-1-y), its distance to the nearer edge. On the ring that the
// rows are if the first one comes behind the last, places of rows that lie d apart differ by d at most, because a place
// is a distance. The same holds for d on the line. So all that is said of rows above is true of places, with distances
// in both directions: rows of a band lie at both edges, the next bands lie farther inside, and the last one lies in the
// middle. An instance has one row there. No instance may read its own member's rows in its own version, because half of
// the rows run in the other order.

}  // namespace pb
