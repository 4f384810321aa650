// SPDX-License-Identifier: MIT
// Distributions of the mutators. Each test prints its seed; PB_TEST_SEED sets another one.
#include "autotuner/space/mutators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "autotuner/testing/synthetic.h"
#include "runtime/config/random_configuration.h"

namespace pbtune {
namespace {

constexpr int kDraws = 20000;

class MutatorsTest : public ::testing::Test {
 protected:
  void SetUp() override { std::cout << "seed " << seed << "\n"; }

  static std::uint64_t read_seed() {
    const char* text = std::getenv("PB_TEST_SEED");
    return text == nullptr ? 20130316 : std::strtoull(text, nullptr, 10);
  }
  /// The distance from its expectation that the count of a fair event keeps, except once in 10^6 times.
  static double tolerance(double probability) { return 5 * std::sqrt(kDraws * probability * (1 - probability)); }

  std::uint64_t seed = read_seed();
  pbrt::Rng rng{seed};
  pbrt::TrainingInfo info = testing::synthetic_program();
  InfoIndex index{info};
  Space space{index, {true, 8, 0, 4096}};

  void expect_valid(const Selector& selector) {
    ASSERT_GE(selector.levels.size(), 1U);
    ASSERT_LE(selector.levels.size(), 12U);
    ASSERT_EQ(selector.levels[0].from, 0);
    for (std::size_t i = 1; i < selector.levels.size(); ++i)
      ASSERT_LT(selector.levels[i - 1].from, selector.levels[i].from);
  }
};

TEST_F(MutatorsTest, HalvingIsAsLikelyAsDoubling) {
  int halved = 0, doubled = 0, smaller = 0, larger = 0, small_change = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = scaled_log_normal(1 << 20, 1, 0x1.0p40, rng);
    halved += value <= (1 << 19) ? 1 : 0;
    doubled += value >= (1 << 21) ? 1 : 0;
    smaller += value < (1 << 20) ? 1 : 0;
    larger += value > (1 << 20) ? 1 : 0;
    small_change += value > (1 << 19) && value < (1 << 21) ? 1 : 0;
  }
  constexpr double kOneSigma = 0.1587;
  EXPECT_NEAR(halved, kDraws * kOneSigma, tolerance(kOneSigma));
  EXPECT_NEAR(doubled, kDraws * kOneSigma, tolerance(kOneSigma));
  EXPECT_NEAR(smaller, larger, 2 * tolerance(0.5));
  EXPECT_GT(small_change, halved + doubled);
}

TEST_F(MutatorsTest, ScaledValuesStayInRangeAndChange) {
  for (const double start : {0.0, 1.0, 2.0, 3.0, 63.0, 64.0}) {
    for (int i = 0; i < 1000; ++i) {
      const double value = scaled_log_normal(start, 0, 64, rng);
      ASSERT_GE(value, 0);
      ASSERT_LE(value, 64);
      ASSERT_NE(value, start);
      ASSERT_EQ(value, std::floor(value));
    }
  }
  EXPECT_EQ(scaled_log_normal(5, 5, 5, rng), 5);
}

TEST_F(MutatorsTest, ChoicesAreUniform) {
  const std::vector<int> choices{0, 1, 2, 3, 4};
  std::map<int, int> changed, added, ranged;
  for (int i = 0; i < kDraws; ++i) {
    Selector one{{{0, 2}}}, two = one, three = one;
    ASSERT_TRUE(change_level(one, choices, rng));
    ++changed[one.levels[0].alternative];
    ASSERT_TRUE(add_level(two, choices, 1000, rng));
    ++added[two.levels[1].alternative];
    ASSERT_TRUE(change_range(three, choices, 1000, rng));
    ++ranged[three.levels.back().alternative];
  }
  for (auto* counts : {&changed, &added, &ranged}) {
    EXPECT_EQ(counts->count(2), 0U);
    for (const int choice : {0, 1, 3, 4}) EXPECT_NEAR((*counts)[choice], kDraws / 4.0, tolerance(0.25)) << choice;
  }
}

TEST_F(MutatorsTest, TheChangedLevelIsUniform) {
  std::map<std::int64_t, int> changed, removed;
  const Selector start{{{0, 0}, {10, 1}, {100, 0}, {1000, 1}}};
  for (int i = 0; i < kDraws; ++i) {
    Selector one = start, two = start;
    ASSERT_TRUE(change_level(one, {0, 1, 2}, rng));
    for (std::size_t level = 0; level < 4; ++level)
      if (one.levels[level] != start.levels[level]) ++changed[start.levels[level].from];
    ASSERT_TRUE(remove_level(two, rng));
    ASSERT_EQ(two.levels.size(), 3U);
    for (const pbrt::Level& level : start.levels) {
      const auto is_it = [&](const pbrt::Level& other) { return other.from == level.from && level.from > 0; };
      if (level.from > 0 && std::none_of(two.levels.begin(), two.levels.end(), is_it)) ++removed[level.from];
    }
  }
  for (const pbrt::Level& level : start.levels) EXPECT_NEAR(changed[level.from], kDraws / 4.0, tolerance(0.25));
  // Removing the first level makes the second the first, so both cases remove the cut-off 10.
  EXPECT_NEAR(removed[10], kDraws / 2.0, tolerance(0.5));
  EXPECT_NEAR(removed[100], kDraws / 4.0, tolerance(0.25));
  EXPECT_NEAR(removed[1000], kDraws / 4.0, tolerance(0.25));
}

TEST_F(MutatorsTest, CutOffsMoveBothWaysAndStayBetweenTheirNeighbours) {
  int lower = 0, higher = 0;
  for (int i = 0; i < kDraws; ++i) {
    Selector selector{{{0, 0}, {1 << 20, 1}}};
    ASSERT_TRUE(move_cut_off(selector, rng));
    lower += selector.levels[1].from <= (1 << 19) ? 1 : 0;
    higher += selector.levels[1].from >= (1 << 21) ? 1 : 0;
    Selector tight{{{0, 0}, {10, 1}, {12, 0}, {13, 1}}};
    (void)move_cut_off(tight, rng);
    expect_valid(tight);
  }
  EXPECT_NEAR(lower, higher, 2 * tolerance(0.16));
}

TEST_F(MutatorsTest, LevelsStayOrderedAndAtMostTwelve) {
  Selector selector;
  std::size_t most = 0;
  const std::vector<int> choices{0, 1, 2};
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t n = rng.uniform_int(0, 1 << 16);
    switch (rng.uniform_int(0, 6)) {
      case 0:
        (void)remove_level(selector, rng);
        break;
      case 1:
        (void)change_level(selector, choices, rng);
        break;
      case 2:
        (void)move_cut_off(selector, rng);
        break;
      case 3:
        if (rng.chance(0.1)) (void)change_range(selector, choices, n, rng);
        break;
      case 4:
        (void)split_level(selector, choices, n, rng);
        break;
      default:
        (void)add_level(selector, choices, n, rng);
        break;
    }
    expect_valid(selector);
    most = std::max(most, selector.levels.size());
  }
  EXPECT_EQ(most, 12U);
}

