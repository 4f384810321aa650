// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/loop_code.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/loops/announced_instance.h"
#include "clgen/cpp/loops/packs.h"
#include "clgen/cpp/loops/row_block_code.h"
#include "clgen/cpp/loops/strip_code.h"
#include "clgen/cpp/loops/tile_code.h"
#include "clgen/cpp/rules/instance_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "lang/check.h"

namespace pb {

namespace {

/// Returns the lower or upper bound of a loop, from the bound of the box and the loop's own bounds. The result stays
/// inside of the box, so that an int holds it even where the loop's own bounds need 64 bits.
std::string bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim, bool is_lower) {
  const std::vector<IndexExpr>& others = is_lower ? loop.lower : loop.upper;
  const std::string lo = "pb_box.lo[" + dim + "]";
  const std::string hi = "pb_box.hi[" + dim + "]";
  std::vector<std::string> terms = {is_lower ? lo : hi};
  bool may_be_beyond = false;
  for (const IndexExpr& bound : others) {
    terms.push_back("std::int64_t{" + to_index_cpp(bound, code.transform) + "}");
    may_be_beyond = may_be_beyond || !fits_int(bound, code.transform);
  }
  if (others.empty()) return terms[0];
  std::string text = (is_lower ? "pbrt::index_max(" : "pbrt::index_min(") + joined(terms) + ")";
  if (!may_be_beyond) return text;
  return is_lower ? "pbrt::index_min(" + hi + ", " + text + ")" : "pbrt::index_max(" + lo + ", " + text + ")";
}

}  // namespace

std::string lower_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim) {
  return bound_text(code, loop, dim, true);
}

std::string upper_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim) {
  return bound_text(code, loop, dim, false);
}

namespace {

/// Whether the loop over `var` has one iteration.
bool is_single(const TreeBlock& tree, const std::string& var) {
  bool found = false;
  walk(tree, [&](const TreeNode& node) {
    const auto* loop = std::get_if<TreeLoop>(&node.node);
    found = found || (loop != nullptr && loop->role == LoopRole::Single && loop->var == var);
  });
  return found;
}

/// Whether the instances run in tiles, which take all bounds from the box and know the conditions.
bool has_tiles(const TreeBlock& tree) {
  bool found = false;
  walk(tree, [&](const TreeNode& node) { found = found || std::holds_alternative<Tiles>(node.node); });
  return found;
}

std::string value_name(std::size_t value) { return "pb_value_" + std::to_string(value); }

/// Prints the tree of a CPU version's loops.
class LoopPrinter {
 public:
  /// `hosted`: what instances announce that the tree says are announced. `members`: the rules whose values the loops
  /// compute, if several steps run as one loop.
  LoopPrinter(Writer& out, const RuleCode& code, const Step& step, const HostParts& hosted, const std::string& stem,
              std::span<const RuleCode> members = {})
      : out_(out), code_(code), step_(step), hosted_(hosted), stem_(stem), members_(members) {}

  void print(const TreeBlock& tree) {
    if (const InsideBox* box = box_of(tree)) {
      print_inside_box(*box);
      return print(box->inside);
    }
    const std::size_t num_loops = step_.loops.size();
    for (std::size_t i = 0; i < num_loops; ++i)
      if (step_.loops[i].is_plain() || has_tiles(tree))
        print_plain_bounds(step_.loops[i], std::to_string(num_loops - 1 - i), !is_single(tree, step_.loops[i].var));
    const auto view = [this](MatrixId matrix) { return code_.matrix(matrix).name; };
    walk(tree, [&](const TreeNode& node) {
      if (const auto* blocks = std::get_if<RowBlocks>(&node.node)) emit_row_block_test(out_, code_, *blocks);
      if (const auto* tiles = std::get_if<Tiles>(&node.node)) emit_tile_test(out_, code_, *tiles);
      const auto* packs = std::get_if<Packs>(&node.node);
      if (packs != nullptr && !packs->facts.writes_regions)
        out_.line("const bool pb_may_repeat = " + to_cpp(packs->may_repeat, {.view = view}) + ";");
    });
    print_block(tree);
    walk(tree, [&](const TreeNode& node) {
      const auto* blocks = std::get_if<RowBlocks>(&node.node);
      if (blocks != nullptr && blocks->stores) out_.line("if (pb_streams) pbrt::end_streams();");
    });
  }

