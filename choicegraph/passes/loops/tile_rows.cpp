// SPDX-License-Identifier: MIT
#include "choicegraph/passes/loops/tile_rows.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace pb::choices {
namespace {

/// With more dimensions than this, rows lie along single dimensions.
constexpr std::size_t kMaxSkewedDims = 3;
constexpr int kMaxCoefficient = 2;

IndexExpr along(const std::vector<int>& coefficients, const std::vector<std::string>& dims) {
  IndexExpr out = index_const(0);
  for (std::size_t d = 0; d < dims.size(); ++d)
    out = index_add(out, index_mul(index_const(coefficients[d]), index_symbol(dims[d])));
  return out;
}

/// The row if no difference points forwards along it.
std::optional<NestRow> row_along(const Region& needs, const std::vector<int>& coefficients) {
  const IndexExpr delta = along(coefficients, needs.dims());
  const IndexExpr one = index_const(1);
  if (!needs.where_nonnegative(index_sub(delta, one)).is_empty()) return std::nullopt;
  const bool is_parallel = needs.where_nonnegative(index_sub(index_sub(index_const(0), delta), one)).is_empty();
  return NestRow{coefficients, is_parallel ? RowKind::Parallel : RowKind::Carried};
}

int cost_of(const std::vector<int>& coefficients) {
  int out = 0;
  for (const int c : coefficients) out += 4 * std::abs(c) + (c < 0 ? 1 : 0);
  return out;
}

/// All vectors of small numbers without a common factor, cheap ones first.
std::vector<std::vector<int>> candidate_rows(std::size_t num_dims) {
  std::vector<std::vector<int>> out;
  std::vector<int> at(num_dims, -kMaxCoefficient);
  for (;;) {
    int common = 0;
    for (const int c : at) common = std::gcd(common, c);
    if (common == 1) out.push_back(at);
    std::size_t d = 0;
    while (d < num_dims && ++at[d] > kMaxCoefficient) at[d++] = -kMaxCoefficient;
    if (d == num_dims) break;
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return cost_of(a) < cost_of(b); });
  return out;
}

/// The cheapest choice of `count` rows from `legal` (sorted by cost) with determinant 1 or -1.
class Basis {
 public:
  Basis(const std::vector<NestRow>& legal, std::size_t count) : legal_(legal), count_(count) {}
  std::vector<NestRow> find() {
    choose(0, 0);
    return best_;
  }

 private:
  void choose(std::size_t first, int cost) {
    if (cost >= best_cost_) return;
    if (rows_.size() == count_) {
      if (!is_unimodular(rows_)) return;
      best_ = rows_;
      best_cost_ = cost;
      return;
    }
    for (std::size_t i = first; i < legal_.size(); ++i) {
      rows_.push_back(legal_[i]);
      choose(i + 1, cost + cost_of(legal_[i].coefficients));
      rows_.pop_back();
    }
  }

  const std::vector<NestRow>& legal_;
  std::size_t count_;
  std::vector<NestRow> rows_, best_;
  int best_cost_ = std::numeric_limits<int>::max();
};

/// How badly `rows` go through memory; less is better. On the inside only dimension 0 should move, on the outside the
/// last dimensions.
int disorder(const std::vector<NestRow>& rows) {
  const std::vector<std::vector<int>> inverse = inverse_of(rows);
  int out = 0;
  for (std::size_t d = 0; d < rows.size(); ++d)
    if ((inverse[d].back() != 0) != (d == 0)) out += 100;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::size_t first = 0;
    while (rows[r].coefficients[first] == 0) ++first;
    out += static_cast<int>(r * first);
  }
  return out;
}

std::vector<NestRow> best_order(std::vector<NestRow> rows) {
  const auto before = [](const NestRow& a, const NestRow& b) { return a.coefficients < b.coefficients; };
  std::sort(rows.begin(), rows.end(), before);
  std::vector<NestRow> best = rows;
  while (std::next_permutation(rows.begin(), rows.end(), before))
    if (disorder(rows) < disorder(best)) best = rows;
  return best;
}

}  // namespace

std::vector<NestRow> find_straight_rows(const Region& needs) {
  const std::size_t num_dims = needs.dims().size();
  std::vector<NestRow> out;
  for (std::size_t d = num_dims; d-- > 0;) {
    std::vector<int> up(num_dims, 0);
    std::vector<int> down(num_dims, 0);
    up[d] = 1;
    down[d] = -1;
    auto row = row_along(needs, up);
    if (!row) row = row_along(needs, down);
    if (!row) return {};
    out.push_back(std::move(*row));
  }
  return out;
}

std::vector<NestRow> find_tile_rows(const Region& needs) {
  const std::size_t num_dims = needs.dims().size();
  std::vector<NestRow> straight = find_straight_rows(needs);
  if (!straight.empty() || num_dims > kMaxSkewedDims) return straight;
  std::vector<NestRow> legal;
  for (const std::vector<int>& coefficients : candidate_rows(num_dims))
    if (auto row = row_along(needs, coefficients)) legal.push_back(std::move(*row));
  std::vector<NestRow> basis = Basis(legal, num_dims).find();
  return basis.empty() ? basis : best_order(std::move(basis));
}

// Note [Rows]
// A difference (writer - reader) d is kept by every order in which all rows h satisfy h.d <= 0: tiles of such rows
// depend on tiles that are nowhere greater, so waiting for the predecessor along each row is enough, and inside a
// tile the rows may be walked in any nesting. Rows are tried with coefficients from -2 to 2: offsets such as
// (x-1, y+1) together with (x, y-1) need the row x+y. The rows must be unimodular, so that every point of them is an
// instance. isl says exactly which rows keep the differences, bounded or not.

}  // namespace pb::choices
