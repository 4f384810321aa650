// SPDX-License-Identifier: MIT
#define PB_CHECKED
#include "runtime/matrix/region_handle.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/config/machine.h"
#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/new_contents.h"
#include "runtime/matrix/random.h"
#include "runtime/matrix/versions.h"

namespace pbrt {
namespace {

MatrixRegion<double, 2> counting(int w, int h) {
  auto m = MatrixRegion<double, 2>::allocate(w, h);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) m.cell(x, y) = x + 10 * y;
  return m;
}

TEST(Region, LaysOutDimensionZeroFastest) {
  const auto m = MatrixRegion<float, 3>::allocate(2, 3, 4);
  EXPECT_EQ(m.multipliers()[0], 1);
  EXPECT_EQ(m.multipliers()[1], 2);
  EXPECT_EQ(m.multipliers()[2], 6);
  EXPECT_EQ(&m.cell(1, 2, 3), m.base() + 1 + 2 * 2 + 3 * 6);
  EXPECT_EQ(m.count(), 24);
  EXPECT_EQ(m.bytes(), 96);
  EXPECT_EQ(m.perimeter(), 9);
  EXPECT_EQ(m.width() * 100 + m.height() * 10 + m.depth(), 234);
}

TEST(Region, SubregionsAreViews) {
  const auto m = counting(5, 4);
  const auto r = m.region(1, 1, 4, 3);
  EXPECT_EQ(r.width(), 3);
  EXPECT_EQ(r.height(), 2);
  EXPECT_EQ(r.cell(0, 0), 11);
  r.cell(2, 1) = -1;
  EXPECT_EQ(m.cell(3, 2), -1);
  EXPECT_EQ(m.row(2).cell(4), 24);
  EXPECT_EQ(m.col(3).cell(1), 13);
  EXPECT_EQ(m.column(3).multipliers()[0], 5);
  EXPECT_EQ(m.slice(1, 2).cell(0), 20);
  EXPECT_EQ(m.transposed().cell(1, 3), 13);
  EXPECT_EQ(m.transposed().width(), 4);
  EXPECT_EQ(m.all().cell(0, 0), 0);
  EXPECT_EQ(m.region(2, 2, 2, 3).count(), 0);
  EXPECT_THROW((void)m.region(2, 2, 1, 3), IndexError);
}

TEST(Region, CopiesOfABorrowedHandleOwn) {
  MatrixRegion<double, 1> copy;
  MatrixRegion<double, 1> moved;
  {
    const auto row = counting(3, 3).row(1);
    const auto callee = [&](MatrixRegion<double, 1> borrowed) {
      copy = borrowed;
      borrowed.cell(0) = 7;
      moved = std::move(borrowed);
      borrowed = MatrixRegion<double, 1>::allocate(1);
    };
    callee(row.borrowed());
    EXPECT_EQ(row.cell(0), 7);
  }
  EXPECT_EQ(copy.cell(0), 7);
  EXPECT_EQ(moved.cell(2), 12);
  EXPECT_EQ((MatrixRegion<double, 1>().borrowed().storage_ref().get()), nullptr);
}

TEST(Region, LentPartsOwnNothingButTheirCopiesDo) {
  MatrixRegion<double, 2> box;
  MatrixRegion<double, 1> row, column;
  MatrixRegion<double, 0> corner;
  ConstMatrixRegion<double, 2> whole;
  {
    const auto m = counting(4, 3);
    const auto lent = m.lent().region(1, 0, 3, 2);
    const MatrixRegion<double, 2>& part = lent;
    EXPECT_EQ(part.base(), m.region(1, 0, 3, 2).base());
    EXPECT_EQ(part.size(0), 2);
    box = part;
    row = m.lent().row(2);
    column = m.lent().region(1, 0, 3, 3).lent().column(1);
    EXPECT_EQ(m.lent().slice(0, 3).raw().base, m.col(3).base());
    corner = row.lent().slice(0, 1);
    const auto reads = [](const ConstMatrixRegion<double, 2>& read) { return ConstMatrixRegion<double, 2>(read); };
    whole = reads(m.as_input());
    EXPECT_EQ(&whole.as_input(), &whole);
  }
  EXPECT_EQ(box.cell(1, 1), 12);
  EXPECT_EQ(row.cell(3), 23);
  EXPECT_EQ(column.cell(1), 12);
  EXPECT_EQ(corner.cell(), 21);
  EXPECT_EQ(whole.cell(3, 2), 23);
}

TEST(Region, CopiesWhateverTheStrides) {
  const auto m = MatrixRegion<double, 3>::allocate(5, 4, 3);
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) m.cell(x, y, z) = x + 10 * y + 100 * z;
  const auto copy_of = [](const auto& part) {
    auto copy = MatrixRegion<double, 3>::allocate(part.size(0), part.size(1), part.size(2));
    part.copyTo(copy);
    return copy;
  };
  const auto box = copy_of(m.region(1, 1, 1, 4, 3, 3));
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) EXPECT_EQ(box.cell(x, y, z), x + 1 + 10 * (y + 1) + 100 * (z + 1));
  EXPECT_EQ(copy_of(m.transposed()).cell(2, 3, 4), m.cell(4, 3, 2));
  copy_of(m.region(1, 1, 1, 1, 3, 3));
  const auto back = MatrixRegion<double, 3>::allocate(3, 4, 5);
  m.copyTo(back.transposed());
  EXPECT_EQ(back.cell(1, 2, 3), m.cell(3, 2, 1));
}

