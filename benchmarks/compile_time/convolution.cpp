// SPDX-License-Identifier: MIT
// What a person would write instead of examples/separable_convolution.pbcc: both algorithms, reading and writing of
// text matrices. Compiled, not run.
#include "text_matrix.h"

static void convolve_2d(Matrix& out, const Matrix& in, const std::vector<double>& kernel) {
  const int width = int(kernel.size());
  for (int y = 0; y < out.h; ++y)
    for (int x = 0; x < out.w; ++x) {
      double sum = 0;
      for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) sum += in.cell(x + i, y + j) * kernel[i] * kernel[j];
      out.cell(x, y) = sum;
    }
}

static void convolve_rows(Matrix& out, const Matrix& in, const std::vector<double>& kernel) {
  for (int y = 0; y < out.h; ++y)
    for (int x = 0; x < out.w; ++x) {
      double sum = 0;
      for (int i = 0; i < int(kernel.size()); ++i) sum += in.cell(x + i, y) * kernel[i];
      out.cell(x, y) = sum;
    }
}

static void convolve_columns(Matrix& out, const Matrix& in, const std::vector<double>& kernel) {
  for (int y = 0; y < out.h; ++y)
    for (int x = 0; x < out.w; ++x) {
      double sum = 0;
      for (int i = 0; i < int(kernel.size()); ++i) sum += in.cell(x, y + i) * kernel[i];
      out.cell(x, y) = sum;
    }
}

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: convolution 2d|separable in kernel out\n";
    return 1;
  }
  const Matrix in = read_matrix(argv[2]);
  const std::vector<double> kernel = read_matrix(argv[3]).data;
  const int width = int(kernel.size());
  Matrix out(std::max(0, in.w - width + 1), std::max(0, in.h - width + 1));
  if (strcmp(argv[1], "2d") == 0) {
    convolve_2d(out, in, kernel);
  } else {
    Matrix buffer(out.w, in.h);
    convolve_rows(buffer, in, kernel);
    convolve_columns(out, buffer, kernel);
  }
  write_matrix(argv[4], out);
}
