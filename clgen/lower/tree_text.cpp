// SPDX-License-Identifier: MIT
#include "clgen/lower/tree_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/loop_forms.h"
#include "clgen/facts/names.h"
#include "clgen/facts/numbering.h"
#include "clgen/lower/analysis/nest_shape.h"
#include "clgen/lower/loops/nest_loops.h"
#include "clgen/lower/tree/condition_text.h"
#include "lang/check.h"

namespace pb {
namespace {

/// Says when the number of a SizeRule holds: the word of a constant, else where the rule comes from.
std::string list(const std::vector<IndexExpr>& items) {
  std::vector<std::string> texts;
  for (const IndexExpr& item : items) texts.push_back(to_string(item));
  return joined(texts);
}

std::string rule_text(const IndexExpr& size_rule) {
  return size_rule.op == IndexExpr::Op::Const ? to_string(static_cast<SizeRule>(size_rule.value))
                                              : "as " + to_string(size_rule) + " says";
}

const char* role_word(LoopRole role) {
  switch (role) {
    case LoopRole::Batch:
      return "batches";
    case LoopRole::Group:
      return "groups";
    case LoopRole::Item:
      return "items";
    case LoopRole::Lane:
      return "lanes";
    case LoopRole::FoldGroup:
      return "groups together";
    case LoopRole::Unrolled:
      return "unrolled";
    case LoopRole::Serial:
      return "for";
    case LoopRole::Vector:
      return "vector";
    case LoopRole::Single:
      return "single";
    case LoopRole::Parts:
      return "parts of";
  }
  PB_CHECK(false, "every role has a word");
  return "";
}

const char* part_word(InstancePart part) {
  switch (part) {
    case InstancePart::Whole:
      return "instance ";
    case InstancePart::Begin:
      return "begin of instance ";
    case InstancePart::Rounds:
      return "rounds of instance ";
    case InstancePart::End:
      return "end of instance ";
  }
  PB_CHECK(false, "every part has a word");
  return "";
}

/// `rule` and `kept`: those of the instance.
std::string divided_words(const DividedFold& divided, const Rule& rule, const std::vector<KeptRegion>& kept) {
  std::vector<std::string> parts;
  if (divided.stores && divided.bins.empty()) parts.emplace_back("cells");
  for (const Accumulator& each : divided.bins) parts.push_back("bins of " + to_words(each));
  for (const Accumulator& each : divided.fold.accumulators) {
    const bool is_running = static_cast<std::size_t>(&each - divided.fold.accumulators.data()) < divided.num_running;
    parts.push_back(is_running ? "running place `" + each.name + "`" : to_words(each));
  }
  const std::string loops =
      divided.inner ? "s over " + divided.fold.var + " and " + divided.inner->var : " over " + divided.fold.var;
  std::string out = ", lanes divide the loop" + loops;
  if (divided.keeps) out += " and keep its cells";
  for (const KeptRegion& region : kept) {
    if (!region.is_output && region.first == divided.fold.loop) out += ", reading " + rule.inputs[region.index].binding;
    if (region.is_output && region.last == divided.fold.loop) out += ", writing " + rule.outputs[region.index].binding;
  }
  return out + (parts.empty() ? "" : ": " + joined(parts));
}

std::string loop_var(const Rule& rule, StmtId loop) {
  const auto& head = std::get<ForStmt>(rule.body.stmts[loop].node);
  return std::get<DeclStmt>(rule.body.stmts[head.init].node).declarators.front().name;
}

std::string refs(const Transform& transform, const Rule& rule, const std::vector<AccessRef>& list) {
  std::vector<std::string> texts;
  for (const AccessRef& ref : list)
    texts.push_back(transform.matrices[(ref.is_output ? rule.outputs[ref.index] : rule.inputs[ref.index]).matrix].name);
  return joined(texts);
}

// Returns the line of loops that run one instance.
std::string text_of(const Transform& transform, const Packs& packs) {
  const PackFacts& facts = packs.facts;
  std::string text =
      fmt::format("packs of {} in [{}, {})", facts.lane_var, to_string(packs.lane_lo), to_string(packs.lane_hi));
  if (!facts.row_var.empty())
    text += fmt::format(", {}{} in [{}, {})", facts.is_tall ? "several rows of " : "", facts.row_var,
                        to_string(packs.row_lo), to_string(packs.row_hi));
  text += facts.is_wide_type ? ", 8 bytes" : ", 4 bytes";
  if (!packs.may_repeat.is_never()) text += ", the last one again" + where_text(transform, packs.may_repeat);
  for (std::size_t i = 0; i < facts.inputs.size(); ++i)
    if (facts.inputs[i].reads_own_row)
      text += ", rows of " + transform.rules[packs.instance.rule].inputs[i].binding + " side by side";
  return text;
}

std::string text_of(const Transform& transform, const Tiles& tiles) {
  const PackFacts& facts = tiles.facts.body;
  std::string text = fmt::format("tiles of {} in [{}, {}), {} in [{}, {}){}", facts.lane_var, to_string(tiles.lane_lo),
                                 to_string(tiles.lane_hi), facts.row_var, to_string(tiles.row_lo),
                                 to_string(tiles.row_hi), facts.is_wide_type ? ", 8 bytes" : ", 4 bytes");
  const Rule& rule = transform.rules[tiles.instance.rule];
  for (std::size_t i = 0; i < tiles.facts.panels.size(); ++i)
    if (tiles.facts.panels[i] != PanelOf::None)
      text += ", " + rule.inputs[i].binding + " in panels of " +
              (tiles.facts.panels[i] == PanelOf::Lanes ? facts.lane_var : facts.row_var);
  for (const std::string& name : tiles.facts.carried) text += ", carries " + name;
  return text + ", " + rule_text(tiles.size_rule);
}

/// Returns what the scan computes, each after a comma.
std::string values_text(const Transform& transform, const Rule& rule, const Scan& scan) {
  std::string text;
  for (const ScannedValue& value : scan.values)
    text +=
        std::string(", ") + to_words(value.op) + " in " + transform.matrices[rule.outputs[value.output].matrix].name;
  return text;
}

std::string text_of(const Transform& transform, const Scans& scans) {
  const Scan& scan = scans.facts.scan;
  return "scans over " + scan.var + (scan.is_backward ? " downwards" : "") + " in chunks of " +
         to_string(scans.length) + where_text(transform, scans.condition) +
         values_text(transform, transform.rules[scans.instance.rule], scan) +
         (scans.facts.body.is_wide_type ? ", 8 bytes" : ", 4 bytes");
}

std::string text_of(const Transform& transform, const LineScans& scans) {
  const bool has_one =
      std::find(scans.same_factors.begin(), scans.same_factors.end(), true) != scans.same_factors.end();
  return fmt::format("lines along {} in [{}, {}){}{}{}{}", scans.scan.var, to_string(box_lo(scans.dim)),
                     to_string(index_add(box_lo(scans.dim), box_extent(scans.dim))),
                     scans.scan.is_backward ? " downwards" : "",
                     values_text(transform, transform.rules[scans.instance.rule], scans.scan),
                     has_one ? ", one factor for all" : "", scans.stores_values_only ? ", stored as they are" : "");
}

std::string text_of(const Transform& /*transform*/, const Waves& waves) {
  std::vector<std::string> rows;
  for (const WaveRow& row : waves.rows)
    rows.push_back(fmt::format("{} {}", fmt::join(row.coefficients, " "), row.is_carried ? "carried" : "parallel"));
  return "wavefront along rows " + joined(rows);
}

/// Prints the nodes of a tree.
class TreeText {
 public:
  TreeText(const Transform& transform, RuleId rule) : transform_(transform), rule_(transform.rules[rule]) {}

