// SPDX-License-Identifier: MIT
// Random fork-join trees and random task graphs with continuations against sequential oracles, on 1 to
// 8 workers. PB_SCHED_SEED fixes the seed, PB_SCHED_SCALE multiplies the work; both are printed on failure. At night
// (PB_NIGHTLY) the graphs have a million tasks together.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/sched/graph/task.h"
#include "runtime/sched/loops/parallel_for.h"
#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}
std::uint64_t seed() { return number_from_environment("PB_SCHED_SEED", 20130316); }
std::uint64_t scale() {
  constexpr std::uint64_t kAtNight = 15;
  return number_from_environment("PB_SCHED_SCALE", number_from_environment("PB_NIGHTLY", 0) != 0 ? kAtNight : 1);
}

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Wakes suspended fibers from a thread of its own, in an order of its own.
class Device {
 public:
  explicit Device(std::uint64_t device_seed) : rng_(device_seed), thread_([this] { serve(); }) {}
  ~Device() {
    stop_ = true;
    thread_.join();
  }
  void submit(Waker waker) {
    const std::lock_guard<std::mutex> guard(lock_);
    queue_.push_back(waker);
  }

 private:
  void serve() {
    while (!stop_) {
      std::vector<Waker> batch;
      {
        const std::lock_guard<std::mutex> guard(lock_);
        batch.swap(queue_);
      }
      std::shuffle(batch.begin(), batch.end(), rng_);
      for (const Waker& waker : batch) waker.wake();
      std::this_thread::yield();
    }
  }

  std::mt19937_64 rng_;
  std::mutex lock_;
  std::vector<Waker> queue_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// A node of a random tree is a number; everything about it follows from the number.
struct Tree {
  Device* device;

  static int num_children(std::uint64_t node, int depth) { return depth == 0 ? 0 : static_cast<int>(mix(node) % 5); }
  static std::uint64_t child(std::uint64_t node, int i) { return mix(node * 31 + static_cast<std::uint64_t>(i) + 1); }

  static std::uint64_t oracle(std::uint64_t node, int depth) {
    std::uint64_t sum = node;
    for (int i = 0; i < num_children(node, depth); ++i) sum += mix(oracle(child(node, i), depth - 1));
    return sum;
  }

  std::uint64_t visit(Frame& parent, std::uint64_t node, int depth) const {
    std::uint64_t result = 0;
    call_on_fresh_stack_if_needed(parent, [&] { result = visit_here(parent, node, depth); });
    return result;
  }

  /// Spawns some children, calls others, syncs here and there, waits for the device now and then.
  std::uint64_t visit_here(Frame& parent, std::uint64_t node, int depth) const {
    CallFrame frame(parent, static_cast<std::int64_t>(mix(node + 7) % 100), depth < 2 ? 30 : 0);
    if (mix(node + 1) % 8 == 0) {
      Suspension suspension(frame, mix(node + 5) % 2 == 0);
      device->submit(suspension.waker());
      if (mix(node + 2) % 2 == 0) frame.spawn([](Frame&) {});
      suspension.wait();
    }
    std::uint64_t results[5] = {};
    const int n = num_children(node, depth);
    for (int i = 0; i < n; ++i) {
      const std::uint64_t c = child(node, i);
      if (mix(c + 3) % 4 == 0) {
        results[i] = visit(frame, c, depth - 1);
      } else {
        frame.spawn([this, &results, i, c, depth](Frame& f) { results[i] = visit(f, c, depth - 1); });
      }
      if (mix(c + 4) % 6 == 0) frame.sync();
    }
    frame.sync();
    std::uint64_t sum = node;
    for (int i = 0; i < n; ++i) sum += mix(results[i]);
    return sum;
  }
};

TEST(Stress, RandomTreesGiveTheResultsOfSequentialOnes) {
  std::mt19937_64 rng(seed());
  for (int num_workers = 1; num_workers <= 8; ++num_workers) {
    Scheduler scheduler(num_workers);
    Device device(rng());
    const Tree tree{&device};
    for (std::uint64_t round = 0; round < 20 * scale(); ++round) {
      const std::uint64_t node = rng();
      std::uint64_t result = 0;
      scheduler.run([&](Frame& root) { result = tree.visit(root, node, 8); });
      ASSERT_EQ(result, Tree::oracle(node, 8)) << "seed " << seed() << " workers " << num_workers;
    }
  }
}

/// A random acyclic graph; the value of a task depends on the values of those it depends on, and a
/// task may hand its work to a chain of continuations.
struct Graph {
  struct Node {
    std::vector<std::size_t> before;
    int num_continuations = 0;
    bool spawns = false;
    std::uint64_t value = 0;
  };
  std::vector<Node> nodes;

