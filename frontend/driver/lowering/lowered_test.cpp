// SPDX-License-Identifier: MIT
// Lowered kernels against the definition of their rules: random stencils at random sizes and work-groups, executed with
// work-items interleaved at random. The tests lie beside the front end, which makes the programs. The seed is printed;
// PB_SEED and PB_CASES choose another run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/test_number.h"
#include "clgen/facts/numbering.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/lower/tree_text.h"
#include "clgen/lower/verify_tree.h"
#include "clgen/testing/run_tree.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

/// The kernels of all steps in one version.
std::vector<KernelTree> kernels_of(const PlannedProgram& planned, Version version) {
  std::vector<KernelTree> out;
  const TransformPlan& plan = planned.only();
  for (const StepId step : plan.steps.ids())
    if (!choices_running(plan, plan.steps[step], version).empty())
      out.push_back(lower_kernel(planned.program, plan, step, version));
  return out;
}

/// A random stencil: one cell of the output from boxes of one or two inputs, which move with the instance forwards,
/// backwards, in steps of two, or not at all.
class RandomStencil {
 public:
  explicit RandomStencil(std::mt19937_64& random) : random_(random), rank_(1 + random() % 3) {}

  std::string text() {
    const std::string vars[] = {"x", "y", "z"};
    const std::string sizes[] = {"n", "m", "l"};
    std::string extents, cell;
    for (std::size_t d = 0; d < rank_; ++d) {
      extents += (d == 0 ? "" : ", ") + sizes[d];
      cell += (d == 0 ? "" : ", ") + vars[d];
    }
    std::string from, inputs, body = "o = 0;";
    const std::size_t num_inputs = 1 + random_() % 2;
    for (std::size_t i = 0; i < num_inputs; ++i) {
      const std::string name = std::string(1, static_cast<char>('A' + i));
      std::string lo, hi, shape, zero;
      for (std::size_t d = 0; d < rank_; ++d) {
        const std::string begin = begin_along(vars[d], sizes[d]);
        lo += (d == 0 ? "" : ", ") + begin;
        hi += ", " + begin + "+" + std::to_string(1 + random_() % 4);
        shape += (d == 0 ? "" : ", ") + ("2*" + sizes[d] + "+6");
        zero += d == 0 ? "0" : ", 0";
      }
      from += (i == 0 ? "" : ", ") + (name + "[" + shape + "]");
      inputs += (i == 0 ? "" : ", ") + (name + ".region(" + lo + hi + ") in" + std::to_string(i));
      body += " o = o + in" + std::to_string(i) + ".cell(" + zero + ");";
    }
    return "main transform T from " + from + " to O[" + extents + "] { to (O.cell(" + cell + ") o) from (" + inputs +
           ") { " + body + " } }\n";
  }

 private:
  std::string begin_along(const std::string& var, const std::string& size) {
    const std::string shift = std::to_string(random_() % 3);
    switch (random_() % 5) {
      case 0:
        return "2*" + var + "+" + shift;
      case 1:
        return size + "+1-" + var;
      case 2:
        return shift;
      default:
        return var + "+" + shift;
    }
  }

  std::mt19937_64& random_;
  std::size_t rank_;
};

LaunchShape random_launch(std::mt19937_64& random, const KernelTree& kernel, Values& sizes) {
  static const std::vector<std::string> kNames = {"n", "m", "l"};
  const std::int64_t most = kernel.vars.size() == 1 ? 12 : kernel.vars.size() == 2 ? 6 : 3;
  LaunchShape launch;
  for (const std::string& name : kNames) sizes[name] = 1 + static_cast<std::int64_t>(random() % most);
  for (std::size_t d = 0; d < kernel.vars.size(); ++d) {
    const std::string var = kernel.vars[d];
    const std::int64_t size = sizes.at(var == "x" ? "n" : var == "y" ? "m" : "l");
    const auto lo = static_cast<std::int64_t>(random() % size);
    launch.lo.push_back(lo);
    launch.extent.push_back(1 + static_cast<std::int64_t>(random() % (size - lo)));
    launch.group_size.push_back(1 + static_cast<std::int64_t>(random() % 4));
    launch.items.push_back(1 + static_cast<std::int64_t>(random() % 3));
  }
  launch.device_is_cpu = random() % 2 == 0;
  return launch;
}