  /// Prints one line. Later lines are one level deeper.
  void head(const std::string& text) {
    line(text);
    ++level_;
  }
  void line(const std::string& text) { out_ += std::string(2 * level_, ' ') + text + "\n"; }
  std::string take() { return std::move(out_); }
  const Rule& rule() const { return rule_; }
  const std::string& matrix_name(MatrixId id) const { return transform_.matrices[id].name; }
  const std::string& binding(const Buffer& buffer) const { return rule_.inputs[buffer.input].binding; }

  void print(const TreeBlock& block, const std::vector<Buffer>& buffers) {
    buffers_ = &buffers;
    print_block(block);
  }

 private:
  void print_block(const TreeBlock& block) {
    for (const TreeNode& node : block) std::visit([this](const auto& inner) { print_node(inner); }, node.node);
  }
  void print_inside(const TreeBlock& block) {
    ++level_;
    print_block(block);
    --level_;
  }

  void print_node(const TreeLoop& loop) {
    std::string text =
        fmt::format("{} {} in [{}, {})", role_word(loop.role), loop.var, to_string(loop.lo), to_string(loop.hi));
    if (!loop.step.is_const(1)) text += " by " + to_string(loop.step);
    if (loop.run) text += " in runs of " + to_string(*loop.run);
    if (loop.tail != LoopTail::Exact) text += " below " + to_string(loop.end);
    if (loop.tail == LoopTail::Peeled) text += ", whole groups apart";
    if (loop.tail == LoopTail::Repeated) text += ", the last one again";
    if (!loop.lower.empty()) text += ", at least " + list(loop.lower);
    if (!loop.upper.empty()) text += ", below " + list(loop.upper);
    if (loop.stride != 1) text += fmt::format(", every {} from {}", loop.stride, to_string(loop.offset));
    if (loop.is_decreasing) text += " downwards";
    line(text);
    print_inside(loop.body);
  }

