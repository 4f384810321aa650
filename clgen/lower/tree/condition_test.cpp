// SPDX-License-Identifier: MIT
#include "clgen/lower/tree/condition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "clgen/lower/tree/condition_text.h"

namespace pb {
namespace {

const Condition kA = Condition::named("a");
const Condition kB = Condition::named("b");
const Condition kC = Condition::named("c");

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
  EXPECT_EQ(Condition::not_(small), Condition::relation(index_symbol("n"), RelationOp::GreaterEqual, index_const(7)));
  EXPECT_TRUE(Condition::any_of({small, Condition::not_(small)}).is_always());
}

TEST(Condition, ComparesFactsWithTheirMatrices) {
  const MatrixId in(0);
  const MatrixId out(1);
  EXPECT_EQ(are_apart(out, in), are_apart(out, in));
  EXPECT_NE(are_apart(out, in), are_apart(out, out));
  EXPECT_NE(has_unit_stride(in), has_unit_stride(out));
  EXPECT_NE(has_unit_stride(in), are_apart(in, in));
  EXPECT_EQ(Condition::all_of({has_unit_stride(in), has_unit_stride(in)}), has_unit_stride(in));
  EXPECT_TRUE(Condition::any_of({is_root_call(), Condition::not_(is_root_call())}).is_always());
}

/// Returns the value of a condition over names and a small size, by the definition of its kinds.
bool value_of(const Condition& condition, const std::map<std::string, bool>& named, std::int64_t n) {
  using Kind = Condition::Kind;
  const auto holds_of = [&](const Condition& term) { return value_of(term, named, n); };
  switch (condition.kind()) {
    case Kind::Always:
      return true;
    case Kind::Never:
      return false;
    case Kind::Named:
      return named.at(condition.name());
    case Kind::Chosen:
      return condition.choice() == 1;
    case Kind::IsRoot:
    case Kind::DeviceIsCpu:
    case Kind::HasLanes:
    case Kind::KeepsCells:
    case Kind::InBlocks:
    case Kind::CopiesAhead:
    case Kind::OnMatrixUnits:
    case Kind::Apart:
    case Kind::UnitStride:
      return condition.kind() == Kind::Apart;
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
std::pair<Condition, bool> random_condition(std::mt19937& rng, int depth, const std::map<std::string, bool>& named,
                                            std::int64_t n) {
  const auto draw = [&](int bound) { return static_cast<int>(rng() % static_cast<unsigned>(bound)); };
  const int form = draw(depth == 0 ? 5 : 8);
  if (form == 0) return {Condition::always(), true};
  if (form == 1) return {Condition::never(), false};
  if (form == 2) {
    const auto drawn = std::next(named.begin(), draw(static_cast<int>(named.size())));
    return {Condition::named(drawn->first), drawn->second};
  }
  if (form == 3) {
    const std::int64_t limit = draw(5);
    return {Condition::at_least_zero(index_sub(index_symbol("n"), index_const(limit))), n >= limit};
  }
  if (form == 4) {
    const bool is_apart = draw(2) == 1;
    return {is_apart ? are_apart(MatrixId(0), MatrixId(1)) : is_root_call(), is_apart};
  }
  if (form == 5) {
    auto [term, value] = random_condition(rng, depth - 1, named, n);
    return {Condition::not_(std::move(term)), !value};
  }
  std::vector<Condition> terms;
  bool all = true;
  bool any = false;
  for (int i = draw(4); i > 0; --i) {
    auto [term, value] = random_condition(rng, depth - 1, named, n);
    terms.push_back(std::move(term));
    all = all && value;
    any = any || value;
  }
  return form == 6 ? std::pair(Condition::all_of(std::move(terms)), all)
                   : std::pair(Condition::any_of(std::move(terms)), any);
}

TEST(Condition, MeansTheSameAfterItIsSimplified) {
  std::mt19937 rng(7);
  for (int i = 0; i < 20000; ++i) {
    const std::map<std::string, bool> named{{"a", rng() % 2 == 0}, {"b", rng() % 2 == 0}, {"c", rng() % 2 == 0}};
    const std::int64_t n = rng() % 5;
    const auto [condition, value] = random_condition(rng, 4, named, n);
    ASSERT_EQ(value_of(condition, named, n), value) << to_text({}, condition) << ", n = " << n;
  }
}

}  // namespace
}  // namespace pb