  Graph(std::mt19937_64& rng, std::size_t size) : nodes(size) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::uint64_t k = i == 0 ? 0 : rng() % 4; k > 0; --k) {
        // Most dependencies are near ones, which gives long chains and much width.
        const std::size_t reach = rng() % 8 == 0 ? i : std::min<std::size_t>(i, 16);
        nodes[i].before.push_back(i - 1 - rng() % reach);
      }
      nodes[i].num_continuations = rng() % 5 == 0 ? static_cast<int>(rng() % 4) : 0;
      nodes[i].spawns = rng() % 7 == 0;
    }
  }

  [[nodiscard]] std::uint64_t value_of(std::size_t i) const {
    std::uint64_t sum = i + 1;
    for (const std::size_t b : nodes[i].before) sum += mix(nodes[b].value);
    return sum + static_cast<std::uint64_t>(nodes[i].num_continuations);
  }
};

/// How a run of a graph is ended early, if at all.
enum class Ending { Whole, Abort, Throw };

struct GraphBody {
  TaskGroup* group;
  Graph* graph;
  std::size_t i;
  int left;
  Ending ending = Ending::Whole;  ///< of the first task without continuations from here on

  TaskRef operator()(Frame& f) {
    if (left > 0) {
      TaskRef next = group->create(f, GraphBody{group, graph, i, left - 1, ending});
      // The continuation may wait for more tasks of the group.
      const TaskRef extra = group->create(f, [](Frame&) {});
      group->depend(f, next, extra);
      group->start(f, extra);
      return next;
    }
    if (ending == Ending::Abort) f.abort_run();
    if (ending == Ending::Throw) throw std::runtime_error("at random");
    std::uint64_t value = 0;
    if (graph->nodes[i].spawns) {
      f.spawn([&](Frame&) { value = graph->value_of(i); });
      f.sync();
    } else {
      value = graph->value_of(i);
    }
    graph->nodes[i].value = value;
    return {};
  }
};

void run_graph(Frame& root, Graph& graph, std::size_t last = SIZE_MAX, Ending ending = Ending::Whole) {
  TaskGroup group(root);
  std::vector<TaskRef> tasks;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    tasks.push_back(group.create(
        root, GraphBody{&group, &graph, i, graph.nodes[i].num_continuations, i == last ? ending : Ending::Whole}));
    for (const std::size_t b : graph.nodes[i].before) group.depend(root, tasks[i], tasks[b]);
    // A task is started at once, so that later tasks depend on tasks that are running, continued or complete.
    group.start(root, tasks[i]);
  }
  group.wait();
}

TEST(Stress, RandomTaskGraphsGiveTheResultsOfSequentialOnes) {
  std::mt19937_64 rng(seed() + 1);
  for (int num_workers = 1; num_workers <= 8; ++num_workers) {
    Scheduler scheduler(num_workers);
    for (std::uint64_t round = 0; round < 4 * scale(); ++round) {
      Graph graph(rng, 1 + rng() % 5000);
      scheduler.run([&](Frame& root) { run_graph(root, graph); });
      for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        ASSERT_EQ(graph.nodes[i].value, graph.value_of(i)) << "seed " << seed() << " workers " << num_workers;
      }
    }
  }
}

