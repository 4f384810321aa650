// SPDX-License-Identifier: MIT
// What a server keeps between requests.
#include "runtime/main/serve/served_problem.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/main/testing/copy_program.h"
#include "runtime/matrix/storage.h"

namespace pbrt {
namespace {

class ServedProblemTest : public ::testing::Test {
 protected:
  void TearDown() override { Storage::ask_for_large_pages(false); }
  static protocol::Request of_size(std::int64_t n, std::uint64_t seed = 1) {
    protocol::Request out;
    out.n = n;
    out.seed = seed;
    return out;
  }
  [[nodiscard]] RunWishes wishes() {
    RunWishes wishes;
    wishes.config = &program_.engine().default_config();
    return wishes;
  }
  [[nodiscard]] double& first_input() { return served_.problem().inputs[0].as<double, 1>().cell(0); }
  [[nodiscard]] double& first_output() { return served_.problem().outputs[0].as<double, 1>().cell(0); }

  test::CopyProgram program_;
  ServedProblem served_{program_.engine(), program_.transform(), {}};
};

TEST_F(ServedProblemTest, BeginsWithoutInputs) {
  EXPECT_THROW((void)served_.problem(), UserError);
  EXPECT_THROW(served_.use_large_pages(true), UserError);
}

TEST_F(ServedProblemTest, TheSeedDecidesTheInputs) {
  served_.make(of_size(100, 7));
  EXPECT_EQ(served_.problem().largest_size(), 100);
  EXPECT_EQ(served_.seed(), 7U);
  const double before = first_input();
  served_.make(of_size(100, 8));
  EXPECT_NE(first_input(), before);
  served_.make(of_size(100, 7));
  EXPECT_EQ(first_input(), before);
}

TEST_F(ServedProblemTest, NewInputsLieInOtherMemory) {
  served_.make(of_size(1000, 1));
  const double* const before = &first_input();
  served_.make(of_size(1000, 2));
  EXPECT_NE(&first_input(), before);
}

TEST_F(ServedProblemTest, EachRunBeginsWithTheSameContents) {
  served_.make(of_size(10));
  const double output = first_output();
  first_output() = output + 1;
  served_.restore(wishes());
  EXPECT_EQ(first_output(), output);
}

TEST_F(ServedProblemTest, ARequestThatFailsLeavesNoInputsOfAnother) {
  served_.make(of_size(10));
  protocol::Request request = of_size(10);
  request.sizes = {{"n", -1}};
  EXPECT_THROW(served_.make(request), UserError);
  EXPECT_THROW((void)served_.problem(), UserError);
}

TEST_F(ServedProblemTest, EachInputHasAFile) {
  protocol::Request request;
  request.files = {"a.txt", "b.txt"};
  try {
    served_.make(request);
    FAIL() << "there is one input";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "expected 1 input files, found 2");
  }
}

TEST_F(ServedProblemTest, SmallMatricesStayWhereTheyAreOnAllPages) {
  served_.make(of_size(1000));
  const double* const input = &first_input();
  const double* const output = &first_output();
  for (const bool is_wanted : {true, false, true}) {
    served_.use_large_pages(is_wanted);
    EXPECT_EQ(&first_input(), input);
    EXPECT_EQ(&first_output(), output);
    EXPECT_FALSE(served_.take_new_pages());
  }
  EXPECT_FALSE(served_.has_large_matrices());
}

TEST_F(ServedProblemTest, MatricesOnOtherPagesAreKept) {
  served_.make(of_size(1 << 18));
  EXPECT_TRUE(served_.has_large_matrices());
  const double* small = &first_input();
  served_.use_large_pages(false);
  EXPECT_FALSE(served_.take_new_pages()) << "they are on such pages already";
  served_.use_large_pages(true);
  EXPECT_NE(&first_input(), small);
  EXPECT_TRUE(served_.take_new_pages());
  EXPECT_FALSE(served_.take_new_pages()) << "used by now";
  served_.use_large_pages(false);
  EXPECT_EQ(&first_input(), small);
  EXPECT_FALSE(served_.take_new_pages()) << "those of before";
}

TEST_F(ServedProblemTest, MatricesHaveTheirContentsOnAllPages) {
  served_.make(of_size(1 << 18));
  const AnyMatrix input = served_.problem().inputs[0].clone(), output = served_.problem().outputs[0].clone();
  for (const bool is_wanted : {true, false, true}) {
    served_.use_large_pages(is_wanted);
    EXPECT_EQ(std::memcmp(&first_input(), input.data(), static_cast<std::size_t>(input.bytes())), 0) << is_wanted;
    served_.restore(wishes());
    EXPECT_EQ(std::memcmp(&first_output(), output.data(), static_cast<std::size_t>(output.bytes())), 0) << is_wanted;
  }
}

TEST_F(ServedProblemTest, InputsWithoutRoomForASecondCopyStayWhereTheyAre) {
  constexpr double kBytes = 8 << 18;
  for (const bool has_room : {false, true}) {
    // There is the input, the output and the copy of the output.
    ServedProblem served(program_.engine(), program_.transform(), {}, true, (has_room ? 4 : 3.5) * kBytes);
    served.make(of_size(1 << 18));
    const Problem before = served.problem();
    served.use_large_pages(true);
    EXPECT_EQ(served.problem().inputs[0].data() != before.inputs[0].data(), has_room);
    EXPECT_NE(served.problem().outputs[0].data(), before.outputs[0].data());
    Storage::ask_for_large_pages(false);
  }
}

TEST_F(ServedProblemTest, InputsWithoutContentsMoveWithoutBeingUsed) {
  ServedProblem served(program_.engine(), program_.transform(), {}, false);
  served.make(of_size(700001));
  if (!is_unused(served.problem().inputs[0])) GTEST_SKIP() << "the system does not tell";
  const Problem before = served.problem();
  served.use_large_pages(true);
  EXPECT_NE(served.problem().inputs[0].data(), before.inputs[0].data());
  EXPECT_TRUE(is_unused(before.inputs[0]));
  EXPECT_TRUE(is_unused(served.problem().inputs[0]));
}

}  // namespace
}  // namespace pbrt
