// SPDX-License-Identifier: MIT
#include "runtime/main/native_libraries.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace pbrt {
namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

template <class F>
F find_function(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

const char* better_core_type(std::string_view chosen, bool has_avx2, bool has_avx512) {
  // Names of OpenBLAS for processors without AVX2.
  constexpr std::array<std::string_view, 12> kOld = {"Generic",  "Prescott", "Core2",       "Penryn",
                                                     "Dunnington", "Nehalem", "Sandybridge", "Atom",
                                                     "Athlon",   "Opteron",  "Opteron_SSE3", "Barcelona"};
  if (std::find(kOld.begin(), kOld.end(), chosen) == kOld.end()) return nullptr;
  if (has_avx512) return "SkylakeX";
  return has_avx2 ? "Haswell" : nullptr;
}

void prepare_native_libraries(char** argv) {
  const auto core_name = find_function<const char* (*)()>("openblas_get_corename");
  if (core_name != nullptr && std::getenv(kVariable) == nullptr) {
    const char* better = better_core_type(core_name(), has_avx2(), has_avx512());
    if (better != nullptr && ::setenv(kVariable, better, 0) == 0) {
      ::execv("/proc/self/exe", argv);
      ::unsetenv(kVariable);  // it could not be started again: go on with the slow kernels
    }
  }
  const auto set_threads = find_function<void (*)(int)>("openblas_set_num_threads");
  if (set_threads != nullptr) set_threads(1);
}

}  // namespace pbrt
