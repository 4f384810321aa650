// SPDX-License-Identifier: MIT
// List-mode OSEM with OpenMP, as in M. Steuwer, P. Kegel, S. Gorlatch, SkelCL, 2011: each thread goes through its share
// of a subset's events and adds to a picture of its own. Then all pictures are added. The voxels of a line are found
// once and kept for the way back.
#include "benchmarks/harness/baseline.h"

namespace {

struct Volume {
  int width, height, depth;
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(width) * height * depth; }
  [[nodiscard]] int samples() const { return 2 * (width + height + depth); }
};

/// Adds the inverse of what the image predicts for the line of one event to all voxels on it.
void add_event(const Volume& v, const double* event, const double* image, double* sums, int* voxels) {
  const int samples = v.samples();
  double predicted = 0;
#pragma omp simd
  for (int k = 0; k < samples; ++k) {
    const double t = (k + 0.5) / samples;
    const int x = static_cast<int>((event[0] + t * (event[3] - event[0])) * v.width);
    const int y = static_cast<int>((event[1] + t * (event[4] - event[1])) * v.height);
    const int z = static_cast<int>((event[2] + t * (event[5] - event[2])) * v.depth);
    voxels[k] = (z * v.height + y) * v.width + x;
  }
  for (int k = 0; k < samples; ++k) predicted += image[voxels[k]];
  const double inverse = predicted > 0 ? 1 / predicted : 0;
  for (int k = 0; k < samples; ++k) sums[voxels[k]] += inverse;
}

void reconstruct(const Volume& v, const baseline::Array<double>& events, double* image, double* parts, int threads) {
  const auto size = static_cast<std::ptrdiff_t>(v.size());
  const int subsets = static_cast<int>(events.shape[0]), count = static_cast<int>(events.shape[1]);
  for (int s = 0; s < subsets; ++s) {
    const double* subset = events.data() + static_cast<std::size_t>(s) * count * 6;
#pragma omp parallel num_threads(threads)
    {
      std::vector<int> voxels(static_cast<std::size_t>(v.samples()));
#pragma omp for schedule(static)
      for (int p = 0; p < threads; ++p) {
        double* sums = parts + p * size;
        std::fill_n(sums, size, 0.0);
        const int first = static_cast<int>(std::int64_t{count} * p / threads);
        const int end = static_cast<int>(std::int64_t{count} * (p + 1) / threads);
        for (int j = first; j < end; ++j) add_event(v, subset + std::ptrdiff_t{j} * 6, image, sums, voxels.data());
      }
#pragma omp for schedule(static)
      for (std::ptrdiff_t i = 0; i < size; ++i) {
        double sum = 0;
        for (int p = 0; p < threads; ++p) sum += parts[p * size + i];
        image[i] *= sum;
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto events = run.input<double>(0), first = run.input<double>(1);
  const Volume volume{static_cast<int>(first.shape[2]), static_cast<int>(first.shape[1]),
                      static_cast<int>(first.shape[0])};
  const baseline::Array<double> image(first.shape);
  const baseline::Array<double> parts({static_cast<std::size_t>(run.threads()), first.size()});
  run.measure([&] { std::copy_n(first.data(), first.size(), image.data()); },
              [&] { reconstruct(volume, events, image.data(), parts.data(), run.threads()); },
              [&] { run.write(0, image); });
}