TEST_F(MutatorsTest, AddedLevelsUsuallyCoverTheSizeAtHand) {
  int covers = 0;
  for (int i = 0; i < kDraws; ++i) {
    Selector selector;
    ASSERT_TRUE(add_level(selector, {0, 1}, 1000, rng));
    covers += selector.select(1000) == 1 ? 1 : 0;
  }
  EXPECT_GT(covers, kDraws / 2);
  EXPECT_LT(covers, kDraws * 9 / 10);
}

TEST_F(MutatorsTest, ASplitReachesSmallSizesInOneStep) {
  int below = 0, above = 0, small = 0;
  for (int i = 0; i < kDraws; ++i) {
    Selector selector{{{0, 3}, {1 << 18, 4}}};
    ASSERT_TRUE(split_level(selector, {3, 4}, 1 << 17, rng));
    expect_valid(selector);
    ASSERT_EQ(selector.levels.size(), 3U);
    EXPECT_EQ(selector.select(1 << 20), 4);
    below += selector.levels[0].alternative == 4 ? 1 : 0;
    above += selector.levels[1].alternative == 4 ? 1 : 0;
    small += selector.levels[1].from < 512 ? 1 : 0;
  }
  EXPECT_EQ(below + above, kDraws);
  EXPECT_NEAR(below, kDraws / 2.0, tolerance(0.5));
  EXPECT_NEAR(small, kDraws / 2.0, tolerance(0.5));  // 2 to 512 is as much, in powers of two, as 512 to 131072
}

TEST_F(MutatorsTest, WorkGroupsStayPowersOfTwoWithinTheLimit) {
  const pbrt::TunableInfo& info_of_group = info.transforms[1].tunables[1];
  const TunableGene gene{0, &info_of_group, 1, 1024};
  std::vector<double> shape{16, 16};
  int wider = 0, narrower = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double before = shape[0];
    const std::vector<double> old = shape;
    const bool is_changed = change_shape(shape, gene, rng);
    ASSERT_EQ(is_changed, shape != old);
    ASSERT_LE(shape[0] * shape[1], 1024);
    for (const double extent : shape) ASSERT_EQ(std::exp2(std::round(std::log2(extent))), extent);
    wider += shape[0] > before ? 1 : 0;
    narrower += shape[0] < before ? 1 : 0;
  }
  EXPECT_NEAR(wider, narrower, 0.1 * (wider + narrower));
}