TEST(LoweredKernels, OfRandomStencilsReadWhatTheRuleSays) {
  const std::uint64_t seed = number_from("PB_SEED", 20261123);
  const std::uint64_t cases = number_from("PB_CASES", 60);
  std::printf("PB_SEED=%llu PB_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  std::mt19937_64 random(seed);
  std::size_t staged = 0;
  std::size_t runs = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    const std::string text = RandomStencil(random).text();
    const auto program = planned_text(text);
    ASSERT_TRUE(program) << text;
    for (const Version version : {Version::OpenCl, Version::OpenClLocal}) {
      for (const KernelTree& kernel : kernels_of(*program, version)) {
        ASSERT_EQ(verify(program->transform(), kernel), "") << to_text(program->program, kernel) << text;
        staged += kernel.tree.buffers.size();
        for (int run = 0; run < 3; ++run, ++runs) {
          Values sizes;
          const LaunchShape launch = random_launch(random, kernel, sizes);
          ASSERT_EQ(run_kernel(program->transform(), kernel, sizes, launch, random()), "")
              << to_text(program->program, kernel) << text;
        }
      }
    }
  }
  std::printf("%zu runs, %zu buffers\n", runs, staged);
  EXPECT_GT(runs, 5 * cases);
  EXPECT_GT(staged, cases / 2);
}

/// The tree's nodes at group level, which a fault changes.
TreeBlock& group_block(KernelTree& kernel) {
  TreeBlock* block = &kernel.tree.root;
  while (true) {
    auto* loop = block->size() == 1 ? std::get_if<TreeLoop>(&block->front().node) : nullptr;
    if (loop == nullptr || loop->role != LoopRole::Group) return *block;
    block = &loop->body;
  }
}

struct Fault {
  const char* name;
  std::function<void(KernelTree&)> make;
  bool is_verified = false;  ///< verify() finds the fault; the others are found by executing the kernel
};

const std::vector<Fault>& faults() {
  static const auto copies = [](KernelTree& kernel, const std::function<void(Copy&)>& change) {
    for (TreeNode& node : group_block(kernel)) {
      auto* branch = std::get_if<TreeBranch>(&node.node);
      if (branch == nullptr) continue;
      for (TreeNode& inner : branch->otherwise)
        if (auto* copy = std::get_if<Copy>(&inner.node)) change(*copy);
    }
  };
  static const std::vector<Fault> list = {
      {"no barrier",
       [](KernelTree& kernel) {
         std::erase_if(group_block(kernel),
                       [](const TreeNode& node) { return std::holds_alternative<Barrier>(node.node); });
       },
       true},
      {"a copy in one block of the branch",
       [](KernelTree& kernel) {
         for (TreeNode& node : group_block(kernel))
           if (auto* branch = std::get_if<TreeBranch>(&node.node)) branch->otherwise.clear();
       },
       true},
      {"the barrier among the items",
       [](KernelTree& kernel) {
         TreeBlock& group = group_block(kernel);
         auto& items = std::get<TreeLoop>(group.back().node);
         items.body.insert(items.body.begin(), TreeNode{Barrier{}});
       },
       true},
      {"a buffer that is too short",
       [](KernelTree& kernel) {
         kernel.tree.buffers.front().extents.front().step = {0, 0, 0};
       }},
      {"cells dealt out twice as far",
       [](KernelTree& kernel) {
         copies(kernel, [](Copy& copy) {
           copy.by = CopyBy::FirstItem;
           copy.axes.front() = CopyAxis::ById;
         });
       }},
      {"instances of a work-item side by side",
       [](KernelTree& kernel) {
         walk(kernel.tree.root, [](const TreeNode& node) {
           const auto* loop = std::get_if<TreeLoop>(&node.node);
           if (loop != nullptr && loop->role == LoopRole::Unrolled)
             const_cast<TreeLoop*>(loop)->step = index_const(1);  // the tree is the fault's own
         });
       }},
      {"no edge",
       [](KernelTree& kernel) { copies(kernel, [](Copy& copy) { copy.edges.assign(copy.edges.size(), {}); }); }},
  };
  return list;
}

