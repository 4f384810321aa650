// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/tiled_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "choicegraph/plan/launches/launch_steps.h"

namespace pb {
namespace {

constexpr std::size_t kMaxDims = 3;
/// Each needs memory of the group, and makes the margins of those before it wider.
constexpr std::size_t kMaxMatrices = 4;
constexpr std::int64_t kMaxReach = 64;

std::string in_quotes(const std::string& name) { return "`" + name + "`"; }

/// Finds the box of an input; null if it is not known.
const InputBox* find_box(const Step& step, std::size_t input) {
  const auto found = std::find_if(step.input_boxes.begin(), step.input_boxes.end(),
                                  [&](const InputBox& each) { return each.input == input; });
  return found == step.input_boxes.end() ? nullptr : &*found;
}

/// Adds where the box lies along dimension `dim` beside the coordinate of an instance; false if that is not known.
bool add_near(NearBox& out, const InputBox& box, std::size_t dim, const CellDim& own) {
  const auto lo = distance_from(own, box.lo[dim]), hi = distance_from(own, box.hi[dim]);
  if (!lo || !hi) return false;
  out.lo.push_back(*lo);
  out.hi.push_back(*hi);
  return true;
}

/// Returns where the rows of an input lie beside the value of a loop; as near_box_of does.
NearBox near_rows_of(const Step& step, std::size_t input, std::size_t loop) {
  NearBox out;
  const InputBox* box = find_box(step, input);
  const CellDims loops = cells_of_loops(step);
  if (box != nullptr) (void)add_near(out, *box, box->lo.size() - 1, loops[loops.size() - 1 - loop]);
  return out;
}

/// Looks for the temporaries of one reader. Beginning with the reader, it takes those that no other step reads.
class TiledStepsFinder {
 public:
  TiledStepsFinder(const Transform& transform, const TransformPlan& plan, StepId reader, TileKind kind)
      : transform_(transform), plan_(plan), in_bands_(kind == TileKind::Bands) {
    out_.reader = reader;
  }

  TiledSteps find() {
    const std::size_t num_dims = in_bands_ ? 1 : step(out_.reader).loops.size();
    const NearBox own{std::vector<std::int64_t>(num_dims, 0), std::vector<std::int64_t>(num_dims, 1)};
    spans_.push_back({out_.reader, own, 0, cells_of_loops(step(out_.reader))});
    if (const std::string why = why_not_in_tiles(out_.reader); !why.empty()) {
      if (reads_temporary(out_.reader)) out_.why_not = why;
      return std::move(out_);
    }
    // A temporary is taken after all that read it.
    for (bool found = true; found;) {
      found = false;
      for (const MatrixId id : transform_.matrices.ids()) {
        if (!may_be_next(id)) continue;
        std::string why = take(id);
        found = found || why.empty();
        // Reasons of temporaries that others may still read are not the last ones.
        if (!why.empty() && is_read_by(out_.reader, id))
          reasons_.push_back({id, in_quotes(transform_.matrices[id].name) + " " + why});
      }
    }
    std::reverse(out_.matrices.begin(), out_.matrices.end());
    for (const auto& [id, why] : reasons_)
      if (!is_taken(id)) out_.why_not = why;
    return std::move(out_);
  }

 private:
  /// A step whose instances run per tile, and where they stand beside an instance of the reader.
  struct Span {
    StepId step;
    NearBox box;
    std::size_t row_loop;  ///< in bands: the loop that these cut
    CellDims cells;        ///< in work-groups: the cells of its instances
  };

  const Step& step(StepId id) const { return plan_.steps[id]; }
  const Rule& rule_of(StepId id) const { return transform_.rules[step(id).rule]; }

