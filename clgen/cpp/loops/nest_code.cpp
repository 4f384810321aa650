// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/nest_code.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "clgen/cpp/boxes/box_text.h"
#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/loops/instance_count.h"
#include "clgen/cpp/loops/loop_code.h"
#include "clgen/cpp/loops/piece_code.h"
#include "clgen/facts/names.h"
#include "clgen/lower/analysis/nest_shape.h"
#include "clgen/lower/loops/nest_loops.h"
#include "lang/check.h"

namespace pb {
namespace {

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

/// The rows of a band in which instances of a member run.
struct BandRows {
  const BandMember& member;
  std::optional<IndexExpr> place;  ///< if all instances have one row: it has to be in the range
  IndexRange range;

  /// The first value of the member's variable with which an instance lies at the row or behind it.
  [[nodiscard]] IndexExpr first_at(const IndexExpr& row) const {
    if (member.step == 1) return index_sub(row, member.shift);
    const IndexExpr last = index_add(index_sub(row, member.shift), index_const(member.step - 1));
    return index_floordiv(last, index_const(member.step));
  }
};

/// Prints the statements of one nest.
class NestEmitter {
 public:
  NestEmitter(Writer& out, const TransformPlan& plan, const Nest& nest, const std::vector<NestPart>& parts,
              const NestArgs& args)
      : out_(out), plan_(plan), nest_(nest), parts_(parts), args_(args) {}

  void emit() {
    for (std::size_t m = 0; m < parts_.size(); ++m) {
      fast_.push_back(declare_views(out_, parts_[m].code, parts_[m].lowered.views, "pb_unit" + std::to_string(m)));
    }
    for (const MatrixId id : versions()) {
      const std::string& name = matrix_name(id);
      out_.line("const auto& " + all_versions(name) + " = " + name + ";");
    }
    out_.line("const " + row_box_type(nest_) + " pb_rows = " + row_box(plan_, nest_) + ";");
    is_sliced(nest_) ? emit_slices() : emit_tiles();
  }

