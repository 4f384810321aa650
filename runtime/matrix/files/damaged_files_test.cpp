// SPDX-License-Identifier: MIT
// Files with random damage: every reader must end with a matrix or with an error of the runtime.
#include "runtime/matrix/files/test_files.h"
#include "runtime/matrix/random.h"

namespace pbrt {
namespace {

class DamagedFiles : public test::FileTest {
 protected:
  /// Reads `rounds` damaged variants of a good file.
  void read_variants(const std::string& name, const MatrixSpec& spec, int rounds) {
    const std::string good = get(name);
    RandomStream rng{.key = 20};
    int num_read = 0;
    for (int round = 0; round < rounds; ++round) {
      std::string bad = good;
      const std::uint64_t num_changes = 1 + rng.next() % 4;
      for (std::uint64_t i = 0; i < num_changes && !bad.empty(); ++i) {
        const std::size_t at = rng.next() % std::min<std::size_t>(bad.size(), 160);
        const std::uint64_t kind = rng.next() % 4;
        if (kind == 0) bad[at] = static_cast<char>(rng.next());
        if (kind == 1) bad.erase(at, 1 + rng.next() % 5);
        if (kind == 2) bad.insert(at, std::string(1 + rng.next() % 5, "09 -x\n#("[rng.next() % 8]));
        if (kind == 3) bad.resize(rng.next() % (bad.size() + 1));
      }
      put("bad_" + name, bad);
      try {
        (void)MatrixReader().read(path("bad_" + name), spec);
        ++num_read;
      } catch (const RuntimeError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "messages are one line";
      }
    }
    EXPECT_LT(num_read, rounds);
  }
};

constexpr int kRounds = 150;

TEST_F(DamagedFiles, OfText) {
  write("m.txt", test::counting(ElementKind::Double, {4, 3}, 0.37));
  read_variants("m.txt", {"M[w, h]", ElementKind::Double, 2}, kRounds);
  read_variants("m.txt", {"M[w, h]", ElementKind::UChar, 2}, kRounds);
}

TEST_F(DamagedFiles, OfNumPy) {
  write("m.npy", test::counting(ElementKind::Int, {4, 3}));
  read_variants("m.npy", {"M[w, h]", ElementKind::Double, 2}, kRounds);
}

TEST_F(DamagedFiles, OfPictures) {
  write("m.pgm", test::counting(ElementKind::UChar, {4, 3}));
  read_variants("m.pgm", {"M[w, h]", ElementKind::Float, 2}, kRounds);
  put("a.ppm", "P3\n2 2\n255\n1 2 3 4 5 6\n7 8 9 10 11 12\n");
  read_variants("a.ppm", {"M[w, h, 3]", ElementKind::UShort, 3}, kRounds);
}

}  // namespace
}  // namespace pbrt