  bool is_taken(MatrixId id) const {
    return std::any_of(out_.matrices.begin(), out_.matrices.end(),
                       [&](const TiledMatrix& tiled) { return tiled.matrix == id; });
  }
  /// Versions have launches of their own (time_tiles.h).
  bool is_temporary(MatrixId id) const {
    const std::vector<MatrixId>& versions = plan_.two_versions;
    return transform_.matrices[id].role == MatrixRole::Through &&
           std::find(versions.begin(), versions.end(), id) == versions.end();
  }
  bool is_read_by(StepId id, MatrixId matrix) const {
    const std::vector<RegionAccess>& inputs = rule_of(id).inputs;
    return std::any_of(inputs.begin(), inputs.end(), [&](const RegionAccess& input) { return input.matrix == matrix; });
  }
  bool is_written_by(StepId id, MatrixId matrix) const {
    const std::vector<RegionAccess>& outputs = rule_of(id).outputs;
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](const RegionAccess& output) { return output.matrix == matrix; });
  }
  bool reads_temporary(StepId id) const {
    const std::vector<RegionAccess>& inputs = rule_of(id).inputs;
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const RegionAccess& input) { return is_temporary(input.matrix); });
  }
  const Span* span_of(StepId id) const {
    const auto found = std::find_if(spans_.begin(), spans_.end(), [&](const Span& span) { return span.step == id; });
    return found == spans_.end() ? nullptr : &*found;
  }
  /// Whether the step may run in a call in which the reader does.
  bool runs_with_reader(StepId id) const { return may_run_together(plan_, step(id), step(out_.reader)); }

  bool may_be_next(MatrixId id) const {
    return is_temporary(id) && !is_taken(id) &&
           std::any_of(spans_.begin(), spans_.end(), [&](const Span& span) { return is_read_by(span.step, id); });
  }

  /// Returns why nothing that computes tiles runs the step; empty: something does.
  std::string why_not_in_tiles(StepId id) const {
    const Step& one = step(id);
    const std::string name = in_quotes(rule_of(id).name);
    const Version version = in_bands_ ? Version::Cpu : Version::OpenCl;
    if (!may_run_in(plan_, one, version)) return name + " has no version `" + to_string(version) + "`";
    const bool is_in_nest =
        std::any_of(plan_.nests.begin(), plan_.nests.end(), [&](const Nest& nest) { return has_member(nest, id); });
    if (is_in_nest || !one.is_data_parallel) return name + " needs its own results";
    if (!is_box(one) || !one.left_to_others.empty()) return name + " has instances that are no box";
    return in_bands_ ? why_not_in_bands(id) : why_no_launch(id);
  }

  std::string why_not_in_bands(StepId id) const {
    const Rule& rule = rule_of(id);
    if (step(id).loops.empty()) return in_quotes(rule.name) + " has no loops";
    if (!rule.calls.empty()) return in_quotes(rule.name) + " calls transforms";
    // Loops over regions are fast only where views are known to be apart, and those of bands are not (row_bands.h).
    for (const RegionAccess& output : rule.outputs)
      if (output.kind != AccessKind::Cell) return in_quotes(rule.name) + " writes more than single cells";
    if (!rule.tried.empty()) return in_quotes(rule.name) + " tries other rules first";
    for (std::size_t i = 0; i < rule.inputs.size(); ++i)
      if (!is_temporary(rule.inputs[i].matrix) && !follows_rows(id, i))
        return in_quotes(rule.name) + " reads " + in_quotes(transform_.matrices[rule.inputs[i].matrix].name) +
               " in another order than by rows";
    return "";
  }

  /// Whether the instances of a few rows read a few rows of an input, or each reads all of it. Else each band would
  /// read the input anew: a product of matrices all columns, a transposition lines of all rows.
  bool follows_rows(StepId id, std::size_t input) const {
    const Step& one = step(id);
    const InputBox& box = one.input_boxes[input];
    if (box.is_same_for_all_instances) return true;
    const std::optional<std::size_t> own = id == out_.reader ? 0 : loop_of(id, one.loops.size() - 1);
    if (!own) return true;  // the step makes no rows, for which there is another reason
    const auto varies = [&](const IndexExpr& at) {
      const std::vector<std::string> names = symbols_of(at);
      return std::any_of(one.loops.begin(), one.loops.end(), [&](const LoopDim& loop) {
        return std::find(names.begin(), names.end(), loop.var) != names.end();
      });
    };
    const IndexExpr row = index_symbol(one.loops[*own].var);
    for (std::size_t d = box.lo.size(); d-- > 1;) {
      if (constant_of(index_sub(box.lo[d], row)) && constant_of(index_sub(box.hi[d], row))) return true;
      if (varies(box.lo[d]) || !constant_of(index_sub(box.hi[d], box.lo[d]))) return false;
    }
    return true;
  }

  /// Returns why no launch of single cells runs the step.
  std::string why_no_launch(StepId id) const {
    const Step& one = step(id);
    const std::string name = in_quotes(rule_of(id).name);
    if (!one.device_share) return name + " has instances that are no box";
    for (const RegionAccess& input : rule_of(id).inputs)
      if (!input.tested_dims.empty()) return name + " reads at coordinates that are not affine";
    if (one.loops.empty() || one.loops.size() > kMaxDims) return name + " has no loops, or more than a device";
    if (!computation_of(plan_, one.rule).phases.empty()) return name + " has folds that work-items divide";
    return "";
  }

  /// Takes the temporary; else returns why not, as what follows its name.
  std::string take(MatrixId id) {
    if (out_.matrices.size() == kMaxMatrices) return "is one of too many";
    const std::size_t num_dims = transform_.matrices[id].extents.size();
    if (in_bands_ && num_dims == 0) return "is a single number";
    if (!in_bands_ && num_dims != step(out_.reader).loops.size())
      return "has not a dimension per loop of " + in_quotes(rule_of(out_.reader).name);
    TiledMatrix tiled{id, {}, {}, {}, {}, {}};
    if (std::string why = find_reach(tiled); !why.empty()) return why;
    if (std::string why = find_makers(tiled); !why.empty()) return why;
    for (std::size_t i = 0; i < tiled.steps.size(); ++i)
      spans_.push_back({tiled.steps[i],
                        {tiled.lo, tiled.hi},
                        in_bands_ ? tiled.row_loops[i] : 0,
                        in_bands_ ? CellDims() : tiled.cells[i]});
    out_.matrices.push_back(std::move(tiled));
    return "";
  }

  std::string find_makers(TiledMatrix& tiled) const {
    for (const StepId id : plan_.steps.ids())
      if (is_written_by(id, tiled.matrix)) tiled.steps.push_back(id);
    if (tiled.steps.empty()) return "is made by no step";
    for (const StepId id : tiled.steps) {
      if (std::string why = why_no_maker(id); !why.empty()) return "is stored, because " + why;
      for (const StepId other : tiled.steps)
        if (!may_run_together(plan_, step(id), step(other))) return "is made by rules of which one is chosen";
    }
    std::stable_sort(tiled.steps.begin(), tiled.steps.end(), [&](StepId a, StepId b) {
      const bool a_fixed = has_fixed(cells_of(a).dims), b_fixed = has_fixed(cells_of(b).dims);
      return a_fixed != b_fixed ? b_fixed : has_less_to_do(transform_, step(b), step(a));
    });
    for (std::size_t i = 0; !in_bands_ && i < tiled.steps.size(); ++i)
      tiled.cells.push_back(cells_of(tiled.steps[i]).dims);
    if (!in_bands_ && has_fixed(tiled.cells.front())) return "is made by no rule with a variable for each dimension";
    for (std::size_t i = 0; in_bands_ && i < tiled.steps.size(); ++i)
      tiled.row_loops.push_back(*loop_of(tiled.steps[i], transform_.matrices[tiled.matrix].extents.size() - 1));
    return "";
  }

  std::string why_no_maker(StepId id) const {
    if (std::string why = why_not_in_tiles(id); !why.empty()) return why;
    const Rule& rule = rule_of(id);
    const std::string name = in_quotes(rule.name);
    if (std::string why = why_makes_no_cells(id); !why.empty()) return why;
    for (const RegionAccess& input : rule.inputs)
      if (is_written_by(out_.reader, input.matrix) || is_written_by(id, input.matrix))
        return name + " reads what the launch writes";
    for (const StepEdge& edge : plan_.edges)
      if (edge.before == id && span_of(edge.after) == nullptr && runs_with_reader(edge.after))
        return in_quotes(rule_of(edge.after).name) + " waits for " + name + ", too";
    return "";
  }

  /// Which cells of its first output the step makes.
  StepCells cells_of(StepId id) const {
    return find_step_cells(transform_, plan_, step(id), rule_of(id).outputs.front().lo.size());
  }

  std::string why_makes_no_cells(StepId id) const {
    const Rule& rule = rule_of(id);
    const RegionAccess& output = rule.outputs.front();
    if (!in_bands_ && rule.outputs.size() == 1 && cells_of(id).why_not.empty()) return "";
    const std::size_t num_loops = step(id).loops.size();
    if (rule.outputs.size() != 1 || output.kind != AccessKind::Cell || output.lo.size() != num_loops)
      return in_quotes(rule.name) + " makes no single cells";
    for (std::size_t d = 0; d < num_loops; ++d) {
      const std::optional<std::size_t> loop = loop_of(id, d);
      if (!loop || (!in_bands_ && *loop != num_loops - 1 - d))
        return in_quotes(rule.name) + " names its cells in another way than by its variables";
    }
    return "";
  }

  /// The loop of a step that makes single cells whose variable is their coordinate `dim`; none if no variable is.
  std::optional<std::size_t> loop_of(StepId id, std::size_t dim) const {
    const std::vector<LoopDim>& loops = step(id).loops;
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (is_variable(rule_of(id).outputs.front().lo[dim], loops[i].var)) return i;
    return std::nullopt;
  }

  /// Finds what all readers of the temporary need of it for one instance of the reader of all.
  std::string find_reach(TiledMatrix& tiled) const {
    for (const StepId id : plan_.steps.ids()) {
      if (!is_read_by(id, tiled.matrix)) continue;
      const Span* span = span_of(id);
      if (span == nullptr && !runs_with_reader(id)) continue;
      if (span == nullptr) return "is read by " + in_quotes(rule_of(id).name) + ", too";
      const std::vector<RegionAccess>& inputs = rule_of(id).inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].matrix == tiled.matrix)
          if (std::string why = widen(tiled, *span, i); !why.empty()) return why;
    }
    return "";
  }

  std::string widen(TiledMatrix& tiled, const Span& span, std::size_t i) const {
    const RegionAccess& input = rule_of(span.step).inputs[i];
    const std::string name = in_quotes(rule_of(span.step).name);
    if (input.may_be_outside() || !input.tested_dims.empty() || input.is_guest)
      return "is stored, because " + name + " reads cells that may lie outside";
    const NearBox near =
        in_bands_ ? near_rows_of(step(span.step), i, span.row_loop) : near_box_of(step(span.step), span.cells, i);
    if (near.lo.empty()) return "is stored, because " + name + " reads more than a fixed neighbourhood of its cell";
    const bool is_first = tiled.lo.empty();
    tiled.lo.resize(near.lo.size());
    tiled.hi.resize(near.lo.size());
    for (std::size_t d = 0; d < near.lo.size(); ++d) {
      const std::int64_t lo = span.box.lo[d] + near.lo[d], hi = span.box.hi[d] + near.hi[d] - 1;
      tiled.lo[d] = is_first ? lo : std::min(tiled.lo[d], lo);
      // A tile has at least a cell per instance, even where a region is empty.
      tiled.hi[d] = std::max({is_first ? hi : tiled.hi[d], hi, tiled.lo[d] + 1});
      if (tiled.lo[d] < -kMaxReach || tiled.hi[d] > kMaxReach) return "is stored, because " + name + " reads far cells";
    }
    return "";
  }

  const Transform& transform_;
  const TransformPlan& plan_;
  const bool in_bands_;
  std::vector<Span> spans_;
  std::vector<std::pair<MatrixId, std::string>> reasons_;
  TiledSteps out_;
};

}  // namespace

