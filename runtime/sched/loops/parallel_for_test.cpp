// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/parallel_for.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

template <int N>
std::vector<Box<N>> pieces_of(int num_workers, const Box<N>& box, std::int64_t split,
                              const PieceShape& shape = kLongPieces) {
  Scheduler scheduler(num_workers);
  std::vector<Box<N>> pieces;
  std::mutex lock;
  scheduler.run([&](Frame& root) {
    parallel_for<N>(
        root, box, split,
        [&](Frame&, const Box<N>& piece) {
          const std::lock_guard<std::mutex> guard(lock);
          pieces.push_back(piece);
        },
        nullptr, shape);
  });
  return pieces;
}

TEST(ParallelFor, PiecesPartitionTheBox) {
  for (const std::int64_t split : {1, 2, 3, 7, 64, 1000}) {
    for (const Box<3> box : {Box<3>{{0, 0, 0}, {5, 7, 9}}, Box<3>{{-3, 2, 10}, {60, 3, 30}}}) {
      std::vector<int> count(static_cast<std::size_t>(box.volume()), 0);
      for (const Box<3>& piece : pieces_of<3>(2, box, split)) {
        for (auto z = piece.lo[2]; z < piece.hi[2]; ++z) {
          for (auto y = piece.lo[1]; y < piece.hi[1]; ++y) {
            for (auto x = piece.lo[0]; x < piece.hi[0]; ++x) {
              ++count[static_cast<std::size_t>(((z - box.lo[2]) * box.extent(1) + y - box.lo[1]) * box.extent(0) + x -
                                               box.lo[0])];
            }
          }
        }
      }
      for (const int c : count) ASSERT_EQ(c, 1) << "split " << split;
    }
  }
}

TEST(ParallelFor, OneDimensionIsHalvedUntilBelowSplit) {
  for (const Box<1>& piece : pieces_of<1>(2, {{0}, {1000}}, 64)) {
    EXPECT_LT(piece.extent(0), 64);
    EXPECT_GE(piece.extent(0), 31);
  }
  EXPECT_EQ(pieces_of<1>(2, {{0}, {63}}, 64).size(), 1U);
  EXPECT_EQ(pieces_of<1>(2, {{0}, {64}}, 64).size(), 2U);
  EXPECT_EQ(pieces_of<1>(2, {{0}, {100}}, 1).size(), 100U);
}

TEST(ParallelFor, SlowDimensionsAreCutFirst) {
  const auto pieces = pieces_of<2>(2, {{0, 0}, {300, 200}}, 64);
  EXPECT_GE(pieces.size(), 16U);
  for (const Box<2>& piece : pieces) EXPECT_EQ(piece.extent(0), 300);
}

TEST(ParallelFor, WideRowsAreCutWhileSomeRowsStayTogether) {
  for (const Box<2>& piece : pieces_of<2>(2, {{0, 0}, {3520, 3520}}, 128)) {
    EXPECT_GE(piece.extent(0), 512);
    EXPECT_GE(piece.extent(1), 8);
    EXPECT_EQ(piece.extent(1) % 8, 0);
    EXPECT_LE(piece.volume(), 110 * 110);
  }
}

TEST(ParallelFor, TallPiecesKeepRowsTogetherBeforeColumns) {
  const auto pieces = pieces_of<2>(2, {{0, 0}, {2048, 4096}}, 256, kTallPieces);
  std::int64_t volume = 0;
  for (const Box<2>& piece : pieces) {
    EXPECT_GE(piece.extent(0), 32);
    EXPECT_GE(piece.extent(1), 256);
    volume += piece.volume();
  }
  EXPECT_EQ(volume, 2048 * 4096);
  EXPECT_GE(pieces.size(), 512U);
}

TEST(ParallelFor, SquarePiecesGrowWhereWorkersHaveEnough) {
  // Four pieces for two workers, also where one side is short.
  EXPECT_EQ(pieces_of<2>(2, {{0, 0}, {1024, 1024}}, 128, kSquarePieces).size(), 4U);
  EXPECT_EQ(pieces_of<2>(2, {{0, 0}, {4096, 8}}, 128, kSquarePieces).size(), 4U);
  // Not beyond four split sizes, and not below what the split size says.
  EXPECT_EQ(pieces_of<2>(2, {{0, 0}, {4096, 4096}}, 128, kSquarePieces).size(), 64U);
  EXPECT_EQ(pieces_of<2>(2, {{0, 0}, {100, 100}}, 128, kSquarePieces).size(), 1U);
  EXPECT_EQ(pieces_of<2>(2, {{0, 0}, {1024, 1024}}, kWholeBox, kSquarePieces).size(), 1U);
}

