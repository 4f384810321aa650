// SPDX-License-Identifier: MIT
#include "clgen/cpp/nest_code.h"

#include <algorithm>

#include "clgen/cpp/announced_instance.h"
#include "clgen/cpp/instance_code.h"
#include "clgen/cpp/instance_count.h"
#include "clgen/cpp/loop_code.h"
#include "clgen/cpp/packs.h"
#include "clgen/cpp/piece_code.h"
#include "clgen/index_width.h"
#include "clgen/lower/host_care.h"
#include "clgen/lower/nest_shape.h"
#include "clgen/names.h"

namespace pb {
namespace {

/// The values that a coordinate takes.
IndexRange range_of(const Step& step, const NestCoordinate& coordinate) {
  const IndexExpr one = index_const(1);
  if (coordinate.var.empty()) return {coordinate.shift, index_add(coordinate.shift, one)};
  const IndexRange& range = range_of(step, coordinate.var);
  if (coordinate.sign > 0) return {index_add(range.lo, coordinate.shift), index_add(range.hi, coordinate.shift)};
  return {index_add(index_sub(coordinate.shift, range.hi), one), index_add(index_sub(coordinate.shift, range.lo), one)};
}

/// The values that a row takes.
IndexRange range_of(const Step& step, const NestMember& member, const NestRow& row) {
  IndexRange out{index_const(0), index_const(1)};
  for (std::size_t c = 0; c < row.coefficients.size(); ++c) {
    if (row.coefficients[c] == 0) continue;
    const IndexExpr by = index_const(row.coefficients[c]);
    const IndexRange range = range_of(step, member.coordinates[c]);
    const IndexExpr last = index_sub(range.hi, index_const(1));
    out.lo = index_add(out.lo, index_mul(by, row.coefficients[c] > 0 ? range.lo : last));
    out.hi = index_add(out.hi, index_mul(by, row.coefficients[c] > 0 ? last : range.lo));
  }
  return out;
}

/// The values that a row takes over all members.
IndexRange hull_of(const TransformPlan& plan, const Nest& nest, const NestRow& row) {
  std::vector<IndexExpr> lo;
  std::vector<IndexExpr> hi;
  for (const NestMember& member : nest.members) {
    IndexRange range = range_of(plan.steps[member.step], member, row);
    lo.push_back(std::move(range.lo));
    hi.push_back(std::move(range.hi));
  }
  return {index_min(std::move(lo)), index_max(std::move(hi))};
}

std::string row_box_type(const Nest& nest) { return "pbrt::Box<" + std::to_string(nest.rows.size()) + ">"; }

std::string row_box(const TransformPlan& plan, const Nest& nest) {
  std::vector<std::string> lo;
  std::vector<std::string> hi;
  for (auto row = nest.rows.rbegin(); row != nest.rows.rend(); ++row) {
    const IndexRange range = hull_of(plan, nest, *row);
    lo.push_back(to_cpp(range.lo));
    hi.push_back(to_cpp(range.hi));
  }
  return "{{" + joined(lo) + "}, {" + joined(hi) + "}}";
}

// ---- loops over a tile

/// What stands in loops over a tile.
enum class TileWork : std::uint8_t { Run, Count };

/// Whether the volume of a tile is the number of instances in it.
bool is_tile_full(const TransformPlan& plan, const Nest& nest) {
  if (nest.members.size() != 1) return false;
  const NestMember& member = nest.members.front();
  const auto is_coordinate = [](const NestRow& row) {
    return std::count(row.coefficients.begin(), row.coefficients.end(), 0) + 1 == std::ssize(row.coefficients);
  };
  return is_box(plan.steps[member.step]) && member.loops.empty() &&
         std::all_of(nest.rows.begin(), nest.rows.end(), is_coordinate);
}

/// Prints the loops of a member over a tile of rows.
class TileLoops {
 public:
  TileLoops(Writer& out, const TransformPlan& plan, const Nest& nest, const NestPart& part, TileWork work)
      : out_(out),
        nest_(nest),
        part_(part),
        work_(work),
        step_(plan.steps[part.member.step]),
        inverse_(inverse_of(nest.rows)) {
    for (std::size_t r = 0; r < num_rows(); ++r) names_.push_back(row_name(r));
  }