  void print_node(const TreeBranch& branch) {
    line("if " + to_text(transform_, branch.condition));
    print_inside(branch.then);
    line("else");
    print_inside(branch.otherwise);
  }

  void print_node(const Copy& copy) {
    std::vector<std::string> edges;
    for (std::size_t d = 0; d < copy.edges.size(); ++d) {
      if (copy.edges[d].may_precede) edges.push_back(fmt::format("below {}", d));
      if (copy.edges[d].may_exceed) edges.push_back(fmt::format("above {}", d));
    }
    std::string text = "copy " + binding(buffers_->at(copy.to.index())) +
                       (copy.by == CopyBy::AllItems ? " by all items" : " by the first item");
    if (!edges.empty())
      text += (copy.outside == CopyOutside::Zero   ? ", 0 outside: "
               : copy.outside == CopyOutside::Skip ? ", but what lies outside: "
                                                   : ", the nearest cell outside: ") +
              joined(edges);
    line(text);
  }

  void print_node(const Barrier&) { line("barrier"); }

  void print_node(const RoundBlocks& blocks) {
    line(fmt::format("blocks of {} rounds of the loop over {}{}{}", to_string(block_rounds()),
                     loop_var(rule_, blocks.loop), blocks.copies_ahead ? ", each copying ahead for the next" : "",
                     blocks.has_parts ? ", or a range of them per group" : ""));
    print_inside(blocks.body);
  }

  void print_node(const InsideRange& range) {
    std::string text = fmt::format("inside {} from {} to {}", range.var,
                                   range.first.empty() ? to_string(loop_begin(range.var)) : list(range.first),
                                   range.end.empty() ? to_string(loop_end(range.var)) : list(range.end));
    text += where_text(transform_, range.exists);
    for (const MappedCoordinate& coordinate : range.mapped_once)
      text += fmt::format(", {} in dimension {} of {} mapped once", to_string(coordinate.at), coordinate.dim,
                          matrix_name(coordinate.matrix));
    line(text);
  }

  void print_node(const RowBlocks& blocks) {
    std::vector<std::string> lines;
    for (const LineRequest& request : blocks.lines)
      lines.push_back(fmt::format("{}({}) x {}", matrix_name(request.matrix), list(request.at), request.count));
    const std::string stores = blocks.stores ? ", results past the caches " + rule_text(*blocks.stores) : "";
    line(fmt::format("blocks of {} {} in [{}, {}), {}, {} lines ahead {}{}", blocks.length, blocks.var,
                     to_string(blocks.lo), to_string(blocks.hi), rule_text(blocks.size_rule),
                     to_string(blocks.lines_ahead), joined(lines), stores));
    print_inside(blocks.body);
  }