TEST(ParallelFor, ObliquePiecesAreMore) {
  EXPECT_EQ(pieces_of<2>(2, {{0, 0}, {1024, 1024}}, 128, kObliquePieces).size(), 16U);
  EXPECT_EQ(pieces_of<2>(2, {{0, 0}, {100, 100}}, 128, kObliquePieces).size(), 1U);
}

TEST(ParallelFor, SmallSquarePiecesAreCutAcrossTheirLongerSide) {
  const PieceShape shape = kSquarePieces.reading(2'000'000);
  const auto pieces = pieces_of<2>(2, {{0, 0}, {16, 16}}, 128, shape);
  ASSERT_EQ(pieces.size(), 2U);
  for (const Box<2>& piece : pieces) EXPECT_EQ(piece.extent(0), 16);
  for (const Box<2>& piece : pieces_of<2>(2, {{0, 0}, {64, 16}}, 128, shape)) {
    EXPECT_EQ(piece.extent(0), 16);
    EXPECT_EQ(piece.extent(1), 16);
  }
}

TEST(ParallelFor, InstancesThatReadMuchAreCutIntoMorePieces) {
  EXPECT_EQ(pieces_of<1>(2, {{0}, {16}}, 128).size(), 1U);
  EXPECT_EQ(pieces_of<1>(2, {{0}, {16}}, 128, kLongPieces.reading(kManyCells)).size(), 16U);
  EXPECT_EQ(pieces_of<1>(2, {{0}, {16}}, 128, kLongPieces.reading(kManyCells / 4)).size(), 8U) << "of two instances";
  // Vectors stay whole, and what looks like much, but may be little, costs no more than some pieces per worker.
  EXPECT_EQ(pieces_of<1>(2, {{0}, {256}}, 1024, kLongPieces.reading(kManyCells, kLeastInPacks)).size(), 4U);
  EXPECT_EQ(pieces_of<1>(2, {{0}, {1024}}, 2048, kLongPieces.reading(kManyCells)).size(), 32U);
  // Few reads and a smaller split size change nothing.
  EXPECT_EQ(pieces_of<1>(2, {{0}, {64}}, 16, kLongPieces.reading(100)).size(), 8U);
  EXPECT_EQ(pieces_of<1>(2, {{0}, {64}}, kWholeBox, kLongPieces.reading(kManyCells)).size(), 1U);
}

TEST(ParallelFor, EmptyBoxesCallNothing) {
  EXPECT_TRUE(pieces_of<1>(2, {{0}, {0}}, 1).empty());
  EXPECT_TRUE((pieces_of<2>(2, {{0, 5}, {10, 3}}, 1).empty()));
  EXPECT_EQ((Box<2>{{0, 5}, {10, 3}}.volume()), 0);
}

TEST(ParallelFor, OneWorkerAndSequentialFramesGetTheWholeBox) {
  EXPECT_EQ((pieces_of<2>(1, {{0, 0}, {100, 100}}, 4).size()), 1U);
  Scheduler scheduler(2);
  int num_calls = 0;
  scheduler.run([&](Frame& root) {
    CallFrame small(root, 1, 64);
    parallel_for<1>(small, {{0}, {1000}}, 4, [&](Frame& f, const Box<1>& piece) {
      ++num_calls;
      EXPECT_TRUE(f.is_sequential());
      EXPECT_EQ(piece.extent(0), 1000);
    });
  });
  EXPECT_EQ(num_calls, 1);
}

TEST(ParallelFor, ManyDimensionsWork) {
  Box<6> box;
  for (int d = 0; d < 6; ++d) {
    box.lo[d] = d;
    box.hi[d] = d + 3;
  }
  std::int64_t volume = 0;
  for (const Box<6>& piece : pieces_of<6>(2, box, 2)) volume += piece.volume();
  EXPECT_EQ(volume, 729);
}

