// SPDX-License-Identifier: MIT
#include "clgen/lower/tree/condition_text.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

TEST(ConditionText, SaysWhatMustHold) {
  Transform transform;
  Matrix matrix;
  matrix.name = "In";
  const MatrixId in = transform.matrices.add(matrix);
  matrix.name = "Out";
  const MatrixId out = transform.matrices.add(matrix);
  const auto text = [&](const Condition& condition) { return to_text(transform, condition); };
  EXPECT_EQ(text(Condition::never()), "never");
  EXPECT_EQ(text(are_apart(out, in)), "apart(Out, In)");
  EXPECT_EQ(text(Condition::not_(has_unit_stride(in))), "not unit_stride(In)");
  EXPECT_EQ(text(device_is_cpu()), "device is a CPU");
  const Condition choice = Condition::any_of({Condition::chosen(SiteId(3), 1), is_root_call()});
  const Condition rest = Condition::at_least_zero(index_sub(index_symbol("n"), index_const(3)));
  EXPECT_EQ(text(Condition::all_of({Condition::named("pb_needed_0"), choice, rest})),
            "pb_needed_0 and (choice 3 is 1 or call is the run) and n-3 >= 0");
  EXPECT_EQ(text(Condition::not_(choice)), "not (choice 3 is 1 or call is the run)");
}

TEST(ConditionText, IsLeftOutWhereTheConditionAlwaysHolds) {
  EXPECT_EQ(where_text({}, Condition::always()), "");
  EXPECT_EQ(where_text({}, Condition::named("a")), " where a");
}

}  // namespace
}  // namespace pb