  void emit() {
    for (std::size_t r = 0; r < num_rows(); ++r) emit_row(r);
    for (std::size_t c = 0; c < num_rows(); ++c) emit_variable(c);
    for (const LoopDim& loop : part_.member.loops) emit_inner(loop);
    const Condition is_instance = all_at_least_zero(instance_conditions(step_));
    if (!is_instance.is_always()) out_.open(if_text(is_instance, [this](const IndexExpr& expr) { return text(expr); }));
    if (work_ == TileWork::Run) {
      const HostCare care = part_.code.has_kernels && part_.code.has_calls() ? HostCare::Instance : HostCare::Step;
      emit_with_care(out_, part_.code, step_, care, [&] { emit_instance(out_, part_.code); });
    } else {
      out_.line("++pb_count;");
    }
    if (!is_instance.is_always()) out_.close();
    for (std::size_t i = 0; i < num_rows() + part_.member.loops.size(); ++i) out_.close();
  }

 private:
  std::size_t num_rows() const { return nest_.rows.size(); }
  std::string text(const IndexExpr& expr) const { return to_index_cpp(expr, part_.code.transform); }

  /// The row that is a coordinate as it is; none if the coordinate needs more than that.
  bool is_row(std::size_t coordinate, std::size_t row) const {
    for (std::size_t r = 0; r < num_rows(); ++r)
      if (inverse_[coordinate][r] != (r == row ? 1 : 0)) return false;
    const NestCoordinate& at = part_.member.coordinates[coordinate];
    return !at.var.empty() && at.sign == 1 && at.shift.is_const(0);
  }
  std::string row_name(std::size_t row) const {
    for (std::size_t c = 0; c < num_rows(); ++c)
      if (is_row(c, row)) return part_.member.coordinates[c].var;
    return "pb_u" + std::to_string(row);
  }

  /// The part of a coordinate that the rows before `row` make.
  IndexExpr partial(std::size_t coordinate, std::size_t row) const {
    IndexExpr out = index_const(0);
    for (std::size_t r = 0; r < row; ++r)
      out = index_add(out, index_mul(index_const(inverse_[coordinate][r]), index_symbol(names_[r])));
    return out;
  }

  /// Bounds that a coordinate sets to the last row that it depends on.
  void add_bounds(std::size_t coordinate, std::size_t row, std::vector<IndexExpr>& lo,
                  std::vector<IndexExpr>& hi) const {
    for (std::size_t r = row + 1; r < num_rows(); ++r)
      if (inverse_[coordinate][r] != 0) return;
    const std::int64_t by = inverse_[coordinate][row];
    if (by == 0) return;
    const IndexRange range = range_of(step_, part_.member.coordinates[coordinate]);
    const IndexExpr one = index_const(1);
    const IndexExpr rest = partial(coordinate, row);
    const IndexExpr last = index_sub(range.hi, one);
    const IndexExpr divisor = index_const(by < 0 ? -by : by);
    const auto up = [&](const IndexExpr& a) { return index_floordiv(index_add(a, index_sub(divisor, one)), divisor); };
    const auto down = [&](const IndexExpr& a) { return index_add(index_floordiv(a, divisor), one); };
    // lo <= rest + by * u <= last
    lo.push_back(by > 0 ? up(index_sub(range.lo, rest)) : up(index_sub(rest, last)));
    hi.push_back(by > 0 ? down(index_sub(last, rest)) : down(index_sub(rest, range.lo)));
  }

  void emit_row(std::size_t row) {
    const std::string dim = "[" + std::to_string(num_rows() - 1 - row) + "]";
    std::vector<IndexExpr> lo{index_symbol("pb_tile.lo" + dim)};
    std::vector<IndexExpr> hi{index_symbol("pb_tile.hi" + dim)};
    for (std::size_t c = 0; c < num_rows(); ++c) add_bounds(c, row, lo, hi);
    const std::string& name = names_[row];
    const std::string end = "pb_end" + std::to_string(row);
    // Rows that are sums of rule variables may be larger than these.
    const std::string type = name.starts_with("pb_") ? "std::int64_t" : "IndexT";
    const auto value = [&](const IndexExpr& bound) {
      return type == "IndexT" ? "static_cast<IndexT>(" + text(bound) + ")" : text(bound);
    };
    out_.line("const " + type + " " + end + " = " + value(index_min(std::move(hi))) + ";");
    out_.open("for (" + type + " " + name + " = " + value(index_max(std::move(lo))) + "; " + name + " < " + end +
              "; ++" + name + ")");
  }