TEST(ParallelFor, PiecesMaySpawnAndSync) {
  Scheduler scheduler(3);
  std::atomic<std::int64_t> sum{0};
  scheduler.run([&](Frame& root) {
    parallel_for<1>(root, {{0}, {500}}, 2, [&](Frame& f, const Box<1>& piece) {
      std::atomic<std::int64_t> mine{0};
      for (auto i = piece.lo[0]; i < piece.hi[0]; ++i) f.spawn([&mine, i](Frame&) { mine += i; });
      f.sync();
      sum += mine;
    });
  });
  EXPECT_EQ(sum.load(), 500 * 499 / 2);
}

/// Keeps the calling thread busy.
void work_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(ParallelFor, WhoHasMoreToDoThanOthersGivesThemSome) {
  for (const std::int64_t split : {2, 16}) {
    bool is_shared = false;
    Scheduler scheduler(2);
    scheduler.run([&](Frame& root) {
      for (int attempt = 0; attempt < 100 && !is_shared; ++attempt) {
        std::array<std::atomic<int>, 2> num_slow{};
        parallel_for<1>(root, {{0}, {64}}, split, [&](Frame& frame, const Box<1>& piece) {
          if (piece.lo[0] < 32) return;
          work_for(std::chrono::microseconds(50 * piece.volume()));
          ++num_slow.at(static_cast<std::size_t>(frame.worker_index()));
        });
        is_shared = num_slow[0] > 0 && num_slow[1] > 0;
      }
    });
    EXPECT_TRUE(is_shared) << "split " << split;
  }
}

TEST(ParallelFor, LongPiecesOfAnUnevenLoopAreShared) {
  bool is_shared = false;
  Scheduler scheduler(2);
  // On a busy machine the second worker may not come by for long.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  scheduler.run([&](Frame& root) {
    while (!is_shared && std::chrono::steady_clock::now() < deadline) {
      std::atomic<int> num_running{0};
      parallel_for<1>(root, {{0}, {4}}, 1, [&](Frame&, const Box<1>& piece) {
        if (piece.lo[0] < 2) return;
        if (num_running.fetch_add(1) == 1) is_shared = true;
        work_for(std::chrono::milliseconds(1));
        --num_running;
      });
    }
  });
  EXPECT_TRUE(is_shared) << "the worker that has both long pieces keeps none of them";
}

TEST(ParallelFor, RethrowsTheExceptionOfAPiece) {
  Scheduler scheduler(2);
  EXPECT_THROW(scheduler.run([](Frame& root) {
    parallel_for<1>(root, {{0}, {100}}, 4, [](Frame&, const Box<1>& piece) {
      if (piece.lo[0] >= 50) throw std::runtime_error("piece");
    });
  }),
               std::runtime_error);
}

/// How often the loops over `boxes` together call for each cell of `all`, and in how many pieces.
struct JointCalls {
  std::vector<int> counts;
  int num_pieces = 0;
};

template <int N>
JointCalls run_joint_loops(Frame& frame, const Box<N>& all, const std::vector<Box<N>>& boxes, std::int64_t split) {
  JointCalls calls{std::vector<int>(static_cast<std::size_t>(all.volume())), 0};
  std::mutex lock;
  const auto body = [&](Frame&, const Box<N>& piece) {
    const std::lock_guard<std::mutex> guard(lock);
    ++calls.num_pieces;
    for (std::int64_t i = 0; i < piece.volume(); ++i) {
      std::int64_t rest = i;
      std::int64_t cell = 0;
      std::int64_t stride = 1;
      for (int d = 0; d < N; ++d) {
        cell += (piece.lo[d] + rest % piece.extent(d) - all.lo[d]) * stride;
        rest /= piece.extent(d);
        stride *= all.extent(d);
      }
      ++calls.counts[static_cast<std::size_t>(cell)];
    }
  };
  JointLoops<N, 8> loops;
  for (const Box<N>& box : boxes) loops.add(box, body);
  loops.run(frame, split);
  return calls;
}