TEST_F(MutatorsTest, ShapesOfWorkItemsMayBeLeftToTheProgram) {
  pbrt::TunableInfo items = info.transforms[1].tunables[1];
  items.role = pbrt::TunableRole::Items;
  items.min = 0;
  items.max = pbrt::kMaxItemsOfWorkItem;
  const TunableGene gene{0, &items, 0, items.max};
  std::vector<double> shape{0, 0};
  int open = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<double> old = shape;
    const bool is_changed = change_shape(shape, gene, rng);
    ASSERT_EQ(is_changed, shape != old);
    ASSERT_LE(shape[0] * shape[1], pbrt::kMaxItemsOfWorkItem);
    ASSERT_EQ(shape[0] == 0, shape[1] == 0) << "all of a shape is left to the program, or nothing of it";
    open += shape[0] == 0 ? 1 : 0;
  }
  EXPECT_GT(open, kDraws / 100);
  EXPECT_LT(open, kDraws / 2);
}

TEST_F(MutatorsTest, FormsOfLoopsChangeByTwosOrToEachOther) {
  pbrt::TransformInfo& transform = info.transforms[0];
  transform.tunables = {{"R.cpu.strip", pbrt::TunableType::Int, 1, 1024, {32}, pbrt::TunableRole::Strip, false, 1, {}},
                        {"R.cpu.stores", pbrt::TunableType::Int, 0, 2, {1}, pbrt::TunableRole::Stores, false, 1, {}},
                        {"R.cpu.bands", pbrt::TunableType::Int, 0, 2, {1}, pbrt::TunableRole::Bands, false, 1, {}}};
  const InfoIndex own_index(info);
  const Space own(own_index, {true, 8, 0, 4096});
  const int strip = own_index.find_tunable(transform.name, "R.cpu.strip");
  std::map<int, std::set<double>> seen;
  Configuration configuration = own.default_configuration();
  for (const Mutator& mutator : make_mutators(own)) {
    if (mutator.tunable < strip || mutator.tunable > strip + 2) continue;
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(mutator.apply(configuration, rng, 4096)) << mutator.name;
      seen[mutator.tunable].insert(configuration.tunables[static_cast<std::size_t>(mutator.tunable)][0]);
    }
  }
  EXPECT_EQ(seen[strip], (std::set<double>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}));
  EXPECT_EQ(seen[strip + 1], (std::set<double>{0, 1, 2}));
  EXPECT_EQ(seen[strip + 2], (std::set<double>{0, 1, 2}));
}

TEST_F(MutatorsTest, EveryMutatorKeepsConfigurationsValid) {
  const std::vector<Mutator> mutators = make_mutators(space);
  Configuration configuration = space.default_configuration();
  std::map<std::string, int> applied;
  for (int i = 0; i < kDraws; ++i) {
    const Mutator& mutator =
        mutators[static_cast<std::size_t>(rng.uniform_int(0, static_cast<std::int64_t>(mutators.size()) - 1))];
    const Configuration before = configuration;
    const bool is_changed = mutator.apply(configuration, rng, rng.uniform_int(1, 4096));
    ASSERT_EQ(is_changed, configuration != before) << mutator.name;
    ASSERT_EQ(pbrt::find_fault(index, configuration), "") << mutator.name;
    applied[mutator.name] += is_changed ? 1 : 0;
  }
  for (const Mutator& mutator : mutators) EXPECT_GT(applied[mutator.name], 0) << mutator.name;
}

TEST_F(MutatorsTest, WeightsChangeForTheDevicesInUse) {
  pbrt::TrainingInfo weighted = info;
  weighted.global.push_back(pbrt::device_weights_global());
  const InfoIndex names{weighted};
  const int id = names.find_tunable("", pbrt::kDeviceWeights);
  const auto gene_with = [&](int num_devices, bool has_device) -> std::optional<TunableGene> {
    SpaceOptions options{has_device, 8, 0, 4096};
    options.num_devices = num_devices;
    const Space of_devices(names, options);
    for (const TunableGene& gene : of_devices.tunables())
      if (gene.id == id) return gene;
    return std::nullopt;
  };
  EXPECT_FALSE(gene_with(1, true)) << "one device has all of each step";
  EXPECT_FALSE(gene_with(3, false));
  EXPECT_EQ(gene_with(100, true)->num_varied, pbrt::kNumDeviceWeights);
  const std::optional<TunableGene> gene = gene_with(3, true);
  ASSERT_TRUE(gene);
  std::vector<double> values(8, 8);
  std::set<double> of_last;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(change_values(values, *gene, 0, 4096, false, rng));
    of_last.insert(values[2]);
    for (std::size_t device = 0; device < values.size(); ++device) {
      ASSERT_GE(values[device], 0);
      ASSERT_LE(values[device], 8);
      ASSERT_TRUE(device < 3 || values[device] == 8) << "nobody uses the device";
    }
  }
  EXPECT_EQ(of_last.size(), 9U);

  SpaceOptions options{true, 8, 0, 4096};
  options.num_devices = 2;
  const Space two(names, options);
  for (const TunableGene& each : two.tunables()) {
    if (each.id != id) continue;
    const std::vector<std::vector<double>> usual = two.usual_values(each);
    EXPECT_EQ(usual.size(), 8U);
    EXPECT_EQ(usual.front(), (std::vector<double>{4, 8, 8, 8, 8, 8, 8, 8}));
    EXPECT_EQ(usual.back(), (std::vector<double>{8, 0, 8, 8, 8, 8, 8, 8}));
  }
}

