// SPDX-License-Identifier: MIT
// Searches at sizes at which the default takes more time than there is, with and without a device that does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "autotuner/search/search.h"
#include "autotuner/testing/synthetic_world.h"
#include "runtime/config/errors.h"

namespace pbtune {
namespace {

constexpr std::int64_t kTarget = 1760;

class LargeSizes : public ::testing::Test {
 protected:
  pbrt::TrainingInfo info = testing::synthetic_program();
  InfoIndex index{info};
  Space space{index, {true, 2, 0, kTarget}};

  static SearchOptions options() {
    SearchOptions out;
    out.sizes = growing_sizes(kTarget, 4);
    return out;
  }
};

/// A world in which the CPU takes far too long at large sizes, and a device does not. The default makes the reference
/// as long as it is fast enough for a budget of 20 s; inputs of the target take `inputs_s`.
class LargeWorld {
 public:
  LargeWorld(const Space& space, const InfoIndex& index) : space_(space), world(index, 1) {
    world.noise = 0.01;
    world.has_limits = world.is_killed = true;
    world.true_time = [this](const Configuration& c) { return time_ns(c); };
    world.prepare = [this](const PrepareSpec& spec) { return prepare(spec); };
    events.on_note = [this](const std::string& text) { notes += text + "\n"; };
  }

  [[nodiscard]] double time_ns(const Configuration& c) const {
    const double n = static_cast<double>(world.n()) / kTarget;
    const double cpu_ns = (c == space_.default_configuration() ? 1 : 0.8) * cpu_s * 1e9 * std::pow(n, 3);
    return space_.uses_device(c) ? device_s * 1e9 * n * n + 1e5 : cpu_ns + 1e3;
  }
  SearchResult search(SearchOptions options) {
    options.budget_s = 20;
    return Search(space_, std::move(options), world.evaluator(), events).run();
  }

  double cpu_s = 100, device_s = 0.05, inputs_s = 0.1;  ///< at the target
  double patience_s = 6;                                ///< for a reference
  std::string notes;
  std::vector<PrepareSpec> wanted;       ///< of the target
  std::vector<std::int64_t> sizes;       ///< in the order in which their inputs were made
  std::optional<Configuration> trusted;  ///< that made the reference of the target
  SearchEvents events;

 private:
  Prepared prepare(const PrepareSpec& spec) {
    sizes.push_back(spec.n);
    if (spec.n == kTarget) wanted.push_back(spec);
    world.elapsed_s += spec.n == kTarget ? inputs_s : 0.01;
    const double default_s = 2e-9 * time_ns(space_.default_configuration());
    const double limit_s = std::min({spec.default_patience_s, spec.patience_s, patience_s});
    world.elapsed_s += std::min(default_s, limit_s);
    if (default_s <= limit_s) return {PrepareStatus::Ready, 0.5e9 * default_s, ""};
    if (spec.trusted == nullptr) return {PrepareStatus::TooSlow, 0, "the reference run takes longer than 6 s"};
    const double trusted_s = 2e-9 * time_ns(*spec.trusted);
    world.elapsed_s += std::min(trusted_s, patience_s);
    if (trusted_s > patience_s) return {PrepareStatus::TooSlow, 0, "the reference run takes longer than 6 s"};
    if (spec.n == kTarget) trusted = *spec.trusted;
    return {PrepareStatus::Ready, 0.5e9 * trusted_s, "", ReferenceMaker::Trusted};
  }

  const Space& space_;