const std::vector<Box<3>> kInsideAndFaces = {
    {{0, 0, 0}, {1, 9, 21}},   {{1, 0, 0}, {32, 1, 21}}, {{1, 1, 0}, {32, 8, 1}},  {{1, 1, 1}, {32, 8, 20}},
    {{1, 1, 20}, {32, 8, 21}}, {{1, 8, 0}, {32, 9, 21}}, {{32, 0, 0}, {33, 9, 21}}};

TEST(JointLoops, PiecesPartitionAllBoxes) {
  for (const int num_workers : {1, 2, 3}) {
    Scheduler scheduler(num_workers);
    scheduler.run([&](Frame& root) {
      for (const std::int64_t split : {1, 4, 16, 1000}) {
        const JointCalls calls = run_joint_loops<3>(root, {{0, 0, 0}, {33, 9, 21}}, kInsideAndFaces, split);
        for (const int count : calls.counts) ASSERT_EQ(count, 1) << "split " << split;
        if (split == 1000) {
          EXPECT_EQ(calls.num_pieces, 7);
        }
        if (split == 4 && num_workers > 1) {
          EXPECT_GE(calls.num_pieces, 100);
        }
      }
    });
  }
}

TEST(JointLoops, OneWorkerLeavesRowsWhole) {
  Scheduler scheduler(1);
  scheduler.run([&](Frame& root) {
    std::vector<Box<2>> pieces;
    const auto body = [&](Frame&, const Box<2>& piece) { pieces.push_back(piece); };
    JointLoops<2, 2> loops;
    loops.add({{0, 0}, {1, 400}}, body);
    loops.add({{1, 0}, {5000, 400}}, body);
    loops.run(root, 64);
    ASSERT_GE(pieces.size(), 50U);
    for (std::size_t i = 0; i < pieces.size(); i += 2) {
      EXPECT_EQ(pieces[i].extent(0), 4999) << "the larger one comes first";
      EXPECT_EQ(pieces[i + 1].extent(0), 1);
      EXPECT_EQ(pieces[i].lo[1], pieces[i + 1].lo[1]);
      EXPECT_EQ(pieces[i].lo[1], i > 0 ? pieces[i - 1].hi[1] : 0);
    }
  });
}

TEST(JointLoops, PiecesOfTilesGrow) {
  for (const int num_workers : {1, 2}) {
    Scheduler scheduler(num_workers);
    scheduler.run([&](Frame& root) {
      std::atomic<int> num_pieces{0};
      const auto body = [&](Frame&, const Box<2>&) { ++num_pieces; };
      JointLoops<2, 2> loops;
      loops.add({{0, 0}, {1024, 1024}}, body);
      loops.add({{0, 0}, {1024, 1024}}, body);
      loops.run(root, 128, kObliquePieces);
      EXPECT_EQ(num_pieces, num_workers == 1 ? 2 : 32) << "two loops in each piece";
    });
  }
}

TEST(JointLoops, FusedLoopsTakeWhatAllHave) {
  for (const int num_workers : {1, 2}) {
    Scheduler scheduler(num_workers);
    scheduler.run([&](Frame& root) {
      for (const bool is_apart : {false, true}) {
        for (const std::int64_t split : {1, 4, 1000}) {
          std::array<std::array<std::atomic<int>, 400>, 2> counts{};
          std::atomic<int> num_fused{0};
          const auto count = [&](int i, const Box<2>& piece) {
            for (std::int64_t y = piece.lo[1]; y < piece.hi[1]; ++y)
              for (std::int64_t x = piece.lo[0]; x < piece.hi[0]; ++x) ++counts[i][x + 20 * y];
          };
          const auto both = [&](Frame&, const Box<2>& piece) {
            num_fused += static_cast<int>(piece.volume());
            count(0, piece);
            count(1, piece);
          };
          const auto first = [&](Frame&, const Box<2>& piece) { count(0, piece); };
          const auto second = [&](Frame&, const Box<2>& piece) { count(1, piece); };
          const Box<2> boxes[] = {{{0, 2}, {9, 17}}, {{is_apart ? 9 : 1, 0}, {20, 15}}};
          JointLoops<2, 9> loops;
          loops.add_fused({boxes[0], boxes[1]}, both, first, second);
          loops.run(root, split);
          EXPECT_EQ(num_fused, is_apart ? 0 : 8 * 13);
          for (int i = 0; i < 2; ++i)
            for (std::int64_t at = 0; at < 400; ++at) {
              const std::int64_t x = at % 20, y = at / 20;
              const bool is_in = x >= boxes[i].lo[0] && x < boxes[i].hi[0] && y >= boxes[i].lo[1] && y < boxes[i].hi[1];
              ASSERT_EQ(counts[i][at], is_in ? 1 : 0) << i << ": " << x << ", " << y;
            }
        }
      }
    });
  }
}