std::vector<StepId> TiledSteps::makers() const {
  std::vector<StepId> out;
  for (const TiledMatrix& tiled : matrices) out.insert(out.end(), tiled.steps.begin(), tiled.steps.end());
  return out;
}

bool TiledSteps::is_maker(StepId step) const {
  return std::any_of(matrices.begin(), matrices.end(), [&](const TiledMatrix& tiled) {
    return std::find(tiled.steps.begin(), tiled.steps.end(), step) != tiled.steps.end();
  });
}

NearBox near_box_of(const Step& step, const CellDims& cells, std::size_t input) {
  const InputBox* box = find_box(step, input);
  NearBox out;
  for (std::size_t d = 0; box != nullptr && d < cells.size(); ++d)
    if (!add_near(out, *box, d, cells[d])) return {};
  return out;
}

TiledSteps find_tiled_steps(const Transform& transform, const TransformPlan& plan, StepId reader, TileKind kind) {
  return TiledStepsFinder(transform, plan, reader, kind).find();
}

std::vector<std::size_t> behind_their_readers(const std::vector<const TiledSteps*>& all) {
  std::vector<std::size_t> out;
  const auto is_done = [&](std::size_t i) { return std::find(out.begin(), out.end(), i) != out.end(); };
  while (out.size() < all.size())
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool waits = is_done(i);
      for (std::size_t k = 0; k < all.size(); ++k) waits = waits || (!is_done(k) && all[k]->is_maker(all[i]->reader));
      if (!waits) out.push_back(i);
    }
  return out;
}

}  // namespace pb
