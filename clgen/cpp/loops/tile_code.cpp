// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/tile_code.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/cpp/loops/mask_printer.h"
#include "clgen/cpp/loops/packs.h"
#include "clgen/cpp/rules/pack_dialect.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/lower/analysis/lane_accesses.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

constexpr const char* kPart = "pb_part_";

/// Prints the body on a tile. The last loop's statements are printed on one vector of it.
class TilePrinter {
 public:
  TilePrinter(const RuleCode& code, const TileFacts& facts)
      : rule_(code.rule),
        body_(code.rule.body),
        bindings_(code.rule.body_types.bindings),
        facts_(facts),
        masks_(code.rule, facts.body),
        dialect_(make_dialect()),
        printer_(body_, dialect_) {}

  void print(Writer& out) { printer_.print_body(out); }

 private:
  Dialect make_dialect() {
    const PackFacts& facts = facts_.body;
    Dialect dialect = pack_dialect(
        rule_, {facts.is_varying, facts.varying_locals, !facts.masked_stmts.empty(), facts.multiplies_quotients});
    dialect.stmt = [this](Writer& out, BodyCodePrinter& printer, StmtId id) {
      return masks_.print(out, printer, id) || print_loop(out, printer, id);
    };
    dialect.name = [this](ExprId id, const NameExpr& name) {
      return (is_in_part_ && is_of_tile(id) ? kPart : "") + name.text;
    };
    return dialect;
  }

  /// Whether the name means values of the tile's instances that were made outside of the last loop.
  [[nodiscard]] bool is_of_tile(ExprId id) const {
    const NameBinding& binding = bindings_[id.index()];
    if (binding.kind == NameKind::Local)
      return binding.index < first_inner_local_ && facts_.body.varying_locals.contains(binding.index);
    if (binding.kind == NameKind::Input) return !facts_.body.inputs[binding.index].is_uniform();
    if (binding.kind != NameKind::RuleVar) return binding.kind == NameKind::Output;
    const std::string& name = rule_.vars[binding.index].name;
    return name == facts_.body.lane_var || name == facts_.body.row_var;
  }

  bool print_loop(Writer& out, BodyCodePrinter& printer, StmtId id) {
    const bool is_first = id == facts_.loops.front();
    const bool is_last = id == facts_.loops.back();
    if (!is_first && !is_last) return false;
    const auto& loop = std::get<ForStmt>(body_.stmts[id].node);
    const std::string carried = joined(facts_.carried);
    if (is_first) {
      const auto& decl = std::get<DeclStmt>(body_.stmts[loop.init].node);
      const std::string& var = decl.declarators.front().name;
      const std::string type = without_const(decl.type_text);
      (void)printer.take_local();
      out.line("pb_rounds.enter(" + carried + ");");
      out.open("for (" + type + " " + var + " = static_cast<" + type + ">(pb_rounds.begin); " + var +
               " < pb_rounds.end; ++" + var + ")");
    } else {
      out.open("for (" + printer.for_head(loop) + ")");
    }
    is_last ? print_part(out, printer, loop.body) : printer.print_children(out, loop.body);
    out.close();
    if (is_first) out.line("pb_rounds.leave(" + carried + ");");
    return true;
  }

  /// Prints the statements of the last loop for each vector of the tile.
  void print_part(Writer& out, BodyCodePrinter& printer, StmtId inside) {
    first_inner_local_ = num_locals_before(inside);
    Writer statements;
    is_in_part_ = true;
    printer.print_children(statements, inside);
    is_in_part_ = false;
    std::set<std::string> used;
    walk(
        body_, inside, [](StmtId) {},
        [&](ExprId id) {
          const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
          if (name != nullptr && is_of_tile(id)) used.insert(name->text);
        });
    out.open("pbrt::simd::by_parts<PbTile>([&](auto pb_part) PB_SIMD_LAMBDA");
    out.line("using PbShape [[maybe_unused]] = pbrt::simd::PartOf<PbTile>;");
    for (const std::string& name : used) {
      const bool is_carried = std::find(facts_.carried.begin(), facts_.carried.end(), name) != facts_.carried.end();
      out.line((is_carried ? "auto " : "const auto ") + (kPart + name) + " = pbrt::simd::part<pb_part.value>(" + name +
               ");");
    }
    out.verbatim(statements.text());
    for (const std::string& name : facts_.carried)
      if (used.contains(name)) out.line("pbrt::simd::put_part<pb_part.value>(" + name + ", " + (kPart + name) + ");");
    out.close(");");
  }

  /// How many variables the body declares before the statement.
  [[nodiscard]] std::uint32_t num_locals_before(StmtId stmt) const {
    std::uint32_t out = 0;
    bool is_before = true;
    walk(
        body_, body_.root,
        [&](StmtId id) {
          is_before = is_before && id != stmt;
          const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node);
          if (is_before && decl != nullptr) out += static_cast<std::uint32_t>(decl->declarators.size());
        },
        [](ExprId) {});
    return out;
  }

  const Rule& rule_;
  const Body& body_;
  const std::vector<NameBinding>& bindings_;
  const TileFacts& facts_;
  MaskPrinter masks_;
  bool is_in_part_ = false;
  std::uint32_t first_inner_local_ = 0;
  Dialect dialect_;
  BodyCodePrinter printer_;
};