TEST(LoweredKernels, WithFaultsAreFoundWrong) {
  const auto program = planned_text(
      "main transform T from A[n+2] to O[n] { to (O.cell(x) o) from (A.region(x, x+3) in) { o = in.cell(0) + "
      "in.cell(2); } "
      "}\n");
  ASSERT_TRUE(program);
  const std::vector<KernelTree> kernels = kernels_of(*program, Version::OpenClLocal);
  ASSERT_EQ(kernels.size(), 1U);
  const LaunchShape launch{{0}, {9}, {2}, {2}, false};
  ASSERT_EQ(run_kernel(program->transform(), kernels[0], {{"n", 9}}, launch, 1), "");
  for (const Fault& fault : faults()) {
    KernelTree kernel = kernels[0];
    fault.make(kernel);
    const std::string verified = verify(program->transform(), kernel);
    EXPECT_EQ(fault.is_verified, !verified.empty()) << fault.name << ": " << verified;
    if (fault.is_verified) continue;
    EXPECT_NE(run_kernel(program->transform(), kernel, {{"n", 9}}, launch, 1), "") << fault.name;
  }
}

TEST(LoweredKernels, OfSlicesRunTheLoopsInsideOfOneSlice) {
  const auto program = planned_text(
      "main transform T from A[n] to U[n, m] {\n"
      "  to (U.cell(x, 0) u) from (A.cell(x) a) { u = a; }\n"
      "  to (U.cell(x, t) u) from (U.region(x-1, t-1, x+2, t) in) { u = in.cell(0, 0) + in.cell(2, 0); }\n"
      "  secondary to (U.cell(x, t) u) from (U.cell(x, t-1) below) { u = below; }\n"
      "}\n");
  ASSERT_TRUE(program);
  std::size_t num_sliced = 0;
  for (const Version version : {Version::OpenCl, Version::OpenClLocal})
    for (const KernelTree& kernel : kernels_of(*program, version)) {
      ASSERT_EQ(verify(program->transform(), kernel), "") << to_text(program->program, kernel);
      const auto is_slice = [](const KernelScalar& scalar) { return scalar.source == ScalarSource::Slice; };
      if (std::none_of(kernel.scalars.begin(), kernel.scalars.end(), is_slice)) continue;
      ++num_sliced;
      EXPECT_EQ(kernel.matrices.size(), 2U);
      if (kernel.vars.front() != "x") continue;
      for (const bool is_cpu : {false, true})
        EXPECT_EQ(
            run_kernel(program->transform(), kernel, {{"n", 19}, {"m", 5}, {"t", 3}}, {{1}, {17}, {4}, {2}, is_cpu}, 1),
            "");
    }
  EXPECT_GE(num_sliced, 2U);
}

/// Two rules: in `S` neighbours are lanes of one instance, in `C` they run neighbouring instances.
std::vector<KernelTree> kernels_with_folds(const PlannedProgram& program) {
  std::vector<KernelTree> out = kernels_of(program, Version::OpenCl);
  EXPECT_EQ(out.size(), 2U);
  EXPECT_TRUE(lanes_are_neighbours(out.at(0).tree));
  EXPECT_FALSE(lanes_are_neighbours(out.at(1).tree));
  return out;
}
constexpr const char* kFolds =
    "main transform T from A[n, m] to S[m], C[n, m] {"
    " S.cell(y) from (A.row(y) a) { ElementT s = 0; for (int i = 0; i < n; i++) s += a.cell(i); return s; }"
    " C.cell(x, y) from (A.column(x) a) {"
    "  ElementT s = 0, t = 0;"
    "  for (int i = 0; i < m; i++) s += a.cell(i);"
    "  for (int i = 0; i < m; i++) t = max(t, a.cell(i));"
    "  return s + t; } }\n";