  void emit_variable(std::size_t coordinate) {
    const NestCoordinate& at = part_.member.coordinates[coordinate];
    if (at.var.empty() || std::find(names_.begin(), names_.end(), at.var) != names_.end()) return;
    const IndexExpr value = index_sub(partial(coordinate, num_rows()), at.shift);
    out_.line("[[maybe_unused]] const IndexT " + at.var + " = static_cast<IndexT>(" +
              text(index_mul(index_const(at.sign), value)) + ");");
  }

  void emit_inner(const LoopDim& loop) {
    const std::string lo = "static_cast<IndexT>(" + text(loop.range.lo) + ")";
    const std::string hi = "static_cast<IndexT>(" + text(loop.range.hi) + ")";
    if (loop.order == LoopOrder::Decreasing) {
      out_.open("for (IndexT " + loop.var + " = " + hi + " - 1; " + loop.var + " >= " + lo + "; --" + loop.var + ")");
    } else {
      out_.open("for (IndexT " + loop.var + " = " + lo + "; " + loop.var + " < " + hi + "; ++" + loop.var + ")");
    }
  }

  Writer& out_;
  const Nest& nest_;
  const NestPart& part_;
  TileWork work_;
  const Step& step_;
  std::vector<std::vector<int>> inverse_;
  std::vector<std::string> names_;
};

void emit_tile_loops(Writer& out, const TransformPlan& plan, const Nest& nest, const NestPart& part) {
  const std::string box = "const " + row_box_type(nest) + "& pb_tile";
  Writer body = loops_body(part.code);
  TileLoops(body, plan, nest, part, TileWork::Run).emit();
  emit_loops_function(out, part.code, "PB_LOOPS void loops_" + part.stem, box, body);
  out.blank();
  if (is_tile_full(plan, nest)) return;
  Writer count;
  count.indent();
  TileLoops(count, plan, nest, part, TileWork::Count).emit();
  emit_count_function(out, part.code, part.stem, box, count);
}

// ---- slices

}  // namespace

namespace {

/// Prints the statements of one nest.
class NestEmitter {
 public:
  NestEmitter(Writer& out, const TransformPlan& plan, const Nest& nest, const std::vector<NestPart>& parts,
              const std::vector<bool>& has_packs, const NestArgs& args)
      : out_(out), plan_(plan), nest_(nest), parts_(parts), has_packs_(has_packs), args_(args) {}

  void emit() {
    for (std::size_t m = 0; m < parts_.size(); ++m) {
      units_.push_back(declare_unit(out_, parts_[m].code, "pb_unit" + std::to_string(m)));
    }
    out_.line("const " + row_box_type(nest_) + " pb_rows = " + row_box(plan_, nest_) + ";");
    is_sliced(nest_) ? emit_slices() : emit_tiles();
  }