std::string shapes_of(const TileFacts& facts) {
  return std::string("pbrt::simd::TileShapes<") + (facts.body.is_wide_type ? "double" : "float") + ">";
}

/// `A.stride(1)`: how far the region of the next instance along `var` begins in memory.
std::string step_text(const RuleCode& code, const RegionAccess& access, const std::string& var) {
  std::string out;
  const auto steps = steps_along(access, var);
  for (std::size_t d = 0; steps && d < steps->size(); ++d) {
    const std::int64_t step = (*steps)[d];
    if (step == 0) continue;
    out += (out.empty() ? "" : " + ") + (step == 1 ? "" : std::to_string(step) + " * ") + code.matrix_name(access) +
           ".stride(" + std::to_string(d) + ")";
  }
  return out.empty() ? "0" : out;
}

/// The matrices whose elements along the rows a tile reads or writes directly: they must be neighbours in memory.
std::vector<std::string> unit_matrices(const RuleCode& code, const TileFacts& facts) {
  std::vector<std::string> out;
  const auto add = [&](const RegionAccess& access) {
    if (std::find(out.begin(), out.end(), code.matrix_name(access)) == out.end())
      out.push_back(code.matrix_name(access));
  };
  for (const RegionAccess& output : code.rule.outputs) add(output);
  for (std::size_t i = 0; i < code.rule.inputs.size(); ++i)
    if (facts.panels[i] == PanelOf::None && facts.body.inputs[i].moves_along_row) add(code.rule.inputs[i]);
  return out;
}

/// Returns the text of a limit of the outermost loop, outside of the body.
std::string limit_text(const RuleCode& code, ExprId limit) {
  const Rule& rule = code.rule;
  Dialect dialect;
  dialect.name = [&](ExprId id, const NameExpr& name) {
    const NameBinding& binding = rule.body_types.bindings[id.index()];
    if (binding.kind == NameKind::ScalarInput) return name.text + ".cell()";
    return binding.kind == NameKind::Input ? access_text(code, rule.inputs[binding.index]) : name.text;
  };
  return BodyCodePrinter(rule.body, dialect).expr(limit, Precedence::Assign);
}

/// The inputs in panels of that kind.
std::vector<std::size_t> panels_of(const TileFacts& facts, PanelOf kind) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < facts.panels.size(); ++i)
    if (facts.panels[i] == kind) out.push_back(i);
  return out;
}

/// The first instance of the tiles along that loop; empty if it is another loop.
std::string first_text(const TileFacts& facts, const std::string& var) {
  const bool is_lane = var == facts.body.lane_var;
  if (!is_lane && var != facts.body.row_var) return "";
  return std::string("static_cast<IndexT>(pb_tiled.") + (is_lane ? "lane" : "row") + "_begin)";
}

/// `pbrt::simd::HalfPlane{n, -1, 1}`: where a condition on instances holds.
std::string half_plane_text(const RuleCode& code, const PackFacts& body, const IndexExpr& condition) {
  const IndexExpr none = index_const(0);
  const auto along = [&](const std::string& var) { return std::to_string(affine_coefficient(condition, var).value()); };
  const IndexExpr at = substitute(condition, {{body.lane_var, none}, {body.row_var, none}});
  return "pbrt::simd::HalfPlane{" +
         joined({to_index_cpp(at, code.transform), along(body.lane_var), along(body.row_var)}) + "}";
}

/// Declares the borders of the instances, and the box around those of a piece.
void emit_tile_box(Writer& out, const RuleCode& code, const Tiles& tiles) {
  std::vector<std::string> planes;
  for (const IndexExpr& condition : tiles.instance.conditions)
    planes.push_back(half_plane_text(code, tiles.facts.body, condition));
  out.line("const pbrt::simd::Borders pb_borders{" + joined(planes) + "};");
  out.line("const pbrt::simd::TileBox pb_tiled = pb_borders.around({" +
           joined({to_cpp(tiles.lane_lo), to_cpp(tiles.lane_hi), to_cpp(tiles.row_lo), to_cpp(tiles.row_hi)}) + "});");
  if (!planes.empty()) out.line("if (pb_tiled.is_empty()) return true;");
}

}  // namespace

void emit_tile_body(Writer& out, const RuleCode& code, const TileFacts& facts, const std::string& stem) {
  open_pack_function(out, code, facts.body,
                     {"tiles_" + stem, "PbTile", {{"const pbrt::simd::TileRounds<PbTile>&", "pb_rounds"}}});
  out.open("");
  TilePrinter(code, facts).print(out);
  out.close();
  out.close();
}