TEST(Region, KeepsItsStorageAlive) {
  MatrixRegion<double, 1> row;
  {
    const auto m = counting(3, 3);
    row = m.row(1);
  }
  EXPECT_EQ(row.cell(2), 12);
}

TEST(Region, AssignmentReseats) {
  auto a = counting(2, 2);
  const auto b = counting(3, 3);
  const double* before = a.base();
  auto copy = a;
  a = b;
  EXPECT_EQ(a.base(), b.base());
  EXPECT_EQ(copy.base(), before);
}

TEST(Region, IndicesMayBeElements) {
  const auto m = counting(3, 3);
  const auto p = MatrixRegion<double, 1>::allocate(1);
  p.cell(0) = 2.9;
  EXPECT_EQ(m.cell(p.cell(0), 1L), 12);
  EXPECT_EQ(m.region(p.cell(0), 0u, 3.0, 3).width(), 1);
}

TEST(Region, TellsWholeBuffers) {
  const auto m = counting(3, 3);
  EXPECT_TRUE(m.isEntireBuffer());
  EXPECT_FALSE(m.transposed().isEntireBuffer());
  EXPECT_FALSE(m.row(0).isEntireBuffer());
  EXPECT_TRUE(m.contains(2, 2));
  EXPECT_FALSE(m.contains(3, 0));
  EXPECT_FALSE(m.contains(-1, 0));
  EXPECT_TRUE(m.isSize(3, 3));
  EXPECT_FALSE(m.isSize(3, 2));
  EXPECT_EQ(m.storage()->data(), m.base());
}

TEST(Region, CopiesBetweenStrides) {
  const auto m = counting(3, 2);
  const auto t = MatrixRegion<double, 2>::allocate(2, 3);
  m.transposed().copyTo(t);
  EXPECT_EQ(t.cell(1, 2), 12);
  EXPECT_THROW(m.copyTo(t), UserError);
  EXPECT_EQ(t.hash(), m.transposed().hash());
  EXPECT_NE(t.hash(), m.hash());
}

TEST(Region, ConstHandlesAreMadeFromMutableOnes) {
  const auto m = counting(2, 2);
  const ConstMatrixRegion<double, 2> c = m;
  EXPECT_EQ(c.cell(1, 1), 11);
  static_assert(std::is_same_v<decltype(c.cell(0, 0)), const double&>);
  static_assert(!std::is_constructible_v<MatrixRegion<double, 2>, ConstMatrixRegion<double, 2>>);
  c.forceMutable().cell(0, 0) = 5;
  EXPECT_EQ(m.cell(0, 0), 5);
}

TEST(Region, NewMatricesOfACheckedBuildHoldZeros) {
  for (int round = 0; round < 2; ++round) {
    const auto m = MatrixRegion<double, 1>::allocate(100);
    const auto number = MatrixRegion<double, 0>::allocate();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(m.cell(i), 0) << round << " " << i;
    EXPECT_EQ(number.cell(), 0);
    for (int i = 0; i < 100; ++i) m.cell(i) = 7;
    number.cell() = 7;
  }
}