  void print_node(const Strips& strips) {
    std::string text = "strips of " + to_string(strips.length) + " " + strips.inner + " inside of " + strips.outer;
    if (strips.is_vector) text += ", vector";
    if (strips.across) {
      text += ", where " + matrix_name(*strips.across) + " is large lines ahead across " +
              refs(transform_, rule_, strips.requests_across);
      if (!strips.requests_along.empty()) text += " along " + refs(transform_, rule_, strips.requests_along);
    }
    if (strips.stores) text += ", results past the caches " + rule_text(*strips.stores);
    line(text);
    print_inside(strips.body);
  }

  /// Loops that run one instance, each in its own way.
  template <class Loops>
  requires std::is_same_v<Loops, Packs> || std::is_same_v<Loops, Tiles> || std::is_same_v<Loops, Scans> ||
      std::is_same_v<Loops, LineScans> || std::is_same_v<Loops, Waves>
  void print_node(const Loops& loops) {
    line(text_of(transform_, loops));
    ++level_;
    print_node(loops.instance);
    --level_;
  }

  void print_node(const InsideBox& box) {
    const auto bounds = [](const std::vector<std::vector<IndexExpr>>& terms) {
      std::vector<std::string> out;
      for (const std::vector<IndexExpr>& of_dim : terms) out.push_back("(" + list(of_dim) + ")");
      return joined(out);
    };
    line(fmt::format("box from {} to {}{}", bounds(box.first), bounds(box.end), where_text(transform_, box.condition)));
    print_inside(box.inside);
    line("outside of it");
    print_inside(box.outside);
  }

  void print_node(const ComputeResult& result) {
    line(fmt::format("value {} = {}", result.value, transform_.rules[result.rule].name));
  }
  void print_node(const StoreResult& result) {
    const Rule& rule = transform_.rules[result.rule];
    line(fmt::format("store value {} of {} in {}", result.value, rule.name, matrix_name(rule.outputs[0].matrix)));
  }

  void print_node(const Let& let) { line(fmt::format("let {} = {}", let.var, to_string(let.value))); }

  void print_node(const RuleInstance& instance) {
    std::vector<std::string> operands;
    for (std::size_t i = 0; i < instance.outputs.size(); ++i)
      operands.push_back((rule_.is_return_form ? "return" : rule_.outputs[i].binding) + ": " +
                         to_string(instance.outputs[i].kind));
    for (std::size_t i = 0; i < instance.inputs.size(); ++i)
      operands.push_back(rule_.inputs[i].binding + ": " + to_string(instance.inputs[i].kind));
    std::string text = std::string(part_word(instance.part)) + rule_.name;
    if (!operands.empty()) text += " with " + joined(operands);
    if (instance.all_exist) text += ", all cells inside";
    if (instance.is_announced) text += ", announced";
    if (!instance.conditions.empty()) text += " where 0 <= " + list(instance.conditions);
    auto divided = instance.divided.begin();
    for (const Phase& phase : instance.phases) {
      if (phase.waits) text += ", lanes wait";
      if (phase.kind == PhaseKind::First) text += ", the first lane stores";
      if (phase.kind == PhaseKind::Divided) text += divided_words(*divided++, rule_, instance.kept);
    }
    if (instance.part != InstancePart::Whole) {
      std::vector<std::string> names;
      for (const CarriedValue& each : instance.blocks->carried) names.push_back(each.name);
      text += ", keeping " + joined(names);
      if (instance.on_matrix_units) text += ", on matrix units";
    }
    line(text);
  }