  /// What loops over a tile do with the instances of a nest's member.
  enum class TileWork : std::uint8_t { Run, Count };
  void print_in_tile(const TreeBlock& tree, TileWork work) {
    tile_work_ = work;
    print_block(tree);
  }

  /// Returns the InsideBox that the whole tree is; null if it is another tree.
  static const InsideBox* box_of(const TreeBlock& tree) {
    return tree.size() == 1 ? std::get_if<InsideBox>(&tree[0].node) : nullptr;
  }

 private:
  // ---- bounds

  /// Prints bounds that depend only on the box, as constants before all loops.
  void print_plain_bounds(const LoopDim& loop, const std::string& dim, bool has_end) {
    out_.line("const IndexT pb_lo_" + loop.var + " = static_cast<IndexT>(pb_box.lo[" + dim + "]);");
    if (has_end) out_.line("const IndexT pb_hi_" + loop.var + " = static_cast<IndexT>(pb_box.hi[" + dim + "]);");
  }

  /// Prints the bounds of a dimension's loop that depend on the loops outside of it or on its stride.
  void print_inner_bounds(std::size_t dim) {
    const LoopDim& loop = step_.loops[step_.loops.size() - 1 - dim];
    std::string lo = lower_bound_text(code_, loop, std::to_string(dim));
    std::string hi = upper_bound_text(code_, loop, std::to_string(dim));
    const std::string lattice = std::to_string(loop.stride) + ", " + to_index_cpp(loop.offset, code_.transform) + ")";
    if (loop.stride > 1 && loop.order == LoopOrder::Decreasing) {
      hi = "pbrt::last_on_lattice(" + hi + " - 1, " + lattice + " + 1";
    } else if (loop.stride > 1) {
      lo = "pbrt::next_on_lattice(" + lo + ", " + lattice;
    }
    out_.line("const IndexT pb_lo_" + loop.var + " = static_cast<IndexT>(" + lo + ");");
    out_.line("const IndexT pb_hi_" + loop.var + " = static_cast<IndexT>(" + hi + ");");
  }

  /// Prints a loop over a part of a tile, whose bounds are computed directly before it.
  void print_computed(const TreeLoop& loop) {
    const std::string type = loop.is_wide ? "std::int64_t" : "IndexT";
    const auto value = [&](const IndexExpr& bound) {
      const std::string text = to_index_cpp(bound, code_.transform);
      return loop.is_wide ? text : "static_cast<IndexT>(" + text + ")";
    };
    const std::string& var = loop.var;
    const std::string last = (loop.is_decreasing ? "pb_first_" : "pb_end_") + var;
    out_.line("const " + type + " " + last + " = " + value(loop.is_decreasing ? loop.lo : loop.hi) + ";");
    if (loop.role == LoopRole::Vector) out_.line("PB_INDEPENDENT");
    out_.open(
        loop.is_decreasing
            ? "for (" + type + " " + var + " = " + value(loop.hi) + " - 1; " + var + " >= " + last + "; --" + var + ")"
            : "for (" + type + " " + var + " = " + value(loop.lo) + "; " + var + " < " + last + "; ++" + var + ")");
    print_block(loop.body);
    out_.close();
  }

  static std::string head_of(const TreeLoop& loop) {
    const std::string& var = loop.var;
    const std::string lo = to_cpp(loop.lo);
    const std::string hi = to_cpp(loop.hi);
    const auto moved = [&](const std::string& sign) {
      return loop.stride > 1 ? var + " " + sign + "= " + std::to_string(loop.stride) : sign + sign + var;
    };
    return loop.is_decreasing
               ? "for (IndexT " + var + " = " + hi + " - 1; " + var + " >= " + lo + "; " + moved("-") + ")"
               : "for (IndexT " + var + " = " + lo + "; " + var + " < " + hi + "; " + moved("+") + ")";
  }

  // ---- nodes

  void print_block(const TreeBlock& block) {
    for (const TreeNode& node : block) std::visit([this](const auto& inner) { print_node(inner); }, node.node);
  }