/// Folds and maps of an instance, in one group. The sum of the map and its cells are read in other phases.
constexpr const char* kMaps =
    "main transform T from A[n, m] to R[n, m], S[2, m] {"
    " to (R.row(y) r, S.row(y) s) from (A.row(y) a) {"
    "  ElementT largest = 0, sum = 0;"
    "  for (int i = 0; i < n; i++) largest = max(largest, a.cell(i));"
    "  for (int i = 0; i < n; i++) { r.cell(i) = a.cell(i) - largest; sum += r.cell(i); }"
    "  for (int i = 0; i < n; i++) r.cell(i) /= sum;"
    "  s.cell(0) = r.cell(0);"
    "  s.cell(1) = s.cell(0) + sum; } }\n";

/// Lanes may keep the row `a` and the row `r`, but not `s`.
constexpr const char* kKept =
    "main transform T from A[n, m] to R[n, m], S[2, m] {"
    " to (R.row(y) r, S.row(y) s) from (A.row(y) a) {"
    "  ElementT largest = 0, sum = 0;"
    "  for (int i = 0; i < n; i++) largest = max(largest, a.cell(i));"
    "  for (int i = 0; i < n; i++) { r.cell(i) = a.cell(i) - largest; sum += r.cell(i); }"
    "  for (int i = 0; i < n; i++) r.cell(i) /= sum;"
    "  s.cell(0) = sum;"
    "  for (int i = 0; i < 2; i++) s.cell(i) += largest; } }\n";

TEST(LoweredKernels, WithLanesRunEachInstanceOnce) {
  const auto folds = planned_text(kFolds), maps = planned_text(kMaps), kept = planned_text(kKept);
  ASSERT_TRUE(folds && maps && kept);
  std::mt19937_64 random(number_from("PB_SEED", 20261124));
  std::vector<std::pair<const PlannedProgram*, KernelTree>> kernels;
  for (const KernelTree& kernel : kernels_with_folds(*folds)) kernels.emplace_back(&*folds, kernel);
  kernels.emplace_back(&*maps, kernels_of(*maps, Version::OpenCl).at(0));
  kernels.emplace_back(&*kept, kernels_of(*kept, Version::OpenCl).at(0));
  for (const auto& [program, kernel] : kernels) {
    const bool has_groups = has_stages(*instance_with_lanes(kernel.tree));
    ASSERT_EQ(verify(program->transform(), kernel), "") << to_text(program->program, kernel);
    for (int run = 0; run < 40; ++run) {
      Values sizes;
      LaunchShape launch = random_launch(random, kernel, sizes);
      launch.lo.assign(launch.lo.size(), 0);
      launch.extent = {sizes.at(kernel.vars.front() == "x" ? "n" : "m"), sizes.at("m")};
      launch.extent.resize(launch.lo.size());
      launch.lanes = std::int64_t{1} << random() % 4;
      launch.keeps = launch.lanes > 1 && instance_that_keeps(kernel.tree) != nullptr && random() % 2 == 0;
      if (has_groups && !launch.keeps) launch.fold_groups = std::int64_t{1} << random() % 4;
      if (launch.has_lanes()) {
        launch.items.assign(launch.items.size(), 1);
        launch.group_size.front() *= launch.lanes;
      }
      ASSERT_EQ(run_kernel(program->transform(), kernel, sizes, launch, random()), "")
          << launch.lanes << " lanes, " << launch.fold_groups << " groups, " << to_text(program->program, kernel);
    }
  }
}

TEST(LoweredKernels, WithLanesThatDoNotWaitForCellsAreFoundWrong) {
  const auto program = planned_text(kMaps);
  ASSERT_TRUE(program);
  const KernelTree kernel = kernels_of(*program, Version::OpenCl).at(0);
  const LaunchShape launch{{0}, {3}, {8}, {1}, false, 4};
  ASSERT_EQ(run_kernel(program->transform(), kernel, {{"n", 9}, {"m", 3}}, launch, 1), "");
  int num_waits = 0;
  for (std::size_t i = 0; i < instance_with_lanes(kernel.tree)->phases.size(); ++i) {
    KernelTree changed = kernel;
    Phase& phase =
        const_cast<RuleInstance*>(instance_with_lanes(changed.tree))->phases[i];  // the tree is the fault's own
    if (!phase.waits) continue;
    ++num_waits;
    phase.waits = false;
    EXPECT_NE(run_kernel(program->transform(), changed, {{"n", 9}, {"m", 3}}, launch, 1), "") << i;
  }
  EXPECT_EQ(num_waits, 2) << "the second map and the first store";
}

