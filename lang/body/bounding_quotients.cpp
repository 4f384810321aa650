// SPDX-License-Identifier: MIT
#include "lang/body/bounding_quotients.h"

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/math_functions.h"
#include "lang/types.h"

namespace pb {
namespace {

/// Vector instructions of the loops of one depth.
struct Load {
  int depth = 0;
  int num_quotients = 0;
  int num_roots = 0;
  int num_others = 0;
};

// While a divider makes one vector of quotients, this many other instructions run beside it, less those that would make
// the quotients. Measured with AVX-512: a quotient of doubles keeps the divider for 14 cycles, a root for 21;
// multiplications take 5 and 7, and two instructions begin in a cycle, of which some are fused.
constexpr int kOthersPerQuotient = 16;
constexpr int kOthersPerRoot = 24;
// A function of vectors, such as an exponential.
constexpr int kInstructionsOfFunction = 24;

class LoadCounter {
 public:
  LoadCounter(const Body& body, const BodyTypes& types, const std::vector<bool>& is_varying)
      : body_(body), types_(types), is_varying_(is_varying) {}

  Load run(StmtId root) {
    count(root, 0);
    return innermost_;
  }

 private:
  void count(StmtId id, int depth) {
    const Stmt& stmt = body_.stmts[id];
    if (is_loop(stmt)) ++depth;
    for_each_child(
        stmt, [&](StmtId child) { count(child, depth); },
        [&](ExprId expr) { walk_expr(body_, expr, [&](ExprId part) { add(part, depth); }); });
  }

  void add(ExprId id, int depth) {
    if (!is_varying_[id.index()] || depth < innermost_.depth) return;
    Load one{depth};
    count_instructions(id, one);
    if (one.num_quotients + one.num_roots + one.num_others == 0) return;
    if (depth > innermost_.depth) innermost_ = Load{depth};
    innermost_.num_quotients += one.num_quotients;
    innermost_.num_roots += one.num_roots;
    innermost_.num_others += one.num_others;
  }

  void count_instructions(ExprId id, Load& load) const {
    const Expr& expr = body_.exprs[id];
    if (const auto* binary = std::get_if<BinaryExpr>(&expr.node)) {
      if (is_division(body_, types_, id)) {
        ++load.num_quotients;
      } else if (binary->op != BinaryOp::Comma) {
        ++load.num_others;
      }
    } else if (const auto* assign = std::get_if<AssignExpr>(&expr.node)) {
      if (assign->is_compound) ++load.num_others;
    } else if (const auto* call = std::get_if<CallExpr>(&expr.node)) {
      const MathFunction* function = find_math_function(call->callee);
      const std::string_view name = function == nullptr ? std::string_view() : function->name;
      if (name == "sqrt") {
        ++load.num_roots;
      } else {
        load.num_others +=
            name == "min" || name == "max" || name == "fabs" || name == "abs" ? 1 : kInstructionsOfFunction;
      }
    } else if (std::holds_alternative<UnaryExpr>(expr.node) || std::holds_alternative<CastExpr>(expr.node) ||
               std::holds_alternative<ConditionalExpr>(expr.node)) {
      ++load.num_others;
    }
  }

  const Body& body_;
  const BodyTypes& types_;
  const std::vector<bool>& is_varying_;
  Load innermost_;
};

/// Whether the text of the expression is a number, a power of two, such as 4, 2.0f or 0.25.
bool is_power_of_two(const Body& body, ExprId id) {
  double value = 0;
  if (const auto* real = std::get_if<FloatExpr>(&body.exprs[id].node)) {
    value = std::strtod(real->text.c_str(), nullptr);
  } else if (const auto whole = constant_value(body, id)) {
    value = static_cast<double>(*whole);
  }
  int exponent = 0;
  return std::fabs(std::frexp(value, &exponent)) == 0.5;
}

}  // namespace

bool is_division(const Body& body, const BodyTypes& types, ExprId id) {
  const auto* binary = std::get_if<BinaryExpr>(&body.exprs[id].node);
  return binary != nullptr && binary->op == BinaryOp::Div && is_floating(types.types[id.index()]) &&
         !is_power_of_two(body, binary->rhs);
}

bool has_bounding_quotients(const Body& body, const BodyTypes& types, StmtId root,
                            const std::vector<bool>& is_varying) {
  const Load load = LoadCounter(body, types, is_varying).run(root);
  return load.num_others < kOthersPerQuotient * load.num_quotients + kOthersPerRoot * load.num_roots;
}

}  // namespace pb