  void print_node(const TreeLoop& loop) {
    if (tile_work_) return print_computed(loop);
    if (!loop.is_plain()) print_inner_bounds(static_cast<std::size_t>(loop.dim));
    if (loop.role == LoopRole::Parts) return print_parts(loop);
    if (loop.role == LoopRole::Single) {
      out_.line("const IndexT " + loop.var + " = " + to_cpp(loop.lo) + ";");
      return print_block(loop.body);
    }
    if (loop.role == LoopRole::Vector) out_.line("PB_INDEPENDENT");
    out_.open(head_of(loop));
    print_block(loop.body);
    out_.close();
  }

  /// Prints a loop in three parts. In the middle part all cells lie inside of their matrices. The parts before and
  /// after it share a closure, which tests each cell.
  void print_parts(const TreeLoop& all) {
    const TreeBlock& parts = all.body;
    PB_CHECK(parts.size() == 4, "a range, a part before, one inside and one behind");
    rows_ = emit_row_coordinates(out_, code_, std::get<InsideRange>(parts[0].node).mapped_once);
    print_block({parts[0]});
    const auto& before = std::get<TreeLoop>(parts[1].node);
    const auto& behind = std::get<TreeLoop>(parts[3].node);
    PB_CHECK(before.body == behind.body, "the parts at both ends run the same");
    out_.open("const auto pb_tested = [&](const IndexT " + all.var + ")");
    print_block(before.body);
    out_.close(";");
    out_.line(head_of(before) + " pb_tested(" + all.var + ");");
    print_block({parts[2]});
    out_.line(head_of(behind) + " pb_tested(" + all.var + ");");
    rows_.clear();
  }

  void print_node(const InsideRange& range) {
    const std::string& var = range.var;
    const auto spell = [&](const IndexExpr& expr) { return to_index_cpp(expr, code_.transform); };
    const auto terms = [&](const IndexExpr& own, const std::vector<IndexExpr>& others) {
      std::vector<std::string> out = {to_cpp(own)};
      for (const IndexExpr& other : others) out.push_back(spell(other));
      return joined(out);
    };
    out_.line("// Where all optional cells exist.");
    out_.line("const std::int64_t pb_from_" + var + " = pbrt::index_max(" + terms(loop_begin(var), range.first) + ");");
    out_.line("const std::int64_t pb_to_" + var + " = pbrt::index_min(" + terms(loop_end(var), range.end) + ");");
    const Condition has_some =
        Condition::relation(index_symbol("pb_from_" + var), RelationOp::Less, index_symbol("pb_to_" + var));
    out_.line("const bool pb_exist = " + to_cpp(Condition::all_of({range.exists, has_some}), {spell}) + ";");
    out_.line("const IndexT " + to_cpp(inside_begin(var)) + " = pb_exist ? static_cast<IndexT>(pb_from_" + var +
              ") : pb_hi_" + var + ";");
    out_.line("const IndexT " + to_cpp(inside_end(var)) + " = pb_exist ? static_cast<IndexT>(pb_to_" + var +
              ") : pb_hi_" + var + ";");
  }

  void print_node(const RowBlocks& blocks) {
    const auto* instance = std::get_if<RuleInstance>(&blocks.body.front().node);
    const bool all_exist = instance != nullptr && instance->all_exist;
    const std::string value = blocks.stores ? value_text(code_, {all_exist, false, rows_}) : "";
    emit_row_blocks(
        out_, code_, blocks, [&] { print_block(blocks.body); }, value);
  }
  void print_node(const Strips& strips) {
    emit_strips(out_, code_, strips, [&] { print_block(strips.body); });
  }

  void print_node(const RuleInstance& instance) {
    const Condition is_instance = all_at_least_zero(instance.conditions);
    const auto spell = [&](const IndexExpr& expr) { return to_index_cpp(expr, code_.transform); };
    if (!is_instance.is_always()) out_.open(if_text(is_instance, {spell}));
    if (tile_work_ == TileWork::Count) {
      out_.line("++pb_count;");
    } else {
      print_instance(instance);
    }
    if (!is_instance.is_always()) out_.close();
  }

  void print_instance(const RuleInstance& instance) {
    emit_announced(out_, step_, instance.is_announced ? hosted_ : HostParts(), [&] {
      emit_instance(out_, code_, {instance.all_exist, false, rows_});
    });
  }