TEST(Stress, RandomlyEndedTaskGraphsHoldWholeResultsOnly) {
  std::mt19937_64 rng(seed() + 3);
  for (int num_workers = 1; num_workers <= 8; ++num_workers) {
    Scheduler scheduler(num_workers);
    for (std::uint64_t round = 0; round < 6 * scale(); ++round) {
      Graph graph(rng, 1 + rng() % 2000);
      const Ending ending = rng() % 2 == 0 ? Ending::Abort : Ending::Throw;
      const std::size_t last = rng() % graph.nodes.size();
      try {
        scheduler.run([&](Frame& root) { run_graph(root, graph, last, ending); });
        ADD_FAILURE() << "the ending was lost, seed " << seed() << " workers " << num_workers;
      } catch (const RunAborted&) {
        ASSERT_EQ(ending, Ending::Abort);
      } catch (const std::runtime_error&) {
        ASSERT_EQ(ending, Ending::Throw);
      }
      for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (graph.nodes[i].value == 0) continue;  // dropped
        ASSERT_EQ(graph.nodes[i].value, graph.value_of(i)) << "seed " << seed() << " workers " << num_workers;
        ASSERT_NE(i, last);
        for (const std::size_t b : graph.nodes[i].before) ASSERT_NE(graph.nodes[b].value, 0U) << "it ran too early";
      }
      // The graph runs again, this time as a whole: nothing is left of the run before.
      for (Graph::Node& node : graph.nodes) node.value = 0;
      scheduler.run([&](Frame& root) { run_graph(root, graph); });
      for (std::size_t i = 0; i < graph.nodes.size(); ++i) ASSERT_EQ(graph.nodes[i].value, graph.value_of(i));
    }
  }
}

TEST(Stress, RandomFailuresAndAbortsLeaveTheSchedulerUsable) {
  std::mt19937_64 rng(seed() + 2);
  for (int num_workers = 1; num_workers <= 8; ++num_workers) {
    Scheduler scheduler(num_workers);
    Device device(rng());
    const Tree tree{&device};
    for (std::uint64_t round = 0; round < 20 * scale(); ++round) {
      const std::uint64_t node = rng();
      const bool aborts = rng() % 2 == 0;
      const std::int64_t when = static_cast<std::int64_t>(rng() % 400);
      std::atomic<std::int64_t> num_begun{0};
      const auto body = [&](Frame& f, const Box<1>& piece) {
        tree.visit(f, node + static_cast<std::uint64_t>(piece.lo[0]), 2);
        if (num_begun.fetch_add(1) != when) return;
        if (aborts) f.abort_run();
        throw std::runtime_error("at random");
      };
      try {
        scheduler.run([&](Frame& root) { parallel_for<1>(root, {{0}, {600}}, 2, body); });
        ASSERT_LE(num_begun.load(), when) << "the failure was lost, seed " << seed();
      } catch (const RunAborted&) {
        ASSERT_TRUE(aborts);
      } catch (const std::runtime_error&) {
        ASSERT_FALSE(aborts);
      }
      std::uint64_t result = 0;
      scheduler.run([&](Frame& root) { result = tree.visit(root, node, 4); });
      ASSERT_EQ(result, Tree::oracle(node, 4)) << "seed " << seed() << " workers " << num_workers;
    }
  }
}

TEST(Stress, ManyShortSchedulersComeAndGo) {
  Device device(seed());
  const Tree tree{&device};
  for (int round = 0; round < 200; ++round) {
    Scheduler scheduler(1 + round % 4);
    std::uint64_t result = 0;
    const auto node = static_cast<std::uint64_t>(round) + 1;
    scheduler.run([&](Frame& root) { result = tree.visit(root, node, 4); });
    ASSERT_EQ(result, Tree::oracle(node, 4));
  }
}

}  // namespace
}  // namespace pbrt