/// Restores what new matrices hold.
class NewMatricesAreNan {
 public:
  NewMatricesAreNan() { fill_new_matrices_with_nan(true); }
  ~NewMatricesAreNan() { fill_new_matrices_with_nan(false); }
};

TEST(Region, NewMatricesHoldNanWhereThatIsWanted) {
  const NewMatricesAreNan scope;
  const auto m = MatrixRegion<double, 2>::allocate(30, 40);
  for (int i = 0; i < 1200; ++i) EXPECT_TRUE(std::isnan(m.base()[i])) << i;
  const auto plain = MatrixRegion<float, 1>::allocate<false>(3);
  EXPECT_TRUE(std::isnan(plain.cell(2)));
  EXPECT_TRUE(std::isnan((MatrixRegion<double, 0>::allocate().cell())));
  EXPECT_EQ((MatrixRegion<int, 0>::allocate().cell()), INT32_MIN);
  EXPECT_EQ((MatrixRegion<unsigned char, 1>::allocate(2).cell(1)), 255);
  const IndexT sizes[] = {5};
  EXPECT_TRUE(std::isnan(AnyMatrix::allocate(ElementKind::Double, 1, sizes).number_at(4)));
}

TEST(Region, ZeroDimensionsConvertToAndFromNumbers) {
  double u = 3;
  MatrixRegion<double, 0> refers(u);
  refers = 4;
  EXPECT_EQ(u, 4);
  const double value = refers;
  EXPECT_EQ(value, 4);
  const ConstMatrixRegion<double, 0> copied = u;
  u = 7;
  EXPECT_EQ(copied.cell(), 4);
  EXPECT_EQ(refers.cell(), 7);
  const ConstMatrixRegion<double, 0> from_expression = u * 2 + 1;
  EXPECT_EQ(from_expression, 15);
  const auto m = counting(2, 2);
  MatrixRegion<double, 0> element = m.cell(1, 1);
  element = 9;
  EXPECT_EQ(m.cell(1, 1), 9);
  EXPECT_EQ((MatrixRegion<double, 0>::allocate().count()), 1);
  EXPECT_EQ(m.row(0).slice(0, 1), 1);
}

TEST(Region, ChecksIndicesInCheckedBuilds) {
  const auto m = counting(2, 2);
  EXPECT_THROW((void)m.cell(2, 0), UserError);
  EXPECT_THROW((void)m.cell(0, -1), UserError);
  EXPECT_THROW((void)m.region(0, 0, 3, 2), UserError);
  EXPECT_THROW((void)m.row(2), UserError);
  EXPECT_THROW((void)m.cell((std::int64_t{1} << 32) + 1, 0), UserError) << "32 bits of it are an index inside";
  EXPECT_THROW((void)m.region(0, 0, (std::int64_t{1} << 32) + 1, 2), UserError);
}

TEST(Region, RefusesNegativeAndAbsurdSizes) {
  EXPECT_THROW(((void)MatrixRegion<double, 1>::allocate(-1)), UserError);
  EXPECT_THROW(((void)MatrixRegion<double, 3>::allocate(2000000000, 2000000000, 2000000000)), UserError);
  EXPECT_THROW(((void)MatrixRegion<double, 2>::allocate(2000000000, 2000000000)), RuntimeError);
}

TEST(Region, NineDimensionsWork) {
  const auto m = MatrixRegion<int, 9>::allocate(2, 1, 2, 1, 2, 1, 2, 1, 2);
  m.cell(1, 0, 1, 0, 1, 0, 1, 0, 1) = 5;
  EXPECT_EQ(m.base()[31], 5);
}

TEST(View, UnitStrideViewsAgreeWithGeneralOnes) {
  const auto m = counting(4, 3);
  const UnitView<double, 2> unit = m.unit_view();
  const View<double, 2> general = m.view();
  EXPECT_EQ(unit.cell(3, 2), general.cell(3, 2));
  EXPECT_EQ(unit.region(1, 1, 3, 3).row(1).cell(1), 22);
  EXPECT_EQ(unit.transposed().cell(2, 3), 23);
  EXPECT_TRUE(general.has_unit_stride());
  EXPECT_FALSE(m.transposed().view().has_unit_stride());
}

