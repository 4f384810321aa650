// SPDX-License-Identifier: MIT
// A matrix and its text files as a person would write them, with the headers that a rule body sees.
#pragma once

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

struct Matrix {
  int w = 0, h = 0;
  std::vector<double> data;
  Matrix(int width, int height) : w(width), h(height), data(size_t(width) * height) {}
  double& cell(int x, int y) { return data[x + size_t(w) * y]; }
  double cell(int x, int y) const { return data[x + size_t(w) * y]; }
};

/// A box of a matrix.
struct Part {
  double* base;
  int w, h, pitch;
  Part(Matrix& m) : base(m.data.data()), w(m.w), h(m.h), pitch(m.w) {}
  Part(double* first, int width, int height, int row) : base(first), w(width), h(height), pitch(row) {}
  double& cell(int x, int y) const { return base[x + size_t(pitch) * y]; }
  Part part(int x0, int y0, int x1, int y1) const { return Part(&cell(x0, y0), x1 - x0, y1 - y0, pitch); }
};

static Matrix read_matrix(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  int w = 0, h = 1;
  if (!(file >> word >> w >> h) || word != "SIZE" || w < 0 || h < 0) {
    std::cerr << "cannot read " << path << "\n";
    exit(1);
  }
  Matrix m(w, h);
  for (double& value : m.data)
    if (!(file >> value)) {
      std::cerr << path << " is truncated\n";
      exit(1);
    }
  return m;
}

static void write_matrix(const std::string& path, const Matrix& m) {
  std::ofstream file(path);
  file << "SIZE " << m.w << " " << m.h << "\n";
  for (int y = 0; y < m.h; ++y) {
    for (int x = 0; x < m.w; ++x) file << m.cell(x, y) << " ";
    file << "\n";
  }
}