TEST(LoweredKernels, WithLanesThatKeepCellsWronglyAreFoundWrong) {
  const auto program = planned_text(kKept);
  ASSERT_TRUE(program);
  const KernelTree kernel = kernels_of(*program, Version::OpenCl).at(0);
  ASSERT_NE(instance_that_keeps(kernel.tree), nullptr);
  ASSERT_EQ(instance_that_keeps(kernel.tree)->kept.size(), 2U);
  ASSERT_EQ(verify(program->transform(), kernel), "");
  const LaunchShape launch{{0}, {3}, {8}, {1}, false, 4, 1, true};
  const auto fault_of = [&](const std::function<void(RuleInstance&)>& change) {
    KernelTree changed = kernel;
    change(const_cast<RuleInstance&>(*instance_that_keeps(changed.tree)));  // the tree is the fault's own
    const std::string found = verify(program->transform(), changed);
    return found.empty() ? run_kernel(program->transform(), changed, {{"n", 9}, {"m", 3}}, launch, 1) : found;
  };
  EXPECT_EQ(fault_of([](RuleInstance&) {}), "");
  EXPECT_NE(fault_of([](RuleInstance& it) { it.divided[2].keeps = false; }), "") << "the loop that writes";
  EXPECT_NE(fault_of([](RuleInstance& it) { it.divided[1].keeps = false; }), "") << "a loop between";
  EXPECT_NE(fault_of([](RuleInstance& it) { it.kept[0].last = it.kept[0].first; }), "")
      << "what is stored later is lost";
  EXPECT_NE(fault_of([](RuleInstance& it) { it.phases[0].stage = it.divided[0].stage = 1; }), "")
      << "groups share no registers";
  int num_waits = 0;
  for (std::size_t i = 0; i < instance_that_keeps(kernel.tree)->phases.size(); ++i) {
    if (!instance_that_keeps(kernel.tree)->phases[i].waits) continue;
    ++num_waits;
    EXPECT_NE(fault_of([&](RuleInstance& it) { it.phases[i].waits = false; }), "") << i;
  }
  EXPECT_EQ(num_waits, 1) << "the last loop, for what the first lane stored";
}

TEST(LoweredKernels, WithLanesThatMissBarriersAreFoundWrong) {
  const auto program = planned_text(kFolds);
  ASSERT_TRUE(program);
  for (KernelTree kernel : kernels_with_folds(*program)) {
    walk(kernel.tree.root, [](const TreeNode& node) {
      const auto* loop = std::get_if<TreeLoop>(&node.node);
      if (loop != nullptr && loop->tail == LoopTail::Repeated)
        const_cast<TreeLoop*>(loop)->tail = LoopTail::Predicated;  // the tree is the fault's own
    });
    EXPECT_NE(verify(program->transform(), kernel), "");
  }
}

/// Contractions: products, one of them with inputs that move against the instances, in steps of two and in batches, and a
/// layer of a neural network.
constexpr const char* kContractions =
    "main transform T from A[k, m], B[2*n+3, k], Stack[2*n+3, k, l], P[n+2, m+1, k], W[3, 2, k, l]"
    " to O[n, m], Q[n, m, l], R[n, m, l] {"
    " O.cell(x, y) from (A.row(m-1-y) a, B.column(2*(n-1-x)+3) b) {"
    "  double s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(i); return s; }"
    " Q.cell(x, y, z) from (A.row(y) a, Stack.region(x, 0, z, x+1, k, z+1) b) {"
    "  double s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(0, i, 0); return s; }"
    " R.cell(x, y, z) from (P.region(x, y, 0, x+3, y+2, k) p, W.region(0, 0, 0, z, 3, 2, k, z+1) w) {"
    "  double s = 0;"
    "  for (int i = 0; i < k; i++)"
    "   for (int j = 0; j < 2; j++) for (int h = 0; h < 3; h++) s += p.cell(h, j, i) * w.cell(h, j, i, 0);"
    "  return s; } }\n";