  const Transform& transform_;
  const Rule& rule_;
  const std::vector<Buffer>* buffers_ = nullptr;
  std::string out_;
  std::size_t level_ = 0;
};

/// Prints the parameters of the kernel, and its buffers.
void print_parameters(TreeText& text, const KernelTree& kernel) {
  for (const RuleMatrix& use : kernel.matrices) {
    const char* word = !use.is_output ? "read " : use.is_overwritten && !use.is_input ? "write " : "update ";
    text.line(word + text.matrix_name(use.matrix));
  }
  if (kernel.kept_length) text.line("keeps cells of rounds up to " + kernel.scalars[*kernel.kept_length].name);
  if (kernel.record_slots > 0) text.line(fmt::format("records of {} values", kernel.record_slots));
  if (kernel.stages.last_is_divided) text.line(fmt::format("{} stages, all of several groups", kernel.stages.num));
  if (kernel.crossed_loop)
    text.line("crosses rows along " + kernel.vars[static_cast<std::size_t>(*kernel.crossed_loop)]);
  for (const KernelScalar& scalar : kernel.scalars)
    text.line("number " + scalar.name + (scalar.is_specialized ? " known to the build" : ""));
  for (const Buffer& buffer : kernel.tree.buffers) {
    std::vector<std::string> dims;
    for (const GroupExtent& extent : buffer.extents)
      dims.push_back("[" + to_string(begin_of(extent, kernel.vars)) + " + " + to_string(length_of(extent)) + "]");
    text.line((buffer.space == BufferSpace::Panel ? "panel " : "local ") + text.binding(buffer) + " of " +
              text.matrix_name(text.rule().inputs[buffer.input].matrix) + joined(dims, "") +
              (buffer.space == BufferSpace::Panel ? fmt::format(", along {} first", buffer.contiguous) : ""));
  }
}

}  // namespace

std::string to_text(const Program& program, const KernelTree& kernel) {
  const Transform& transform = program.transforms[kernel.transform];
  TreeText text(transform, kernel.rule);
  text.head(fmt::format("kernel {}.{} {} step {}", transform.name, text.rule().name, to_string(kernel.version),
                        kernel.step.index()));
  print_parameters(text, kernel);
  text.print(kernel.tree.root, kernel.tree.buffers);
  return text.take();
}

std::string to_text(const RuleShape& rule, StepId step, const CpuLoops& loops) {
  const auto print = [&](const char* word, const TreeBlock& block, const std::string& where) {
    TreeText text(rule.transform, rule.rule_id);
    text.head(fmt::format("{} {}.{} cpu step {}{}", word, rule.transform.name, rule.rule.name, step.index(), where));
    text.print(block, {});
    return text.take();
  };
  return print("loops", loops.plain, "") +
         (loops.packed.empty() ? "" : print("packs", loops.packed, where_text(rule.transform, loops.in_packs))) +
         (loops.tiled.empty() ? "" : print("tiles", loops.tiled, ""));
}

std::string scans_text(const RuleShape& rule, StepId step, const TreeBlock& scanned) {
  TreeText text(rule.transform, rule.rule_id);
  text.head(fmt::format("scans {}.{} cpu step {}", rule.transform.name, rule.rule.name, step.index()));
  text.print(scanned, {});
  return text.take();
}

std::string to_text(const Program& program, const TransformPlan& plan, const FusedSteps& steps,
                    const TreeBlock& loops) {
  std::vector<std::string> numbers;
  for (const StepId id : steps) numbers.push_back(std::to_string(id.index()));
  const Transform& transform = program.transforms[plan.transform];
  TreeText text(transform, plan.steps[steps.front()].rule);
  text.head(fmt::format("one loop {} cpu steps {}", transform.name, joined(numbers)));
  text.print(loops, {});
  return text.take();
}

std::string to_text(const TransformPlan& plan, const Nest& nest) {
  std::vector<std::string> rows;
  for (const NestRow& row : nest.rows) {
    const IndexRange hull = hull_of(plan, nest, row);
    const char* word = row.kind == RowKind::Slices ? "" : row.kind == RowKind::Carried ? "carried " : "parallel ";
    rows.push_back(fmt::format("{}[{}, {})", word, to_string(hull.lo), to_string(hull.hi)));
  }
  return fmt::format("nest in {} of {}\n", is_sliced(nest) ? "slices" : "tiles", joined(rows));
}

}  // namespace pb
