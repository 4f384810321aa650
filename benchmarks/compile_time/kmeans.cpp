// SPDX-License-Identifier: MIT
// What a person would write instead of tests/conformance/applications/kmeans.pbcc. Compiled, not run.
#include "text_matrix.h"

static void assign(Matrix& cluster, const Matrix& p, const Matrix& c) {
#pragma omp parallel for
  for (int i = 0; i < p.w; ++i) {
    int best = 0;
    double best_distance = std::numeric_limits<double>::max();
    for (int j = 0; j < c.w; ++j) {
      const double dx = p.cell(i, 0) - c.cell(j, 0), dy = p.cell(i, 1) - c.cell(j, 1);
      const double d = dx * dx + dy * dy;
      if (d < best_distance) {
        best_distance = d;
        best = j;
      }
    }
    cluster.cell(i, 0) = best;
  }
}

static void update_by_points(Matrix& c, const Matrix& p, const Matrix& cluster) {
  std::vector<double> count(c.w);
  Matrix sums(c.w, 2);
  for (int i = 0; i < p.w; ++i) {
    const int j = int(cluster.cell(i, 0));
    count[j]++;
    sums.cell(j, 0) += p.cell(i, 0);
    sums.cell(j, 1) += p.cell(i, 1);
  }
  for (int j = 0; j < c.w; ++j)
    if (count[j] > 0) {
      c.cell(j, 0) = sums.cell(j, 0) / count[j];
      c.cell(j, 1) = sums.cell(j, 1) / count[j];
    }
}

static void update_by_centres(Matrix& c, const Matrix& p, const Matrix& cluster) {
#pragma omp parallel for
  for (int j = 0; j < c.w; ++j) {
    int count = 0;
    double x = 0, y = 0;
    for (int i = 0; i < p.w; ++i)
      if (cluster.cell(i, 0) == j) {
        count++;
        x += p.cell(i, 0);
        y += p.cell(i, 1);
      }
    if (count > 0) {
      c.cell(j, 0) = x / count;
      c.cell(j, 1) = y / count;
    }
  }
}

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: kmeans points|centres K POINTS CENTRES CLUSTER\n";
    return 1;
  }
  const Matrix p = read_matrix(argv[3]);
  const int k = atoi(argv[2]);
  if (p.h != 2 || k < 1) {
    std::cerr << "no points of two coordinates in " << argv[3] << ", or no centres\n";
    return 1;
  }
  Matrix c(k, 2), cluster(p.w, 1);
  for (int j = 0; j < k; ++j)
    for (int d = 0; d < 2; ++d) c.cell(j, d) = p.cell(int((long long)j * p.w / k), d);
  for (int round = 0; round < 6; ++round) {
    assign(cluster, p, c);
    strcmp(argv[1], "points") == 0 ? update_by_points(c, p, cluster) : update_by_centres(c, p, cluster);
  }
  assign(cluster, p, c);
  write_matrix(argv[4], c);
  write_matrix(argv[5], cluster);
}