 private:
  bool needs_frame() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const NestPart& part) { return part.code.needs_frame(); });
  }

  /// Returns an expression that is `count` if the part runs, else 0.
  static std::string count_if(const NestPart& part, const std::string& count) {
    return part.condition.is_always() ? count : "(" + selected_text(part.condition, count, "0") + ")";
  }

  /// Returns an expression for the number of a member's instances in all slices.
  std::string count_in_slices(const NestPart& part) const {
    const Step step = step_in_slices(plan_, part.member);
    if (step.loops.empty()) return count_if(part, "std::int64_t{1}");
    const std::string box = box_type(step) + initializer_of(instance_box(step));
    return count_if(part, is_box(step) ? box + ".volume()" : count_call(part.code, part.stem, box));
  }

  void emit_tiles() {
    const bool is_full = is_tile_full(plan_, nest_);
    unsigned carried = 0;
    for (std::size_t r = 0; r < nest_.rows.size(); ++r)
      if (nest_.rows[r].kind == RowKind::Carried) carried |= 1U << (nest_.rows.size() - 1 - r);
    out_.open("pbrt::run_tiles(" + args_.frame + ", pb_rows, " + args_.extent + ", " + std::to_string(carried) +
              "U, [&](" + (needs_frame() || !is_full ? "pbrt::Frame& pb_inner" : "pbrt::Frame&") + ", const " +
              row_box_type(nest_) + "& pb_tile)");
    if (!is_full) {
      std::vector<std::string> counts;
      for (const NestPart& part : parts_) counts.push_back(count_if(part, count_call(part.code, part.stem, "pb_tile")));
      out_.line(counted_scope("pb_inner", args_.rule, counts));
    }
    if (parts_.size() == 1) {
      emit_piece(out_, parts_[0].code, parts_[0].stem, parts_[0].in_packs(), fast_[0], "pb_tile");
    } else {
      emit_points();
    }
    out_.close(is_full ? ", &" + args_.rule + ");" : ");");
  }

  /// Prints loops over the points of the tile that run all members at each point.
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
      const bool is_announced = parts_[m].lowered.care == HostCare::Slice;
      const HostParts& hosted = parts_[m].lowered.hosted;
      if (is_announced) emit_arrivals(out_, hosted, "pb_inner");
      emit_piece(out_, parts_[m].code, parts_[m].stem, parts_[m].in_packs(), fast_[m], "pb_point");
      if (is_announced) emit_departures(out_, hosted, "pb_inner");
      if (!parts_[m].condition.is_always()) out_.close();
    }
    for (std::size_t r = 0; r < num_rows; ++r) out_.close();
  }

  void emit_slices() {
    const std::size_t num_rows = nest_.rows.size();
    if (args_.emit_launches) args_.emit_launches(out_);
    if (args_.bands != nullptr) emit_bands(*args_.bands);
    // The pieces of parallel slices record themselves, so only the other members are counted here.
    std::vector<std::string> counts;
    for (const NestPart& part : parts_)
      if (!is_inside_parallel(part.member)) counts.push_back(count_in_slices(part));
    if (!counts.empty()) out_.line(counted_scope(args_.frame, args_.rule, counts));
    open_slices();
    if (args_.emit_launches) out_.line("if (pb_launches.make(pb_u0, pb_launch_versions)) continue;");
    for (std::size_t m = 0; m < parts_.size(); ++m) emit_slice(m);
    if (args_.emit_launches) out_.line("pb_launches.compare(pb_u0, " + args_.frame + ");");
    for (std::size_t r = 0; r < num_rows; ++r) out_.close();
    if (args_.bands != nullptr) out_.close();
  }

  void open_slices() {
    const std::size_t num_rows = nest_.rows.size();
    for (std::size_t r = 0; r < num_rows; ++r) {
      const std::string dim = "[" + std::to_string(num_rows - 1 - r) + "]";
      const std::string at = "pb_u" + std::to_string(r);
      out_.open("for (std::int64_t " + at + " = pb_rows.lo" + dim + "; " + at + " < pb_rows.hi" + dim + "; ++" + at +
                ")");
    }
  }

  /// Prints how all versions are made in bands, and opens the block of what runs otherwise.
  void emit_bands(const VersionBands& bands) {
    const Matrix& matrix = parts_.front().code.matrix(bands.matrix);
    const std::string all = all_versions(matrix.name);
    const std::size_t rows = matrix.extents.size() - 2;
    std::string cells;
    for (std::size_t d = 0; d < rows; ++d) cells += (d == 0 ? "" : " * ") + all + ".size(" + std::to_string(d) + ")";
    const std::string all_rows =
        "{" +
        joined({"pb_rows.lo[0]", "pb_rows.hi[0]", all + ".size(" + std::to_string(rows) + ")",
                cells.empty() ? "1" : cells, "sizeof(" + element_text(matrix.element, matrix.is_element_t) + ")",
                "pbrt::simd::second_cache_bytes()", std::to_string(bands.skew),
                std::to_string(bands.members.back().lag)}) +
        "}";
    out_.line("const pbrt::VersionRows pb_bands = " + (bands.is_folded ? "pbrt::folded(" + all_rows + ")" : all_rows) +
              ";");
    out_.line("const std::int64_t pb_band = " +
              selected_text(args_.on_cpu,
                            "pbrt::rows_of_band(pb_bands, " + args_.band_rows + ", " + args_.frame + ".num_workers())",
                            "0") +
              ";");
    out_.open("if (pb_band > 0)");
    emit_announcements([&](const HostParts& hosted) { emit_arrivals(out_, hosted, args_.frame); });
    out_.open("pbrt::run_skewed_bands(" + args_.frame +
              ", pb_bands, pb_band, [&](pbrt::Frame& pb_inner, const std::int64_t pb_u0, const std::int64_t pb_from, "
              "const std::int64_t pb_to)");
    for (std::size_t m = 0; m < parts_.size(); ++m) emit_member_in_band(m, bands);
    out_.close(");");
    emit_announcements([&](const HostParts& hosted) { emit_departures(out_, hosted, args_.frame); });
    out_.reopen("else");
  }

  /// Calls `emit` in each slice of each member that announces its slices.
  template <class Emit>
  void emit_announcements(const Emit& emit) {
    const auto is_announced = [](const NestPart& part) {
      return part.lowered.care == HostCare::Slice && !part.lowered.hosted.is_empty();
    };
    if (std::none_of(parts_.begin(), parts_.end(), is_announced)) return;
    open_slices();
    for (std::size_t m = 0; m < parts_.size(); ++m) {
      if (!is_announced(parts_[m])) continue;
      open_slice(m, nullptr);
      out_.open("if (!pb_slice.is_empty())");
      emit(parts_[m].lowered.hosted);
      out_.close();
      out_.close();
    }
    for (std::size_t r = 0; r < nest_.rows.size(); ++r) out_.close();
  }

  /// Prints the work of member `m` in a band of a slice, `pb_from` to `pb_to`.
  void emit_member_in_band(std::size_t m, const VersionBands& bands) {
    const BandMember& member = bands.members[m];
    const IndexExpr from = index_sub(index_symbol("pb_from"), index_const(member.lag));
    const IndexExpr to = index_sub(index_symbol("pb_to"), index_const(member.lag));
    if (!bands.is_folded) return emit_slice_in_band(m, {member, member.row, {from, to}});
    const Matrix& matrix = parts_.front().code.matrix(bands.matrix);
    const std::string rows = all_versions(matrix.name) + ".size(" + std::to_string(matrix.extents.size() - 2) + ")";
    if (member.row) {
      const IndexExpr last = index_sub(index_symbol(rows), index_const(1));
      return emit_slice_in_band(m, {member, index_min({*member.row, index_sub(last, *member.row)}), {from, to}});
    }
    out_.open("for (const pbrt::RowRange& pb_half : pbrt::folded_rows(" + joined({to_cpp(from), to_cpp(to), rows}) +
              "))");
    emit_slice_in_band(m, {member, {}, {index_symbol("pb_half.from"), index_symbol("pb_half.to")}});
    out_.close();
  }

  /// Prints the work of member `m` at rows of a slice.
  void emit_slice_in_band(std::size_t m, const BandRows& rows) {
    const NestPart& part = parts_[m];
    const Step slice = open_slice(m, &rows);
    PB_CHECK(!slice.loops.empty(), "a version of a member in bands has a variable");
    out_.open("if (!pb_slice.is_empty())");
    const std::string count = is_box(slice) ? "pb_slice.volume()" : count_call(part.code, part.stem, "pb_slice");
    out_.line(counted_scope("pb_inner", rule_constant(part.code.stem), {count}));
    emit_piece(out_, part.code, part.stem, part.in_packs(), fast_[m], "pb_slice");
    out_.close();
    out_.close();
  }

  /// Returns the value of a coordinate in the slice. Each row of a sliced nest is a single coordinate, counted up or
  /// down.
  IndexExpr coordinate_value(std::size_t coordinate) const {
    for (std::size_t r = 0; r < nest_.rows.size(); ++r)
      if (const int by = nest_.rows[r].coefficients[coordinate]; by != 0)
        return index_mul(index_const(by), index_symbol("pb_u" + std::to_string(r)));
    return index_const(0);
  }

  /// The temporaries of which the nest makes version after version.
  [[nodiscard]] std::vector<MatrixId> versions() const {
    std::vector<MatrixId> out;
    for (const MatrixId id : plan_.two_versions)
      if (nest_of_versions(plan_, id) == &nest_) out.push_back(id);
    return out;
  }
  [[nodiscard]] const std::string& matrix_name(MatrixId id) const { return parts_.front().code.matrix(id).name; }
  static std::string all_versions(const std::string& name) { return "pb_versions_of_" + name; }

  /// Opens the scope of member `m` in a slice and, if `rows` is not null, in a band of it. Declares its box, if it has
  /// loops, and returns its step there.
  Step open_slice(std::size_t m, const BandRows* rows) {
    const NestPart& part = parts_[m];
    std::vector<Condition> terms{part.condition};
    Step slice = step_in_slices(plan_, part.member);
    std::size_t next = 0;
    for (std::size_t c = 0; c < part.member.coordinates.size(); ++c) {
      const NestCoordinate& at = part.member.coordinates[c];
      if (at.var.empty()) {
        terms.push_back(Condition::relation(coordinate_value(c), RelationOp::Equal, at.shift));
        continue;
      }
      const IndexExpr sign = index_const(at.factor < 0 ? -1 : 1), size = index_const(std::abs(at.factor));
      const IndexExpr distance = index_mul(sign, index_sub(coordinate_value(c), at.shift));
      const IndexExpr value = index_floordiv(distance, size);
      if (!size.is_const(1)) terms.push_back(Condition::relation(index_mul(size, value), RelationOp::Equal, distance));
      IndexRange& range = slice.loops[next++].range;
      terms.push_back(Condition::relation(value, RelationOp::GreaterEqual, range.lo));
      terms.push_back(Condition::relation(value, RelationOp::Less, range.hi));
      range = {value, index_add(value, index_const(1))};
    }
    if (rows != nullptr) {
      if (rows->place) {
        terms.push_back(Condition::relation(*rows->place, RelationOp::GreaterEqual, rows->range.lo));
        terms.push_back(Condition::relation(*rows->place, RelationOp::Less, rows->range.hi));
      }
      for (LoopDim& loop : slice.loops)
        if (loop.var == rows->member.var)
          loop.range = {index_max({loop.range.lo, rows->first_at(rows->range.lo)}),
                        index_min({loop.range.hi, rows->first_at(rows->range.hi)})};
    }
    bound_by_coordinates(slice, next);
    out_.open(if_text(Condition::all_of(std::move(terms))));
    for (const MatrixId id : versions()) {
      const std::string& name = matrix_name(id);
      out_.line("const auto " + name + " = pbrt::at_version(" + all_versions(name) + ", " +
                to_cpp(coordinate_value(0)) + ");");
    }
    if (!slice.loops.empty())
      out_.line("const " + box_type(slice) + " " + kSlice + " = " + initializer_of(instance_box(slice)) + ";");
    return slice;
  }

  /// Cuts off what lies outside of bounds that name no loop but the first ones, which have one value each: below row
  /// `k` a slice of a triangle has no instances.
  static void bound_by_coordinates(Step& slice, std::size_t num_coordinates) {
    std::vector<std::pair<std::string, IndexExpr>> values;
    for (std::size_t i = 0; i < num_coordinates; ++i) values.emplace_back(slice.loops[i].var, slice.loops[i].range.lo);
    const auto is_known = [&](const IndexExpr& bound) {
      const std::vector<std::string> names = symbols_of(bound);
      return std::none_of(
          slice.loops.begin() + std::ptrdiff_t(num_coordinates), slice.loops.end(),
          [&](const LoopDim& loop) { return std::find(names.begin(), names.end(), loop.var) != names.end(); });
    };
    for (std::size_t i = num_coordinates; i < slice.loops.size(); ++i) {
      LoopDim& loop = slice.loops[i];
      std::vector<IndexExpr> lo{loop.range.lo}, hi{loop.range.hi};
      for (const IndexExpr& bound : loop.lower)
        if (is_known(bound)) lo.push_back(substitute(bound, values));
      for (const IndexExpr& bound : loop.upper)
        if (is_known(bound)) hi.push_back(substitute(bound, values));
      if (lo.size() + hi.size() == 2) continue;
      loop.range.lo = index_max(lo);
      loop.range.hi = index_max({loop.range.lo, index_min(hi)});
    }
  }

  void emit_slice(std::size_t m) {
    const NestPart& part = parts_[m];
    const Step slice = open_slice(m, nullptr);
    if (part.has_launches) {
      out_.open("if (!pb_slice.is_empty())");
      args_.emit_tries(out_, part.member.step, kSlice);
      out_.open(kIfNotRun);
      args_.emit_fallen_back(out_, part.member.step);
    }
    emit_slice_of(m, slice);
    if (part.has_launches) {
      emit_comparison(out_, args_.frame);
      out_.close();
      out_.close();
    }
    out_.close();
  }

  /// Prints the work of member `m` in the slice, with the announcements that it needs.
  void emit_slice_of(std::size_t m, const Step& slice) {
    const NestPart& part = parts_[m];
    const bool has_loops = !slice.loops.empty();
    const HostCare care = part.lowered.care;
    // A slice without loops is one instance.
    if (care == HostCare::Step || (care == HostCare::Instance && has_loops)) return emit_slice_work(m, slice);
    const HostParts& hosted = part.lowered.hosted;
    const bool may_be_empty = has_loops && !hosted.is_empty() && !part.has_launches;
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
      if (part.code.needs_frame()) out_.line("pbrt::Frame& pb_inner = " + args_.frame + ";");
      out_.line(loops_call(part.code, "loops_" + part.stem, nullptr, ""));
      return;
    }
    if (!is_inside_parallel(part.member)) {
      if (!part.member.loops.empty()) out_.open("if (!pb_slice.is_empty())");
      if (part.code.needs_frame()) out_.line("pbrt::Frame& pb_inner = " + args_.frame + ";");
      emit_piece(out_, part.code, part.stem, part.in_packs(), fast_[m], "pb_slice");
      if (!part.member.loops.empty()) out_.close();
      return;
    }
    const bool is_full = is_box(slice);
    const std::string frame = part.code.needs_frame() || !is_full ? "pbrt::Frame& pb_inner" : "pbrt::Frame&";
    out_.open("pbrt::parallel_for(" + args_.frame + ", pb_slice, " + args_.split + ", [&](" + frame + ", const " +
              type + "& pb_piece)");
    const std::string rule = rule_constant(part.code.stem);
    if (!is_full) out_.line(counted_scope("pb_inner", rule, {count_call(part.code, part.stem, "pb_piece")}));
    emit_piece(out_, part.code, part.stem, part.in_packs(), fast_[m], "pb_piece");
    out_.close(is_full ? ", &" + rule + ");" : ");");
  }

  Writer& out_;
  const TransformPlan& plan_;
  const Nest& nest_;
  const std::vector<NestPart>& parts_;
  const NestArgs& args_;
  std::vector<std::optional<DeclaredViews>> fast_;  ///< for each member, its fast views
};

}  // namespace