 private:
  bool has_calls() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const NestPart& part) { return part.code.has_calls(); });
  }

  /// `count`, or nothing where the part does not run.
  static std::string count_if(const NestPart& part, const std::string& count) {
    return part.condition.is_always() ? count : "(" + selected_text(part.condition, count, "0") + ")";
  }

  /// Instances of a member in all slices.
  std::string count_in_slices(const NestPart& part) const {
    const Step step = step_in_slices(plan_, part.member);
    if (step.loops.empty()) return count_if(part, "std::int64_t{1}");
    const std::string box = box_type(step) + box_initializer(step);
    return count_if(part, is_box(step) ? box + ".volume()" : count_call(part.code, part.stem, box));
  }

  void emit_tiles() {
    const bool is_full = is_tile_full(plan_, nest_);
    unsigned carried = 0;
    for (std::size_t r = 0; r < nest_.rows.size(); ++r)
      if (nest_.rows[r].kind == RowKind::Carried) carried |= 1U << (nest_.rows.size() - 1 - r);
    out_.open("pbrt::run_tiles(" + args_.frame + ", pb_rows, " + args_.extent + ", " + std::to_string(carried) +
              "U, [&](" + (has_calls() || !is_full ? "pbrt::Frame& pb_inner" : "pbrt::Frame&") + ", const " +
              row_box_type(nest_) + "& pb_tile)");
    if (!is_full) {
      std::vector<std::string> counts;
      for (const NestPart& part : parts_) counts.push_back(count_if(part, count_call(part.code, part.stem, "pb_tile")));
      out_.line(counted_scope("pb_inner", args_.rule, counts));
    }
    if (parts_.size() == 1) {
      emit_piece(out_, parts_[0].code, parts_[0].stem, has_packs_[0], units_[0], "pb_tile");
    } else {
      emit_points();
    }
    out_.close(is_full ? ", &" + args_.rule + ");" : ");");
  }

  /// All members at each point of the tile.
  void emit_points() {
    const std::size_t num_rows = nest_.rows.size();
    out_.line(row_box_type(nest_) + " pb_point;");
    for (std::size_t r = 0; r < num_rows; ++r) {
      const std::string dim = "[" + std::to_string(num_rows - 1 - r) + "]";
      const std::string at = "pb_point.lo" + dim;
      out_.open("for (" + at + " = pb_tile.lo" + dim + "; " + at + " < pb_tile.hi" + dim + "; ++" + at + ")");
      out_.line("pb_point.hi" + dim + " = " + at + " + 1;");
    }
    for (std::size_t m = 0; m < parts_.size(); ++m) {
      if (!parts_[m].condition.is_always()) out_.open(if_text(parts_[m].condition));
      const bool is_announced = care_in(plan_, nest_, shapes_of(parts_), m) == HostCare::Slice;
      const HostParts hosted = parts_of_box(parts_[m].code, plan_.steps[parts_[m].member.step], "");
      if (is_announced) emit_arrivals(out_, hosted, "pb_inner");
      emit_piece(out_, parts_[m].code, parts_[m].stem, has_packs_[m], units_[m], "pb_point");
      if (is_announced) emit_departures(out_, hosted, "pb_inner");
      if (!parts_[m].condition.is_always()) out_.close();
    }
    for (std::size_t r = 0; r < num_rows; ++r) out_.close();
  }

  void emit_slices() {
    const std::size_t num_rows = nest_.rows.size();
    // Pieces of slices record themselves.
    std::vector<std::string> counts;
    for (const NestPart& part : parts_)
      if (!is_inside_parallel(part.member)) counts.push_back(count_in_slices(part));
    if (!counts.empty()) out_.line(counted_scope(args_.frame, args_.rule, counts));
    for (std::size_t r = 0; r < num_rows; ++r) {
      const std::string dim = "[" + std::to_string(num_rows - 1 - r) + "]";
      const std::string at = "pb_u" + std::to_string(r);
      out_.open("for (std::int64_t " + at + " = pb_rows.lo" + dim + "; " + at + " < pb_rows.hi" + dim + "; ++" + at +
                ")");
    }
    for (std::size_t m = 0; m < parts_.size(); ++m) emit_slice(m);
    for (std::size_t r = 0; r < num_rows; ++r) out_.close();
  }

  /// The value of a coordinate in the slice: rows of slices are single coordinates, up or down.
  IndexExpr coordinate_value(std::size_t coordinate) const {
    for (std::size_t r = 0; r < nest_.rows.size(); ++r)
      if (const int by = nest_.rows[r].coefficients[coordinate]; by != 0)
        return index_mul(index_const(by), index_symbol("pb_u" + std::to_string(r)));
    return index_const(0);
  }

  void emit_slice(std::size_t m) {
    const NestPart& part = parts_[m];
    const Step step = step_in_slices(plan_, part.member);
    std::vector<Condition> terms{part.condition};
    Step slice = step;
    std::size_t next = 0;
    for (std::size_t c = 0; c < part.member.coordinates.size(); ++c) {
      const NestCoordinate& at = part.member.coordinates[c];
      if (at.var.empty()) {
        terms.push_back(Condition::relation(coordinate_value(c), RelationOp::Equal, at.shift));
        continue;
      }
      const IndexExpr value = index_mul(index_const(at.sign), index_sub(coordinate_value(c), at.shift));
      IndexRange& range = slice.loops[next++].range;
      terms.push_back(Condition::relation(value, RelationOp::GreaterEqual, range.lo));
      terms.push_back(Condition::relation(value, RelationOp::Less, range.hi));
      range = {value, index_add(value, index_const(1))};
    }
    out_.open(if_text(Condition::all_of(std::move(terms))));
    emit_slice_of(m, slice);
    out_.close();
  }

  /// With the announcements that the slice needs.
  void emit_slice_of(std::size_t m, const Step& slice) {
    const NestPart& part = parts_[m];
    const bool has_loops = !slice.loops.empty();
    if (has_loops) out_.line("const " + box_type(slice) + " pb_slice = " + box_initializer(slice) + ";");
    const HostCare care = care_in(plan_, nest_, shapes_of(parts_), m);
    // What has no loops is one instance.
    if (care == HostCare::Step || (care == HostCare::Instance && has_loops)) return emit_slice_work(m, slice);
    const HostParts hosted = parts_of_box(part.code, slice, has_loops ? "pb_slice" : "");
    const bool may_be_empty = has_loops && !hosted.is_empty();
    if (may_be_empty) out_.open("if (!pb_slice.is_empty())");
    emit_arrivals(out_, hosted, args_.frame);
    emit_slice_work(m, slice);
    emit_departures(out_, hosted, args_.frame);
    if (may_be_empty) out_.close();
  }

  void emit_slice_work(std::size_t m, const Step& slice) {
    const NestPart& part = parts_[m];
    const std::string type = box_type(slice);
    if (slice.loops.empty()) {
      if (part.code.has_calls()) out_.line("pbrt::Frame& pb_inner = " + args_.frame + ";");
      out_.line(loops_call(part.code, "loops_" + part.stem, false, ""));
      return;
    }
    if (!is_inside_parallel(part.member)) {
      if (!part.member.loops.empty()) out_.open("if (!pb_slice.is_empty())");
      if (part.code.has_calls()) out_.line("pbrt::Frame& pb_inner = " + args_.frame + ";");
      emit_piece(out_, part.code, part.stem, has_packs_[m], units_[m], "pb_slice");
      if (!part.member.loops.empty()) out_.close();
      return;
    }
    const bool is_full = is_box(slice);
    const std::string frame = part.code.has_calls() || !is_full ? "pbrt::Frame& pb_inner" : "pbrt::Frame&";
    out_.open("pbrt::parallel_for(" + args_.frame + ", pb_slice, " + args_.split + ", [&](" + frame + ", const " +
              type + "& pb_piece)");
    const std::string rule = rule_constant(part.code.stem);
    if (!is_full) out_.line(counted_scope("pb_inner", rule, {count_call(part.code, part.stem, "pb_piece")}));
    emit_piece(out_, part.code, part.stem, has_packs_[m], units_[m], "pb_piece");
    out_.close(is_full ? ", &" + rule + ");" : ");");
  }

  Writer& out_;
  const TransformPlan& plan_;
  const Nest& nest_;
  const std::vector<NestPart>& parts_;
  const std::vector<bool>& has_packs_;
  const NestArgs& args_;
  std::vector<std::optional<Condition>> units_;  ///< by member: when its matrices are unit views
};

}  // namespace