LaunchShape block_launch(const KernelTree& kernel, const Values& sizes, std::mt19937_64& random) {
  LaunchShape out;
  const auto draw = [&](std::int64_t most) { return 1 + static_cast<std::int64_t>(random() % most); };
  const auto& loops = instance_in_blocks(kernel.tree)->blocks->loops;
  for (std::size_t d = 0; d < kernel.vars.size(); ++d) {
    const bool is_tiled = d == loops[0] || d == loops[1];
    const std::string var = kernel.vars[d];
    const std::int64_t size = sizes.at(var == "x" ? "n" : var == "y" ? "m" : "l");
    out.lo.push_back(static_cast<std::int64_t>(random() % size));
    out.extent.push_back(draw(size - out.lo.back()));
    out.group_size.push_back(is_tiled ? draw(3) : 1);
    out.items.push_back(is_tiled ? draw(5) : 1);
  }
  out.block_rounds = draw(4);
  out.block_parts = draw(4);
  out.copies_ahead = random() % 2 == 0;
  out.on_matrix_units = random() % 2 == 0;
  if (!out.on_matrix_units) return out;
  for (const std::size_t loop : loops) out.items[loop] += out.items[loop] % 2;
  return out;
}

TEST(LoweredKernels, InBlocksReadWhatTheRuleSays) {
  const auto program = planned_text(kContractions);
  ASSERT_TRUE(program);
  std::mt19937_64 random(number_from("PB_SEED", 20261126));
  const std::vector<KernelTree> kernels = kernels_of(*program, Version::OpenCl);
  ASSERT_EQ(kernels.size(), 3U);
  for (const KernelTree& kernel : kernels) {
    ASSERT_EQ(verify(program->transform(), kernel), "") << to_text(program->program, kernel);
    ASSERT_NE(instance_in_blocks(kernel.tree), nullptr) << to_text(program->program, kernel);
    for (int run = 0; run < 16; ++run) {
      Values sizes;
      for (const char* name : {"n", "m", "l", "k"}) sizes[name] = 1 + static_cast<std::int64_t>(random() % 7);
      const LaunchShape launch = block_launch(kernel, sizes, random);
      ASSERT_EQ(run_kernel(program->transform(), kernel, sizes, launch, random()), "")
          << launch.block_rounds << " rounds, " << launch.block_parts << " parts, "
          << to_text(program->program, kernel);
    }
  }
}

TEST(LoweredKernels, WithBatchesHaveGroupsForEachOfThem) {
  const auto program = planned_text(
      "main transform T from A[n, m, l, q], W[n, l] to U[n, m, l, q], V[n, m, l, q, 2] {\n"
      "  U.cell(x, y, z, t) from (A.region(0, y, 0, t, n, y+1, l, t+1) a, W.column(x) w) {\n"
      "    double s = 0; for (int i = 0; i < l; i++) s += a.cell(x, 0, i, 0) * w.cell(i) + z; return s; }\n"
      "  V.cell(x, y, z, t, u) from (A.region(x, 0, z, t, x+1, m, z+1, t+1) a) { return a.cell(0, y, 0, 0) + u; }\n"
      "}\n");
  ASSERT_TRUE(program);
  std::mt19937_64 random(number_from("PB_SEED", 20261128));
  std::size_t num_batches = 0;
  for (const Version version : {Version::OpenCl, Version::OpenClLocal})
    for (const KernelTree& kernel : kernels_of(*program, version)) {
      ASSERT_EQ(verify(program->transform(), kernel), "") << to_text(program->program, kernel);
      EXPECT_EQ(kernel.vars, (std::vector<std::string>{"x", "y", "z"}));
      num_batches += kernel.batches.size();
      for (int run = 0; run < 6; ++run) {
        Values sizes;
        LaunchShape launch = random_launch(random, kernel, sizes);
        sizes["q"] = 3;
        launch.lo.push_back(1), launch.extent.push_back(2);
        if (kernel.batches.size() == 2) launch.lo.push_back(0), launch.extent.push_back(2);
        ASSERT_EQ(run_kernel(program->transform(), kernel, sizes, launch, random()), "")
            << to_text(program->program, kernel);
      }
      KernelTree without = kernel;
      without.batches.clear();
      EXPECT_NE(verify(program->transform(), without), "");
    }
  EXPECT_EQ(num_batches, 6U);
}