  void print_node(const Let& let) {
    const std::string value = to_index_cpp(let.value, code_.transform);
    out_.declare("const IndexT", let.var, tile_work_ ? "static_cast<IndexT>(" + value + ")" : value);
  }

  const RuleCode& member(RuleId rule) const {
    return *std::find_if(members_.begin(), members_.end(), [&](const RuleCode& code) { return code.rule_id == rule; });
  }

  void print_node(const ComputeResult& result) {
    const RuleCode& code = member(result.rule);
    out_.line("const " + element_of(code, code.rule.outputs[0]) + " " + value_name(result.value) + " = " +
              value_text(code) + ";");
  }
  void print_node(const StoreResult& result) {
    const RuleCode& code = member(result.rule);
    out_.line(access_text(code, code.rule.outputs[0]) + " = " + value_name(result.value) + ";");
  }

  void print_node(const Packs& packs) {
    Packs printed = packs;
    if (const LoopDim& lanes = step_.loops.back(); !lanes.is_plain()) {
      print_inner_bounds(0);
      printed.lane_lo = loop_begin(lanes.var);
      printed.lane_hi = loop_end(lanes.var);
    }
    emit_pack_loops(out_, code_, printed, stem_, [&] { print_node(packs.instance); });
  }

  void print_node(const Tiles& tiles) { emit_tiles(out_, code_, tiles, stem_); }

  /// Declares `pb_box`, the part of `pb_all` in which all cells lie inside, and prints a call of `loops_STEM` for the
  /// rest.
  void print_inside_box(const InsideBox& inside) {
    const auto spell = [&](const IndexExpr& expr) { return to_index_cpp(expr, code_.transform); };
    const auto bounds = [&](const char* function, const char* side, const std::vector<std::vector<IndexExpr>>& terms) {
      std::vector<std::string> out;
      for (std::size_t d = 0; d < terms.size(); ++d) {
        std::vector<std::string> texts = {"pb_all." + std::string(side) + "[" + std::to_string(d) + "]"};
        for (const IndexExpr& term : terms[d]) texts.push_back(spell(term));
        out.push_back(texts.size() == 1 ? texts[0] : std::string(function) + "(" + joined(texts) + ")");
      }
      return joined(out);
    };
    std::vector<std::string> args;
    for (const RuleMatrix& use : code_.matrices) args.push_back(code_.matrix(use.matrix).name);
    for (std::string& arg : scalar_args(code_, ScalarSet::Loops)) args.push_back(std::move(arg));
    args.emplace_back("pb_part");
    const std::string type = box_type(step_);
    const std::string box = type + "{{" + bounds("pbrt::index_max", "lo", inside.first) + "}, {" +
                            bounds("pbrt::index_min", "hi", inside.end) + "}}";
    out_.line("// Where all cells lie inside.");
    out_.line("const " + type + " pb_box = " + selected_text(inside.condition, box, type + "{}", {spell}) + ";");
    out_.line("pbrt::for_each_outside(pb_all, pb_box, [&](const " + type + "& pb_part) { loops_" + stem_ + "(" +
              joined(args) + "); });");
  }

  /// Nodes of kernels do not occur in the loops of a CPU version, nor does an InsideBox below the root of the tree.
  template <class Other>
  void print_node(const Other&) {
    PB_CHECK(false, "the loops of a CPU version have no such node inside");
  }

  Writer& out_;
  const RuleCode& code_;
  const Step& step_;
  const HostParts hosted_;
  const std::string& stem_;
  std::span<const RuleCode> members_;
  std::optional<TileWork> tile_work_;  ///< none: the loops run over a box
  std::vector<RowCoordinate> rows_;    ///< mapped coordinates that are declared before the loops being printed
};

/// Returns a writer for the statements of a loop function, which are indented as deep as they stand in it.
Writer loops_body(const RuleCode& code) {
  Writer out;
  out.indent();
  if (!code.origin.empty()) out.indent();  // `open_watched` opens a block around them
  return out;
}

/// Prints a loop function whose statements are `body`, which `loops_body` made. Its parameters are views of the
/// matrices, scalars and, if there is one, `box`.
void emit_loops_function(Writer& out, const RuleCode& code, const std::string& head,
                         const std::optional<Parameter>& box, const Writer& body) {
  std::vector<std::string> types;
  std::vector<Parameter> params;
  if (code.needs_frame()) params.push_back({"pbrt::Frame&", "pb_frame"});
  for (const RuleMatrix& use : code.matrices) {
    const std::string& matrix = code.matrix(use.matrix).name;
    types.push_back("class " + view_type(matrix));
    params.push_back({"const " + view_type(matrix), matrix});
  }
  for (Parameter& param : scalar_params(code, ScalarSet::Loops)) params.push_back(std::move(param));
  if (box) params.push_back(*box);
  out.line("template <" + joined(types) + ">");
  Writer statements;
  statements.indent();
  emit_scalar_constants(statements, code, ScalarSet::Loops);
  open_watched(statements, code);
  statements.verbatim(body.text());
  close_watched(statements, code);
  emit_function(out, head, params, statements);
}

}  // namespace