std::optional<PackFacts> find_member_packs(const TransformPlan& plan, const Nest& nest, const RuleCode& code,
                                           const NestMember& member) {
  if (!is_sliced(nest)) return std::nullopt;
  const Step step = step_in_slices(plan, member);
  return step.is_data_parallel ? find_packs(code, step) : std::nullopt;
}

void emit_member_loops(Writer& out, const TransformPlan& plan, const Nest& nest, const NestPart& part,
                       const std::optional<PackFacts>& packs) {
  if (!is_sliced(nest)) return emit_tile_loops(out, plan, nest, part);
  const Step step = step_in_slices(plan, part.member);
  emit_loops(out, part.code, step, "loops_" + part.stem);
  out.blank();
  if (!step.loops.empty() && !is_box(step)) emit_instance_count(out, part.code, step, part.stem);
  if (packs) emit_packs(out, part.code, step, *packs, part.stem);
}

void emit_nest(Writer& out, const TransformPlan& plan, const Nest& nest, const std::vector<NestPart>& parts,
               const std::vector<bool>& has_packs, const NestArgs& args) {
  NestEmitter(out, plan, nest, parts, has_packs, args).emit();
}

std::vector<const RuleShape*> shapes_of(const std::vector<NestPart>& parts) {
  std::vector<const RuleShape*> out;
  for (const NestPart& part : parts) out.push_back(&part.code);
  return out;
}

}  // namespace pb