TEST_F(MutatorsTest, SizeSpecificValuesChangeAtTheSizeAtHandOrInARange) {
  pbrt::TunableInfo block{"block", pbrt::TunableType::Int, 1, 4096, {32}, pbrt::TunableRole::User, true, 1, {}};
  info.transforms[0].tunables = {block};
  const InfoIndex with_block(info);
  const Space wide(with_block, {true, 2, 0, 4096});
  const std::vector<Mutator> mutators = make_mutators(wide);
  const int id = with_block.find_tunable("SeparableConvolution", "block");
  int num_mutators = 0;
  for (const Mutator& mutator : mutators) {
    if (mutator.tunable != id) continue;
    ++num_mutators;
    Configuration configuration = wide.default_configuration();
    ASSERT_TRUE(mutator.apply(configuration, rng, 1000));
    const std::vector<double>& values = configuration.tunables[static_cast<std::size_t>(id)];
    EXPECT_NE(values[9], 32);
    EXPECT_EQ(values[4], 32);
    const bool is_range = mutator.name.find("range") != std::string::npos;
    EXPECT_EQ(values[10] != 32, is_range) << mutator.name;
  }
  EXPECT_EQ(num_mutators, 2);
}

TEST_F(MutatorsTest, DrawOnlyWhatIsAllowed) {
  // Only the pairs of choices (A, C) and (B, D) have an order. So no change of one site alone leads from one pair to
  // the other.
  pbrt::TransformInfo& transform = info.transforms[0];
  const auto site = [](const std::string& name, const std::string& a, const std::string& b) {
    return pbrt::SiteInfo{name, {{a, {pbrt::Version::Cpu}, 1, ""}, {b, {pbrt::Version::Cpu}, 2, ""}}};
  };
  transform.sites = {site("P", "A", "B"), site("Q", "C", "D")};
  transform.forbidden = {{{"P", "A"}, {"Q", "D"}}, {{"P", "B"}, {"Q", "C"}}};
  const InfoIndex with_forbidden(info);
  const Space narrow(with_forbidden, {false, 1, 0, 4096});
  const auto p = static_cast<std::size_t>(with_forbidden.find_site(transform.name, "P"));
  Configuration configuration = narrow.default_configuration();
  const std::vector<Mutator> mutators = make_mutators(narrow);
  std::set<int> seen;
  int num_applied = 0;
  for (int i = 0; i < 3000; ++i) {
    const Mutator& mutator =
        mutators[static_cast<std::size_t>(rng.uniform_int(0, static_cast<std::int64_t>(mutators.size()) - 1))];
    Configuration child = configuration;
    if (!mutator.apply(child, rng, 1000)) continue;
    ++num_applied;
    ASSERT_EQ(pbrt::find_fault(with_forbidden, child), "") << mutator.name;
    configuration = child;
    seen.insert(child.sites[p].select(1000));
  }
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_GT(num_applied, 1000);
}

TEST_F(MutatorsTest, ConfigValuesAreNeverTouched) {
  info.transforms[0].tunables = {
      {"verbose", pbrt::TunableType::Int, 0, 1, {0}, pbrt::TunableRole::Config, false, 1, {}}};
  const InfoIndex with_config(info);
  const Space wide(with_config, {true, 2, 0, 4096});
  for (const Mutator& mutator : make_mutators(wide)) EXPECT_EQ(mutator.name.find("verbose"), std::string::npos);
}

TEST_F(MutatorsTest, ConstantsOfTheProgramAreNeverTouched) {
  for (pbrt::TransformInfo& transform : info.transforms) {
    for (pbrt::SiteInfo& site : transform.sites) site.fixed = {{0, 0}};
    for (pbrt::TunableInfo& tunable : transform.tunables)
      tunable.fixed.assign(static_cast<std::size_t>(tunable.num_values()), tunable.min);
  }
  const InfoIndex with_constants(info);
  const Space wide(with_constants, {true, 2, 0, 4096});
  EXPECT_TRUE(wide.sites().empty());
  EXPECT_EQ(wide.tunables().size(), info.global.size());
}

}  // namespace
}  // namespace pbtune