 public:
  testing::SyntheticWorld world;
};

TEST_F(LargeSizes, ADeviceThatIsFarAheadAtALargeSizeIsFoundAndSaysWhatItWasVerifiedAgainst) {
  for (const double inputs_s : {0.1, 4.0}) {
    LargeWorld large(space, index);
    large.inputs_s = inputs_s;
    const SearchResult result = large.search(options());
    EXPECT_EQ(result.n, kTarget) << inputs_s;
    EXPECT_TRUE(result.is_complete);
    EXPECT_TRUE(space.uses_device(result.best));
    EXPECT_LT(large.world.elapsed_s, 1.1 * 20) << inputs_s;
    EXPECT_EQ(result.verification.maker, ReferenceMaker::Trusted);
    EXPECT_EQ(result.verification.agreed_n, 110) << "the first size, at which the default makes the reference";
    ASSERT_TRUE(large.trusted);
    EXPECT_TRUE(space.uses_device(*large.trusted));
    EXPECT_EQ(large.sizes[1], kTarget) << "the target is looked at before small sizes take any time";
    EXPECT_EQ(large.wanted.size(), inputs_s < 1 ? 2U : 1U) << "where inputs are dear they are made once";
    EXPECT_NE(large.notes.find("the default takes too long to be the reference"), std::string::npos);
    EXPECT_EQ(result.default_ns, 0) << "it did not end in time";
  }
}

TEST_F(LargeSizes, ADefaultThatIsFastEnoughMakesTheReferenceAndIsMeasured) {
  LargeWorld large(space, index);
  large.cpu_s = 0.4;
  const SearchResult result = large.search(options());
  EXPECT_TRUE(space.uses_device(result.best));
  EXPECT_EQ(result.verification.maker, ReferenceMaker::Default);
  EXPECT_NEAR(result.default_ns, 0.4e9, 0.04e9);
  EXPECT_TRUE(result.is_confirmed);
  EXPECT_EQ(large.notes.find("reference"), std::string::npos);
}

TEST_F(LargeSizes, ADeviceThatIsFarBehindAtSmallSizesGetsNoFirstLook) {
  LargeWorld large(space, index);
  large.cpu_s = 0.4;
  large.device_s = 30;
  const SearchResult result = large.search(options());
  EXPECT_FALSE(space.uses_device(result.best));
  EXPECT_EQ(std::count(large.sizes.begin(), large.sizes.end(), kTarget), 1);
  EXPECT_EQ(large.sizes.back(), kTarget);
}

TEST_F(LargeSizes, WhereAllReferencesAreTooSlowTheResultOfTheSizeBeforeIsKept) {
  LargeWorld large(space, index);
  large.cpu_s = 40;
  large.device_s = 1000;
  const SearchResult result = large.search(options());
  EXPECT_EQ(result.n, 440);
  EXPECT_FALSE(result.is_complete);
  EXPECT_NE(result.best, space.default_configuration());
  EXPECT_EQ(large.sizes.back(), 440) << "the last comparison is made on inputs of its size";
  EXPECT_NE(large.notes.find("size 1760"), std::string::npos) << large.notes;
  EXPECT_LT(large.world.elapsed_s, 1.2 * 20);
}

TEST_F(LargeSizes, WithoutAnyReferenceTheErrorSaysWhatToDo) {
  LargeWorld large(space, index);
  SearchOptions last = options();
  last.sizes = {kTarget};
  try {
    (void)large.search(last);
    FAIL() << "there is no reference";
  } catch (const pbrt::UserError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("size 1760: the reference run takes longer than 6 s"), std::string::npos) << words;
    EXPECT_NE(words.find("hint: give it more time (--time-limit)"), std::string::npos) << words;
  }
}

TEST_F(LargeSizes, WhereTheDefaultDisagreesWithWhatStandsInForItTheDefaultCounts) {
  LargeWorld large(space, index);
  large.cpu_s = 1.5;
  large.device_s = 0.3;
  int num_renewals = 0;
  large.world.renew = [&](const Configuration& reference) {
    ++num_renewals;
    EXPECT_EQ(reference, space.default_configuration()) << "not with what disagrees";
    return Prepared{PrepareStatus::Ready, 1.5e9, ""};
  };
  // At the target, the device computes something else.
  large.world.is_wrong = [&](const Configuration& c) {
    if (large.world.n() != kTarget) return false;
    return num_renewals > 0 ? space.uses_device(c) : !space.uses_device(c);
  };
  const SearchResult result = large.search(options());
  EXPECT_GE(num_renewals, 1);
  EXPECT_FALSE(space.uses_device(result.best));
  EXPECT_GT(result.default_ns, 0);
  EXPECT_NE(large.notes.find("what the default computes counts"), std::string::npos) << large.notes;
}

}  // namespace
}  // namespace pbtune