void set_bands(NestArgs& args, const LoweredNest& nest, const std::vector<NestPart>& parts) {
  if (!nest.bands) return;
  args.bands = &*nest.bands;
  for (const NestPart& part : parts)
    if (part.member.step == nest.bands->main) args.band_rows = to_cpp(part.code.loop_value(TunableRole::TimeRows, 0));
}

void emit_member_loops(Writer& out, const TransformPlan& plan, const Nest& nest, const NestPart& part) {
  if (is_sliced(nest)) {
    const Step step = step_in_slices(plan, part.member);
    emit_loops(out, part.code, step, part.lowered.loops, part.lowered.hosted, part.stem);
    if (!step.loops.empty() && !is_box(step)) emit_instance_count(out, part.code, step, part.stem);
    return;
  }
  const Parameter box{"const " + row_box_type(nest) + "&", "pb_tile"};
  const Step& step = plan.steps[part.member.step];
  emit_tile_loops(out, part.code, step, part.lowered.loops.plain, part.lowered.hosted, part.stem, box);
  if (is_tile_full(plan, nest)) return;
  Writer count;
  count.indent();
  emit_tile_count(count, part.code, step, part.lowered.loops.plain);
  emit_count_function(out, part.code, part.stem, box, count);
}

void emit_nest(Writer& out, const TransformPlan& plan, const Nest& nest, const std::vector<NestPart>& parts,
               const NestArgs& args) {
  NestEmitter(out, plan, nest, parts, args).emit();
}

}  // namespace pb