/// Calls `change` with the node of the blocks of a tree that the test owns.
void change_blocks(KernelTree& kernel, const std::function<void(RoundBlocks&)>& change) {
  walk(kernel.tree.root, [&](const TreeNode& node) {
    if (const auto* blocks = std::get_if<RoundBlocks>(&node.node)) change(const_cast<RoundBlocks&>(*blocks));
  });
}

TEST(LoweredKernels, WithWrongBlocksAreFoundWrong) {
  const auto program = planned_text(kContractions);
  ASSERT_TRUE(program);
  const KernelTree kernel = kernels_of(*program, Version::OpenCl).at(0);
  const Values sizes = {{"n", 7}, {"m", 9}, {"l", 2}, {"k", 8}};
  LaunchShape launch{{0, 0}, {7, 9}, {2, 2}, {2, 2}, false};
  launch.block_rounds = 3;
  const auto faults_of = [&](const std::function<void(KernelTree&)>& change) {
    KernelTree changed = kernel;
    change(changed);
    return std::pair(verify(program->transform(), changed),
                     run_kernel(program->transform(), changed, sizes, launch, 1));
  };
  EXPECT_EQ(faults_of([](KernelTree&) {}), std::pair(std::string(), std::string()));
  // Nodes of a block: two copies, a barrier unless it copies ahead, the rounds, a barrier.
  for (const bool is_ahead : {false, true}) {
    launch.copies_ahead = is_ahead;
    EXPECT_EQ(faults_of([](KernelTree&) {}), std::pair(std::string(), std::string()));
    for (const std::size_t barrier : is_ahead ? std::vector<std::size_t>{3} : std::vector<std::size_t>{2, 4}) {
      const auto found = faults_of([&](KernelTree& tree) {
        change_blocks(tree, [&](RoundBlocks& blocks) {
          if (blocks.copies_ahead == is_ahead) blocks.body.erase(blocks.body.begin() + barrier);
        });
      });
      EXPECT_NE(found.first, "") << barrier;
      EXPECT_NE(found.second, "") << barrier;
    }
  }
  launch.copies_ahead = false;
  EXPECT_NE(faults_of([](KernelTree& tree) {
              change_blocks(tree, [](RoundBlocks& blocks) { blocks.has_parts = blocks.copies_ahead; });
            }).first,
            "")
      << "some blocks may have parts";
  EXPECT_NE(faults_of([](KernelTree& tree) {
              change_blocks(tree, [](RoundBlocks& blocks) { blocks.copies_ahead = false; });
            }).first,
            "")
      << "blocks that neither copy ahead nor wait in between";
  EXPECT_NE(faults_of([](KernelTree& tree) {
              change_blocks(tree, [](RoundBlocks& blocks) { blocks.body.erase(blocks.body.begin()); });
            }).first,
            "")
      << "a panel that nobody fills";
  EXPECT_NE(faults_of([](KernelTree& tree) {
              for (GroupExtent& extent : tree.tree.buffers[0].extents) extent.step = {0, 0, 0};
            }).second,
            "")
      << "a panel of one instance";
  EXPECT_NE(faults_of([](KernelTree& tree) {
              change_blocks(tree, [](RoundBlocks& blocks) { std::get<Copy>(blocks.body[0].node).edges[1] = {}; });
            }).second,
            "")
      << "a panel beyond the matrix";
}

TEST(LoweredKernels, WithoutABarrierReadTooEarly) {
  const auto program = planned_text(
      "main transform T from A[n+2] to O[n] { to (O.cell(x) o) from (A.region(x, x+3) in) { o = in.cell(0) + "
      "in.cell(2); } "
      "}\n");
  ASSERT_TRUE(program);
  KernelTree kernel = kernels_of(*program, Version::OpenClLocal).at(0);
  faults()[0].make(kernel);
  EXPECT_NE(run_kernel(program->transform(), kernel, {{"n", 9}}, {{0}, {9}, {4}, {1}, false}, 1), "");
}

}  // namespace
}  // namespace pb::testing