void emit_tile_test(Writer& out, const RuleCode& code, const Tiles& tiles) {
  const TileFacts& facts = tiles.facts;
  emit_tile_box(out, code, tiles);
  out.open("const auto pb_rounds_of = [&]");
  for (const RuleVar& var : code.rule.vars) {
    const std::string first = first_text(facts, var.name);
    out.line("[[maybe_unused]] const IndexT " + var.name + " = " + (first.empty() ? "pb_lo_" + var.name : first) + ";");
  }
  const std::string range = "pbrt::simd::BlockRange";
  out.line(
      "return " + range + "{" +
      joined({"pb_tiled", "static_cast<std::int64_t>(" + limit_text(code, facts.first) + ")",
              "static_cast<std::int64_t>(" + limit_text(code, facts.last) + ")" + (facts.is_inclusive ? " + 1" : "")}) +
      "};");
  out.close(";");
  out.line("const " + range + " pb_range = pb_rounds_of();");
  out.line("using PbShapes = " + shapes_of(facts) + ";");
  const auto suits = [&](const char* shape) {
    return std::string("pbrt::simd::suits_tiles<PbShapes::") + shape + ">(pb_range, " + to_cpp(tiles.size_rule) + ")";
  };
  out.line("const bool pb_is_wide = " + suits("Wide") + ";");
  out.line("if (!pb_is_wide && !" + suits("Narrow") + ") return false;");
  for (const std::string& name : unit_matrices(code, facts))
    out.line("if (!" + name + ".has_unit_stride()) return false;");
}

void emit_tiles(Writer& out, const RuleCode& code, const Tiles& tiles, const std::string& stem) {
  const TileFacts& facts = tiles.facts;
  const std::string& lane_var = facts.body.lane_var;
  const std::string& row_var = facts.body.row_var;
  const std::vector<std::size_t> of_lanes = panels_of(facts, PanelOf::Lanes);
  const std::vector<std::size_t> of_rows = panels_of(facts, PanelOf::Rows);
  const auto panel = [&](std::size_t input) { return "pb_panel_" + code.rule.inputs[input].binding; };
  out.open("const auto pb_run = [&]<class PbTile>(PbTile)");
  out.line("using PbShape [[maybe_unused]] = PbTile;");
  for (const std::string& var : {lane_var, row_var})
    out.line("[[maybe_unused]] const IndexT " + var + " = " + first_text(facts, var) + ";");
  const auto sources = [&](const std::vector<std::size_t>& inputs, const std::string& var) {
    std::vector<std::string> texts;
    for (const std::size_t i : inputs) {
      const RegionAccess& input = code.rule.inputs[i];
      texts.push_back("pbrt::simd::PanelSource(" + access_text(code, input) + ", " + step_text(code, input, var) +
                      ", " + std::to_string(facts.walked[i]) + ")");
    }
    return "std::tuple(" + joined(texts) + ")";
  };
  out.line("const auto pb_of_lanes = " + sources(of_lanes, lane_var) + ";");
  out.line("const auto pb_of_rows = " + sources(of_rows, row_var) + ";");
  std::vector<std::string> params = {"const pbrt::simd::TileRounds<PbTile>& pb_rounds",
                                     "const pbrt::simd::TilePlace& pb_place"};
  std::vector<std::string> inputs(code.rule.inputs.size());
  for (const auto* list : {&of_lanes, &of_rows})
    for (const std::size_t i : *list) {
      params.push_back("const auto& " + panel(i));
      inputs[i] = panel(i);
    }
  const std::string state =
      std::to_string(facts.carried.size()) + " * sizeof(double) * PbTile::kCount * PbTile::kLanes";
  out.line("pbrt::simd::for_each_tile<PbTile>(");
  out.indent();
  out.indent();
  out.line("pb_range, pb_borders, " + state + ", pb_of_lanes, pb_of_rows,");
  out.open("[&](" + joined(params) + ") PB_SIMD_LAMBDA");
  out.line("[[maybe_unused]] const IndexT " + lane_var + " = pb_place.lane;");
  out.line("[[maybe_unused]] const IndexT " + row_var + " = pb_place.row;");
  std::vector<std::string> args = pack_args(code, facts.body, inputs);
  args.insert(args.begin(), "pb_rounds");
  emit_pack_results(out, code, facts.body, "tiles_" + stem + "<PbTile>(" + joined(args) + ")",
                    [](const std::string& cells, const std::string& value, const std::string& at) {
                      return "pbrt::simd::finish_tile(pb_rounds, pb_place, " + cells + ", " + value + ", " + at + ");";
                    });
  out.close(");");
  out.outdent();
  out.outdent();
  out.close(";");
  out.line("if (pb_is_wide) {");
  out.line("  pb_run(PbShapes::Wide());");
  out.line("} else {");
  out.line("  pb_run(PbShapes::Narrow());");
  out.line("}");
}

}  // namespace pb
