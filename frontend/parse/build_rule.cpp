// SPDX-License-Identifier: MIT
#include <limits>
#include <string>

#include "frontend/parse/build_header.h"
#include "lang/check.h"

namespace pb {
namespace {

using pb_antlr::PbccParser;

class RuleBuilder {
 public:
  RuleBuilder(const Unit& unit, Diagnostics& diags) : unit_(unit), diags_(diags), build_(unit.tokens(), diags) {}

  ast::Rule run() {
    auto* context = unit_.rule_header();
    out_.span = join(unit_.tokens().front().expansion, unit_.tokens().back().expansion);
    for (auto* modifier : context->ruleModifier()) apply(modifier);
    outputs(context->ruleOutputs());
    for (auto* b : context->binding()) out_.inputs.push_back(binding(b, "from"));
    out_.temporaries = build_.matrices(context->matrix());
    if (context->condition() != nullptr) out_.where = condition(context->condition());
    return std::move(out_);
  }

 private:
  void apply(PbccParser::RuleModifierContext* modifier) {
    const std::string word = modifier->getStart()->getText();
    const Span span = build_.span_of(modifier);
    if (word == "primary")
      set_priority(0, span);
    else if (word == "secondary")
      set_priority(2, span);
    else if (word == "priority")
      set_priority(build_.integer(modifier->integer(0)), span);
    else if (word == "rule")
      out_.label = build_.name(modifier->name());
    else if (word == "duplicate") {
      out_.duplicates.push_back({build_.name(modifier->name()), build_.integer(modifier->integer(0)),
                                 build_.integer(modifier->integer(1)), span});
    } else if (word == "distinct") {
      out_.is_distinct = true;
    } else if (word == "recursive") {
      out_.is_recursive = true;
      if (modifier->formula() != nullptr) out_.recursive_size = build_.formula(modifier->formula());
    } else {
      PB_CHECK(word == "rotatable", "every modifier of the grammar is built");
      out_.is_rotatable = true;
      diags_.emit(DiagKind::RotatableIgnored, span);
    }
  }

  void set_priority(std::int64_t value, Span span) {
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
      diags_.emit(DiagKind::NumberOutOfRange, span).arg(std::to_string(value)).arg("an `int`");
      value = 1;
    }
    out_.priority = static_cast<int>(value);
    out_.priority_span = span;
  }

  void outputs(PbccParser::RuleOutputsContext* context) {
    if (auto* single = context->region()) {
      out_.is_return_form = true;
      ast::RegionBinding output;
      output.region = region(single);
      output.span = output.region.span;
      out_.outputs.push_back(std::move(output));
      return;
    }
    for (auto* b : context->binding()) out_.outputs.push_back(binding(b, "to"));
  }

  ast::RegionBinding binding(PbccParser::BindingContext* context, const char* list) {
    ast::RegionBinding out;
    out.region = region(context->region());
    out.span = build_.span_of(context);
    if (auto* name = context->name()) {
      out.name = build_.name(name);
    } else {
      diags_.emit(DiagKind::UnnamedRegion, out.region.span)
          .arg(out.region.matrix.text)
          .arg(list)
          .hint("the body sees a region under the name behind it: `IN.cell(i) a`");
    }
    if (auto* value = context->formula()) {
      out.is_optional_marker = value->getText() == "OPTIONAL";
      if (!out.is_optional_marker) out.missing_value = build_.formula(value);
    }
    return out;
  }

  ast::Region region(PbccParser::RegionContext* context) {
    ast::Region out;
    out.span = build_.span_of(context);
    out.matrix = build_.name(context->name());
    std::vector<Formula> coords;
    // `M<k>.cell(i)`: the version stands before the accessor, the coordinates behind it.
    for (auto* f : context->formula()) {
      const bool is_version =
          context->accessor() == nullptr || Unit::range_of(f).begin < Unit::range_of(context->accessor()).begin;
      if (is_version)
        out.version = build_.formula(f);
      else
        coords.push_back(build_.formula(f));
    }
    out.coords = std::move(coords);
    if (context->accessor() != nullptr) out.accessor = accessor(context->accessor()->getText());
    return out;
  }

  static ast::Accessor accessor(const std::string& word) {
    if (word == "cell") return ast::Accessor::Cell;
    if (word == "row") return ast::Accessor::Row;
    if (word == "region") return ast::Accessor::Region;
    if (word == "all") return ast::Accessor::All;
    PB_CHECK(word == "col" || word == "column", "the grammar lists the accessors");
    return ast::Accessor::Column;
  }

  ast::Condition condition(PbccParser::ConditionContext* context) {
    std::vector<ast::Condition> operands;
    for (auto* part : context->conjunction()) operands.push_back(conjunction(part));
    return junction(std::move(operands), true, build_.span_of(context));
  }

  ast::Condition conjunction(PbccParser::ConjunctionContext* context) {
    std::vector<ast::Condition> operands;
    for (auto* part : context->conditionPart()) {
      operands.push_back(part->condition() != nullptr ? condition(part->condition()) : relation(part->relation()));
    }
    return junction(std::move(operands), false, build_.span_of(context));
  }

  static ast::Condition junction(std::vector<ast::Condition> operands, bool is_or, Span span) {
    if (operands.size() == 1) return std::move(operands[0]);
    return {ast::Junction{is_or, std::move(operands)}, span};
  }

  ast::Condition relation(PbccParser::RelationContext* context) {
    const Span span = build_.span_of(context);
    Relation out{build_.formula(context->formula(0)), op(context->relationOp()->getText()),
                 build_.formula(context->formula(1)), span};
    return {std::move(out), span};
  }

  static RelationOp op(const std::string& text) {
    const auto found = find_relation_op(text);
    PB_CHECK(found.has_value(), "the grammar lists the comparisons");
    return *found;
  }

  const Unit& unit_;
  Diagnostics& diags_;
  HeaderBuilder build_;
  ast::Rule out_;
};

}  // namespace

ast::Rule build_rule(const Unit& unit, Diagnostics& diags) { return RuleBuilder(unit, diags).run(); }

}  // namespace pb
