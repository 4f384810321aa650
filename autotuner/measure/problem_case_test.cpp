// SPDX-License-Identifier: MIT
// How a command line lists cases.
#include "autotuner/measure/problem_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbtune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct ProblemCaseTest : ::testing::Test {
  std::vector<ProblemCase> cases{1};
  CaseReader reader{cases};
};

TEST_F(ProblemCaseTest, ALoneCaseHasAllSizesAndNoNeedOfAName) {
  EXPECT_THAT(case_names(cases), ElementsAre(""));
  reader.add_size("K", 3);
  reader.add_size("depth", 7);
  EXPECT_THAT(case_names(cases), ElementsAre("K = 3, depth = 7"));
}

TEST_F(ProblemCaseTest, ASizeGivenAgainBeginsACopyOfTheCase) {
  reader.add_size("depth", 7);
  reader.add_size("K", 3);
  reader.add_size("K", 11);
  reader.add_size("K", 5);
  reader.add_size("depth", 8);
  EXPECT_THAT(case_names(cases), ElementsAre("depth = 7, K = 3", "depth = 7, K = 11", "depth = 8, K = 5"));
  EXPECT_EQ(fault_of_cases(cases, true), "");
}

TEST_F(ProblemCaseTest, InputsAreACaseOfTheirOwnWithTheSizesBehindThem) {
  reader.add_size("K", 11);
  reader.add_inputs({"in/a.npy", "in/k.npy"});
  reader.add_size("m", 2);
  reader.add_size("m", 4);
  EXPECT_THAT(case_names(cases), ElementsAre("K = 11", "a.npy k.npy, m = 2", "a.npy k.npy, m = 4"));
  EXPECT_EQ(fault_of_cases(cases, true), "");
  EXPECT_THAT(fault_of_cases(cases, false), HasSubstr("(--n N): the inputs of the case `K = 11` are generated"));
}

TEST_F(ProblemCaseTest, FilesOfTheSameNameAreToldApartByTheirFolders) {
  reader.add_inputs({"one/a.npy"});
  reader.add_inputs({"two/a.npy"});
  EXPECT_THAT(case_names(cases), ElementsAre("one/a.npy", "two/a.npy"));
  EXPECT_EQ(fault_of_cases(cases, false), "");
}

TEST_F(ProblemCaseTest, FaultsNameTheCases) {
  EXPECT_EQ(fault_of_cases(cases, false), "expected the size to tune for (--n N), or --inputs FILES");
  reader.add_size("K", 3);
  reader.add_size("K", 3);
  EXPECT_EQ(fault_of_cases(cases, true), "the case `K = 3` is given twice");
  reader.add_size("depth", 7);
  EXPECT_EQ(fault_of_cases(cases, true),
            "the case `K = 3` fixes other sizes than the case `K = 3, depth = 7`; what all cases have in common stands "
            "before them");
}

}  // namespace
}  // namespace pbtune
