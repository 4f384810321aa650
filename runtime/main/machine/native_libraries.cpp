// SPDX-License-Identifier: MIT
#include "runtime/main/machine/native_libraries.h"

#include <dlfcn.h>

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

/// Lets OpenBLAS choose its kernels anew, by itself if `core_type` is null. The environment is as before.
void choose_again(const char* core_type) {
  const auto forget = find_function<void (*)()>("gotoblas_dynamic_quit");
  const auto choose = find_function<void (*)()>("gotoblas_dynamic_init");
  if (forget == nullptr || choose == nullptr) return;
  if (core_type != nullptr && ::setenv(kVariable, core_type, 0) != 0) return;
  forget();
  choose();
  if (core_type != nullptr) ::unsetenv(kVariable);
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
  constexpr std::array<std::string_view, 12> kOld = {"Generic",    "Prescott", "Core2",        "Penryn",
                                                     "Dunnington", "Nehalem",  "Sandybridge",  "Atom",
                                                     "Athlon",     "Opteron",  "Opteron_SSE3", "Barcelona"};
  if (std::find(kOld.begin(), kOld.end(), chosen) == kOld.end()) return nullptr;
  if (has_avx512) return "SkylakeX";
  return has_avx2 ? "Haswell" : nullptr;
}

void use_core_type(const std::string& core_type) {
  const auto core_name = find_function<const char* (*)()>("openblas_get_corename");
  if (core_name == nullptr || std::getenv(kVariable) != nullptr) return;
  const bool is_auto = core_type == "auto";
  choose_again(is_auto ? nullptr : core_type.c_str());
  if (!is_auto) return;
  if (const char* better = better_core_type(core_name(), has_avx2(), has_avx512())) choose_again(better);
}

void use_library_threads(int threads) {
  const auto set_threads = find_function<void (*)(int)>("openblas_set_num_threads");
  if (set_threads == nullptr) return;
  set_threads(threads);
  if (threads > 1) return;
  // OpenBLAS's threads would look for work for tens of milliseconds before they sleep, so they are ended. It makes new
  // ones when it needs them.
  if (const auto end_threads = find_function<int (*)()>("blas_thread_shutdown_"); end_threads != nullptr)
    (void)end_threads();
}

void prepare_native_libraries() {
  use_core_type("auto");
  use_library_threads(1);
}

}  // namespace pbrt