void emit_joined_loops(Writer& out, const RuleCode& code, const std::vector<RuleCode>& members, const Step& step,
                       const TreeBlock& loops) {
  Writer body = loops_body(code);
  LoopPrinter(body, code, step, {}, code.stem, members).print(loops);
  emit_loops_function(out, code, "PB_LOOPS void loops_" + code.stem,
                      Parameter{"const " + box_type(step) + "&", "pb_box"}, body);
}

void emit_tile_loops(Writer& out, const RuleCode& code, const Step& step, const TreeBlock& loops,
                     const HostParts& hosted, const std::string& stem, const Parameter& box) {
  Writer body = loops_body(code);
  LoopPrinter(body, code, step, hosted, stem).print_in_tile(loops, LoopPrinter::TileWork::Run);
  emit_loops_function(out, code, "PB_LOOPS void loops_" + stem, box, body);
  out.blank();
}

void emit_tile_count(Writer& out, const RuleCode& code, const Step& step, const TreeBlock& loops) {
  LoopPrinter(out, code, step, {}, "").print_in_tile(loops, LoopPrinter::TileWork::Count);
}

namespace {

/// Prints the function `blocks_STEM`, which runs a box in tiles, or returns false where that does not pay off.
void emit_tiled_loops(Writer& to, const RuleCode& code, const Step& step, const TreeBlock& tiled,
                      const std::string& stem) {
  if (tiled.empty()) return;
  to.line("// The instances in tiles, and their rounds in blocks.");
  walk(tiled, [&](const TreeNode& node) {
    if (const auto* tiles = std::get_if<Tiles>(&node.node)) emit_tile_body(to, code, tiles->facts, stem);
  });
  to.blank();
  Writer body = loops_body(code);
  LoopPrinter(body, code, step, {}, stem).print(tiled);
  body.line("return true;");
  emit_loops_function(to, code, "static bool blocks_" + stem, Parameter{"const " + box_type(step) + "&", "pb_box"},
                      body);
  to.blank();
}

}  // namespace

void emit_loops(Writer& to, const RuleCode& code, const Step& step, const CpuLoops& loops, const HostParts& hosted,
                const std::string& stem) {
  const auto box_named = [&](const char* name) {
    return step.loops.empty() ? std::nullopt : std::optional(Parameter{"const " + box_type(step) + "&", name});
  };
  Writer plain = loops_body(code);
  LoopPrinter(plain, code, step, hosted, stem).print(loops.plain);
  emit_loops_function(to, code, "PB_LOOPS void loops_" + stem, box_named("pb_box"), plain);
  to.blank();
  emit_tiled_loops(to, code, step, loops.tiled, stem);
  if (loops.packed.empty()) return;
  to.line("// The instances in packs of neighbours.");
  walk(loops.packed, [&](const TreeNode& node) {
    if (const auto* packs = std::get_if<Packs>(&node.node)) emit_pack_body(to, code, packs->facts, stem);
  });
  to.blank();
  const InsideBox* inside = LoopPrinter::box_of(loops.packed);
  PB_CHECK(inside == nullptr || inside->outside == loops.plain, "outside of its box a version runs its plain loops");
  Writer packed = loops_body(code);
  LoopPrinter(packed, code, step, hosted, stem).print(loops.packed);
  emit_loops_function(to, code, "static void lanes_" + stem, box_named(inside == nullptr ? "pb_box" : "pb_all"),
                      packed);
  to.blank();
}

}  // namespace pb
