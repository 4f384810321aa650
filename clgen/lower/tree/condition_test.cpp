// SPDX-License-Identifier: MIT
#include "clgen/lower/tree/condition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace pb {
namespace {

const Condition kA = Condition::flag("a");
const Condition kB = Condition::flag("b");
const Condition kC = Condition::flag("c");

TEST(Condition, IsSimplifiedWhenItIsMade) {
  EXPECT_TRUE(Condition::all_of({}).is_always());
  EXPECT_TRUE(Condition::any_of({}).is_never());
  EXPECT_EQ(Condition::all_of({Condition::always(), kA, kA}), kA);
  EXPECT_TRUE(Condition::all_of({kA, Condition::never()}).is_never());
  EXPECT_TRUE(Condition::any_of({kA, Condition::always()}).is_always());
  EXPECT_TRUE(Condition::all_of({kA, Condition::not_(kA)}).is_never());
  EXPECT_TRUE(Condition::any_of({Condition::not_(kA), kB, kA}).is_always());
  EXPECT_EQ(Condition::not_(Condition::not_(kA)), kA);
  EXPECT_EQ(Condition::any_of({kA, Condition::any_of({kB, kA})}), Condition::any_of({kA, kB}));
}

TEST(Condition, DecidesRelationsOfConstants) {
  EXPECT_TRUE(Condition::at_least_zero(index_const(0)).is_always());
  EXPECT_TRUE(Condition::at_least_zero(index_const(-1)).is_never());
  EXPECT_TRUE(Condition::non_empty({index_const(2), index_const(2)}).is_never());
  EXPECT_TRUE(Condition::relation(index_const(1), RelationOp::NotEqual, index_const(2)).is_always());
  const Condition small = Condition::relation(index_symbol("n"), RelationOp::Less, index_const(7));
  EXPECT_EQ(to_cpp(Condition::not_(small)), "n >= 7");
  EXPECT_TRUE(Condition::any_of({small, Condition::not_(small)}).is_always());
}

TEST(Condition, PrintsParenthesesWhereOperatorsMeet) {
  const Condition choice = Condition::any_of({Condition::chosen(SiteId(3), 1), Condition::chosen(SiteId(3), 2)});
  const IndexExpr rest = index_sub(index_symbol("n"), index_const(3));
  EXPECT_EQ(to_cpp(Condition::all_of({kA, choice, Condition::at_least_zero(rest)})),
            "a && (pb_choice_3 == 1 || pb_choice_3 == 2) && (n-3) >= 0");
  EXPECT_EQ(to_cpp(Condition::any_of({Condition::all_of({kA, kB}), kC})), "(a && b) || c");
  EXPECT_EQ(to_cpp(Condition::not_(choice)), "!(pb_choice_3 == 1 || pb_choice_3 == 2)");
  EXPECT_EQ(to_cpp(Condition::not_(kA)), "!a");
  EXPECT_EQ(to_operand(choice), "(pb_choice_3 == 1 || pb_choice_3 == 2)");
  const auto as_long = [](const IndexExpr& expr) { return "(long)(" + to_string(expr) + ")"; };
  EXPECT_EQ(to_cpp(Condition::at_least_zero(rest), as_long), "((long)(n-3)) >= (long)(0)");
}

TEST(Condition, GuardsStatementsOnlyWhereItMayFail) {
  EXPECT_EQ(if_text(Condition::always()), "");
  EXPECT_EQ(guarded_text(Condition::always(), "f();"), "f();");
  EXPECT_EQ(guarded_text(kA, "f();"), "if (a) f();");
  EXPECT_EQ(selected_text(Condition::never(), "1", "2"), "2");
  EXPECT_EQ(selected_text(Condition::all_of({kA, kB}), "1", "2"), "(a && b) ? 1 : 2");
}

/// Returns the value of a condition over flags and a small size, by the definition of its kinds.
bool value_of(const Condition& condition, const std::map<std::string, bool>& flags, std::int64_t n) {
  using Kind = Condition::Kind;
  const auto holds_of = [&](const Condition& term) { return value_of(term, flags, n); };
  switch (condition.kind()) {
    case Kind::Always:
      return true;
    case Kind::Never:
      return false;
    case Kind::Flag:
      return flags.at(condition.name());
    case Kind::Chosen:
      return condition.choice() == 1;
    case Kind::Relation: {
      const auto difference = evaluate(index_sub(condition.lhs(), condition.rhs()), {{"n", n}});
      return condition.op() == RelationOp::Less ? *difference < 0 : *difference >= 0;
    }
    case Kind::Not:
      return !holds_of(condition.terms().front());
    case Kind::All:
      return std::all_of(condition.terms().begin(), condition.terms().end(), holds_of);
    case Kind::Any:
      return std::any_of(condition.terms().begin(), condition.terms().end(), holds_of);
  }
  return false;
}

/// Returns a random condition, and the value that it has by the way in which it was made.
std::pair<Condition, bool> random_condition(std::mt19937& rng, int depth, const std::map<std::string, bool>& flags,
                                            std::int64_t n) {
  const auto draw = [&](int bound) { return static_cast<int>(rng() % static_cast<unsigned>(bound)); };
  const int form = draw(depth == 0 ? 4 : 7);
  if (form == 0) return {Condition::always(), true};
  if (form == 1) return {Condition::never(), false};
  if (form == 2) {
    const auto flag = std::next(flags.begin(), draw(static_cast<int>(flags.size())));
    return {Condition::flag(flag->first), flag->second};
  }
  if (form == 3) {
    const std::int64_t limit = draw(5);
    return {Condition::at_least_zero(index_sub(index_symbol("n"), index_const(limit))), n >= limit};
  }
  if (form == 4) {
    auto [term, value] = random_condition(rng, depth - 1, flags, n);
    return {Condition::not_(std::move(term)), !value};
  }
  std::vector<Condition> terms;
  bool all = true;
  bool any = false;
  for (int i = draw(4); i > 0; --i) {
    auto [term, value] = random_condition(rng, depth - 1, flags, n);
    terms.push_back(std::move(term));
    all = all && value;
    any = any || value;
  }
  return form == 5 ? std::pair(Condition::all_of(std::move(terms)), all)
                   : std::pair(Condition::any_of(std::move(terms)), any);
}

TEST(Condition, MeansTheSameAfterItIsSimplified) {
  std::mt19937 rng(7);
  for (int i = 0; i < 20000; ++i) {
    const std::map<std::string, bool> flags{{"a", rng() % 2 == 0}, {"b", rng() % 2 == 0}, {"c", rng() % 2 == 0}};
    const std::int64_t n = rng() % 5;
    const auto [condition, value] = random_condition(rng, 4, flags, n);
    ASSERT_EQ(value_of(condition, flags, n), value) << to_cpp(condition) << ", n = " << n;
  }
}

}  // namespace
}  // namespace pb