TEST(JointLoops, BoxesMayBeFarApartOverlapOrBeEmpty) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& root) {
    const JointCalls apart = run_joint_loops<1>(root, {{0}, {4000}}, {{{0}, {10}}, {{3990}, {4000}}, {{7}, {7}}}, 4);
    for (std::size_t i = 0; i < apart.counts.size(); ++i) ASSERT_EQ(apart.counts[i], i < 10 || i >= 3990 ? 1 : 0) << i;
    const JointCalls twice = run_joint_loops<2>(root, {{0, 0}, {20, 20}}, {{{0, 0}, {20, 20}}, {{0, 0}, {20, 20}}}, 1);
    for (const int count : twice.counts) ASSERT_EQ(count, 2);
    EXPECT_EQ(run_joint_loops<2>(root, {{0, 0}, {1, 1}}, {{{0, 0}, {0, 1}}}, 1).num_pieces, 0);
  });
}

TEST(JointLoops, SequentialFramesGetWholeBoxes) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& root) {
    CallFrame small(root, 1, 64);
    EXPECT_EQ(run_joint_loops<3>(small, {{0, 0, 0}, {33, 9, 21}}, kInsideAndFaces, 1).num_pieces, 7);
  });
}

TEST(JointLoops, RethrowTheExceptionOfAPiece) {
  for (const int num_workers : {1, 2}) {
    Scheduler scheduler(num_workers);
    EXPECT_THROW(scheduler.run([](Frame& root) {
      const auto good = [](Frame&, const Box<1>&) {};
      const auto bad = [](Frame&, const Box<1>& piece) {
        if (piece.hi[0] == 100) throw std::runtime_error("piece");
      };
      JointLoops<1, 2> loops;
      loops.add({{0}, {50}}, good);
      loops.add({{50}, {100}}, bad);
      loops.run(root, 4);
    }),
                 std::runtime_error);
  }
}

}  // namespace
TEST(Box, BoxesMakeUpABoxIfTheyFillIt) {
  const auto is = [](const Box<2>& box, const Box<2>& other) {
    return std::equal(box.lo, box.lo + 2, other.lo) && std::equal(box.hi, box.hi + 2, other.hi);
  };
  const Box<2> plate[] = {{{0, 0}, {1, 9}}, {{1, 0}, {7, 1}}, {{1, 1}, {7, 9}}, {{7, 0}, {8, 9}}, {{5, 5}, {3, 9}}};
  EXPECT_TRUE(is(made_up_of(plate), {{0, 0}, {8, 9}}));
  const Box<2> with_gap[] = {{{0, 0}, {1, 9}}, {{2, 0}, {8, 9}}};
  EXPECT_TRUE(made_up_of(with_gap).is_empty());
  const Box<2> none[] = {{{4, 4}, {4, 9}}, {{5, 5}, {3, 3}}};
  EXPECT_TRUE(made_up_of(none).is_empty());
  EXPECT_TRUE(is(common_part<2>({{0, 2}, {5, 6}}, {{3, 0}, {9, 4}}), {{3, 2}, {5, 4}}));
  EXPECT_TRUE(common_part<2>({{0, 0}, {2, 2}}, {{2, 0}, {4, 2}}).is_empty());
}

TEST(ParallelFor, LongInstancesAreManyPieces) {
  EXPECT_EQ(split_of_long(512, 1), 512);
  EXPECT_EQ(split_of_long(512, 100), 512);
  EXPECT_EQ(split_of_long(512, kManyCells / 4), 4);
  EXPECT_EQ(split_of_long(2, kManyCells / 4), 2);
  EXPECT_EQ(split_of_long(512, 1'000'000'000), 1);
  EXPECT_EQ(split_of_long(kWholeBox, 1'000'000'000), kWholeBox);
}

}  // namespace pbrt
