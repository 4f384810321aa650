// SPDX-License-Identifier: MIT
// FFTW (M. Frigo, S. G. Johnson, The Design and Implementation of FFTW3, 2005) with threads of OpenMP. Plans are
// measured before the clock starts, by the run that is checked; the others read what it learnt. With --split 1, real
// and imaginary parts stay apart as in program.pbcc; without it they are pairs, as the library likes them best.
#include <fftw3.h>

#include <string>

#include "benchmarks/harness/baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto re = run.input<double>(0), im = run.input<double>(1);
  const baseline::Array<double> out_re(re.shape), out_im(im.shape);
  const std::size_t n = re.size();
  const bool is_split = run.number("split", 0) != 0;
  // Pairs, or all real parts and then all imaginary ones.
  const baseline::Buffer<double> in(2 * n), out(2 * n);
  const std::string wisdom = run.text("out", ".") + "/fftw" + (is_split ? "_split" : "") + ".wisdom";
  fftw_init_threads();
  fftw_plan_with_nthreads(run.threads());
  if (run.number("trials", 3) > 0) fftw_import_wisdom_from_filename(wisdom.c_str());
  const fftw_iodim dimension{static_cast<int>(n), 1, 1};
  const std::size_t imaginary = is_split ? n : 1, step = is_split ? 1 : 2;
  const fftw_plan plan =
      is_split ? fftw_plan_guru_split_dft(1, &dimension, 0, nullptr, in.data(), in.data() + n, out.data(),
                                          out.data() + n, FFTW_MEASURE)
               : fftw_plan_dft_1d(static_cast<int>(n), reinterpret_cast<fftw_complex*>(in.data()),
                                  reinterpret_cast<fftw_complex*>(out.data()), FFTW_FORWARD, FFTW_MEASURE);
  if (plan == nullptr) baseline::fail("FFTW has no plan");
  fftw_export_wisdom_to_filename(wisdom.c_str());
  for (std::size_t i = 0; i < n; ++i) in[step * i] = re[i], in[step * i + imaginary] = im[i];
  run.measure([&] { fftw_execute(plan); },
              [&] {
                for (std::size_t i = 0; i < n; ++i) out_re[i] = out[step * i], out_im[i] = out[step * i + imaginary];
                run.write(0, out_re), run.write(1, out_im);
              });
}