TEST(View, RowsOfNeighboursArePassedInRegisters) {
  // Twice as wide, a view goes through memory at each call; leaves of recursions are small.
  static_assert(sizeof(BasicView<double, 1, true, true>) == 16 && sizeof(BasicView<double, 0, true>) == 16);
  const auto m = counting(4, 3);
  const auto row = m.unit_view().row(1);
  EXPECT_EQ(row.stride(0), 1);
  EXPECT_EQ(row.multipliers()[0], 1);
  EXPECT_EQ(row.transposed().cell(2), m.cell(2, 1));
  const auto corner = row.slice(0, 3);
  EXPECT_EQ(corner.cell(), m.cell(3, 1));
}

TEST(Storage, IsAlignedAndReused) {
  const auto m = MatrixRegion<double, 1>::allocate(100000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.base()) % Storage::kAlignment, 0U);
  const auto small = MatrixRegion<double, 1>::allocate(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.base()) % 64, 0U);
  EXPECT_EQ((MatrixRegion<double, 1>::allocate(0).count()), 0);
}

TEST(Storage, SizesFitAnIndex) {
  EXPECT_THROW(((void)MatrixRegion<unsigned char, 2>::allocate((std::int64_t{1} << 32) + 1, 1)), UserError);
  EXPECT_EQ((MatrixRegion<unsigned char, 2>::allocate(std::int64_t{5}, std::size_t{2}).size(0)), 5);
}

TEST(Storage, BlocksWanderBetweenThreadsAndBelongToOne) {
  struct Shelf {
    std::mutex lock;
    MatrixRegion<double, 1> matrix;
  };
  std::vector<Shelf> shelves(20);
  std::atomic<int> num_wrong{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 rng(seed);
    for (int round = 0; round < 3000; ++round) {
      // Sizes below and above a page.
      const int n = static_cast<int>(rng() % 1500) + 1;
      auto mine = MatrixRegion<double, 1>::allocate(n);
      for (int i = 0; i < n; ++i) mine.cell(i) = n;
      MatrixRegion<double, 1> other;
      {
        Shelf& shelf = shelves[rng() % shelves.size()];
        const std::lock_guard<std::mutex> guard(shelf.lock);
        other = std::exchange(shelf.matrix, mine);
      }
      for (int i = 0; other.base() != nullptr && i < other.size(0); ++i)
        num_wrong += other.cell(i) != other.size(0) ? 1 : 0;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong.load(), 0);
}

TEST(Storage, KeepsLargeBlocksWhileAsMuchIsInUse) {
  // Pages that nobody touches take no memory.
  constexpr std::size_t kBytes = std::size_t{300} << 20;
  constexpr std::size_t kAt = 3 * 4096;
  const auto cell = [](const StorageRef& ref) -> char& { return static_cast<char*>(ref.get()->data())[kAt]; };
  const auto is_kept = [&] {
    cell(StorageRef::adopt(Storage::create(kBytes))) = 42;
    return cell(StorageRef::adopt(Storage::create(kBytes))) == 42;
  };
  EXPECT_FALSE(is_kept()) << "nothing is in use";
  {
    const StorageRef used = StorageRef::adopt(Storage::create(kBytes));
    EXPECT_TRUE(is_kept());
    // A larger block takes the place of the kept one instead of adding to it.
    (void)StorageRef::adopt(Storage::create(4 * kBytes));
    EXPECT_EQ(cell(StorageRef::adopt(Storage::create(kBytes))), 0);
  }
}

TEST(Storage, KeepsTheTemporariesOfARecursion) {
  // As many blocks as a call of Strassen's algorithm has are freed at once.
  constexpr std::size_t kBytes = std::size_t{3} << 20;
  const auto make = [&] {
    std::vector<StorageRef> temporaries(34);
    std::set<void*> addresses;
    for (StorageRef& ref : temporaries) {
      ref = StorageRef::adopt(Storage::create(kBytes));
      EXPECT_LT(reinterpret_cast<std::uintptr_t>(ref.get()->data()) % (1 << 21), 1U << 17)
          << "what large pages there are serve it";
      addresses.insert(ref.get()->data());
    }
    return addresses;
  };
  const std::set<void*> first = make();
  EXPECT_EQ(make(), first);
}

/// What the system says of the mapping that holds an address.
struct Mapping {
  bool is_advised = false;  ///< large pages were asked for
  long large_kib = 0;       ///< on large pages
};
Mapping mapping_of(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream file("/proc/self/smaps");
  Mapping out;
  bool is_it = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') is_it = begin <= wanted && wanted < end;
    if (is_it && line.starts_with("AnonHugePages:")) out.large_kib = std::stol(line.substr(line.find(':') + 1));
    if (is_it && line.starts_with("VmFlags:")) out.is_advised = (line + " ").find(" hg ") != std::string::npos;
  }
  return out;
}

TEST(Storage, AsksForLargePagesWhereItIsToldTo) {
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  const auto make = [](std::size_t bytes) {
    StorageRef ref = StorageRef::adopt(Storage::create(bytes));
    std::memset(ref.get()->data(), 1, bytes);
    return ref;
  };
  const auto is_advised = [&](const StorageRef& ref) { return mapping_of(ref.get()->data()).is_advised; };
  // Blocks kept for reuse are used only for memory of the same kind.
  (void)make(kBytes);
  Storage::ask_for_large_pages(true);
  StorageRef large = make(kBytes);
  const StorageRef other = make(kBytes), small = make(std::size_t{1} << 20);
  const auto start = [](const StorageRef& ref) {
    return reinterpret_cast<std::uintptr_t>(ref.get()->data()) % (1 << 21);
  };
  EXPECT_NE(start(large), start(other)) << "in step";
  EXPECT_LT(std::max(start(large), start(other)), 1U << 17);
  const bool has_large_pages = has_large_pages_on_request();
  const Mapping found = mapping_of(large.get()->data());
  const void* const before = large.get()->data();
  large = StorageRef();
  large = make(kBytes);
  EXPECT_EQ(large.get()->data(), before) << "kept for reuse";
  Storage::ask_for_large_pages(false);
  large = StorageRef();
  EXPECT_FALSE(is_advised(make(kBytes))) << "those of before are not for who does not ask";
  if (!has_large_pages) GTEST_SKIP() << "the system does not give large pages to who asks, or always";
  EXPECT_TRUE(found.is_advised);
  EXPECT_TRUE(is_advised(other)) << "what is in use stays what it is";
  EXPECT_FALSE(is_advised(small));
  if (found.large_kib == 0) GTEST_SKIP() << "the system has no large page left";
  EXPECT_GE(found.large_kib, 4096);
}

struct CountingRecord : DeviceRecord {
  explicit CountingRecord(int& destroyed) : destroyed_(destroyed) {}
  ~CountingRecord() override { ++destroyed_; }
  int& destroyed_;
};

TEST(Storage, DestroysItsDeviceRecordWithTheLastHandle) {
  int destroyed = 0;
  {
    auto m = MatrixRegion<double, 1>::allocate(10);
    m.storage_ref().get()->device_record = new CountingRecord(destroyed);
    const auto view = m.region(0, 5);
    m = MatrixRegion<double, 1>();
    EXPECT_EQ(destroyed, 0);
  }
  EXPECT_EQ(destroyed, 1);
}

TEST(Random, StreamsDependOnlyOnSeedAndPlace) {
  RandomStream a{.key = 1};
  RandomStream b{.key = 1};
  EXPECT_EQ(a.next(), b.next());
  (void)a.next();
  EXPECT_EQ(a.child_key(), b.child_key());
  EXPECT_NE(a.child_key(), RandomStream{.key = 1}.child_key());
}

TEST(Random, ChildStreamsDiffer) {
  std::set<std::uint64_t> seen;
  RandomStream parent{.key = 42};
  for (int i = 0; i < 1000; ++i) {
    RandomStream child{.key = parent.child_key()};
    for (int k = 0; k < 10; ++k) seen.insert(child.next());
  }
  EXPECT_EQ(seen.size(), 10000U);
}

TEST(Random, NumbersLieInTheirRangeAndSpread) {
  RandomStream stream{.key = 7};
  RandomStream* previous = set_current_random(&stream);
  double sum = 0;
  double normal_sum = 0;
  double normal_squares = 0;
  int low = 0;
  for (int i = 0; i < 100000; ++i) {
    const double d = random_double(-1, 3);
    ASSERT_TRUE(d >= -1 && d < 3);
    sum += d;
    const std::int64_t k = random_int(5, 8);
    ASSERT_TRUE(k >= 5 && k < 8);
    low += k == 5 ? 1 : 0;
    const double g = random_normal(2, 3);
    normal_sum += g;
    normal_squares += (g - 2) * (g - 2);
  }
  EXPECT_NEAR(sum / 100000, 1, 0.02);
  EXPECT_NEAR(low / 100000.0, 1.0 / 3, 0.01);
  EXPECT_NEAR(normal_sum / 100000, 2, 0.05);
  EXPECT_NEAR(std::sqrt(normal_squares / 100000), 3, 0.05);
  EXPECT_EQ(random_int(4, 4), 4);
  set_current_random(previous);
}

TEST(Random, FillsRegionsOfEveryStride) {
  RandomStream stream{.key = 7};
  RandomStream* previous = set_current_random(&stream);
  const auto m = counting(4, 4);
  m.region(1, 1, 3, 3).randomize();
  EXPECT_EQ(m.cell(0, 0), 0);
  EXPECT_EQ(m.cell(3, 3), 33);
  EXPECT_NE(m.cell(2, 2), 22);
  EXPECT_LT(std::fabs(m.cell(1, 1)), 0x1.0p31);
  set_current_random(previous);
}

TEST(Versions, ShareTheMemoryOfTwo) {
  using Matrix = MatrixRegion<double, 3>;
  const auto matrix = allocate_versions<Matrix>(2, 3, 2, 7);
  EXPECT_EQ(matrix.size(2), 7);
  EXPECT_EQ(matrix.storage().count(), 3 * 2 * 2);
  for (IndexT k = 0; k < 7; ++k) {
    const auto now = at_version(matrix, k);
    EXPECT_EQ(now.size(2), 7);
    for (IndexT y = 0; y < 2; ++y)
      for (IndexT x = 0; x < 3; ++x) {
        EXPECT_TRUE(k == 0 || now.cell(x, y, k - 1) == 100 * (k - 1) + 10 * y + x);
        now.cell(x, y, k) = 100 * k + 10 * y + x;
      }
  }
  EXPECT_EQ(at_version(matrix, 6).cell(2, 1, 6), 612);
}

TEST(Versions, MayTakeThePlaceOfTheOneBefore) {
  using Matrix = MatrixRegion<float, 2>;
  const auto matrix = allocate_versions<Matrix>(1, 3, 7);
  EXPECT_EQ(matrix.size(1), 7);
  EXPECT_EQ(matrix.storage().count(), 3);
  for (IndexT k = 1; k < 7; ++k) {
    const auto now = at_version(matrix, k);
    EXPECT_EQ(now.size(1), 7);
    now.cell(2, k - 1) = static_cast<float>(k);
    EXPECT_EQ(now.cell(2, k), static_cast<float>(k));
    EXPECT_EQ(&now.cell(0, k), matrix.view().address());
  }
  EXPECT_EQ(allocate_versions<Matrix>(1, 3, 1).storage().count(), 3);
  EXPECT_EQ(allocate_versions<Matrix>(1, 3, 0).storage().count(), 0);
}

TEST(Versions, HaveMemoryOfTheirOwnWhereItIsWanted) {
  using Matrix = MatrixRegion<float, 2>;
  EXPECT_EQ(allocate_versions<Matrix>(2, 3, 1).storage().count(), 3);
  EXPECT_EQ(allocate_versions<Matrix>(2, 3, 0).storage().count(), 0);
  const auto whole = Matrix::allocate(3, 7);
  EXPECT_EQ(at_version(whole, 5).view().address(), whole.view().address());
  fill_new_matrices_with_nan(true);
  const auto shown = allocate_versions<Matrix>(2, 3, 7);
  fill_new_matrices_with_nan(false);
  EXPECT_EQ(shown.storage().count(), 21);
  EXPECT_TRUE(std::isnan(shown.cell(2, 6)));
}

TEST(AnyMatrix, GivesTypedHandlesOfTheSameStorage) {
  const IndexT sizes[] = {2, 3};
  const AnyMatrix m = AnyMatrix::allocate(ElementKind::Short, 2, sizes);
  m.as<short, 2>().cell(1, 2) = 77;
  EXPECT_EQ(m.number_at(5), 77);
  EXPECT_EQ(m.clone().number_at(5), 77);
  EXPECT_EQ(m.bytes(), 12);
  const AnyMatrix scalar = AnyMatrix::allocate(ElementKind::Double, 0, nullptr);
  scalar.as<double, 0>() = 5;
  EXPECT_EQ(scalar.number_at(0), 5);
}

}  // namespace
}  // namespace pbrt
