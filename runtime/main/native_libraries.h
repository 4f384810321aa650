// SPDX-License-Identifier: MIT
// What a program that links OpenBLAS settles before it starts (ARCHITECTURE 4): the kernels
// that OpenBLAS uses on this processor, and its threads. Nothing in programs without it.
#pragma once

#include <string_view>

namespace pbrt {

/// The OPENBLAS_CORETYPE that suits the processor better than `chosen`, the library's own choice; null: none.
[[nodiscard]] const char* better_core_type(std::string_view chosen, bool has_avx2, bool has_avx512);

/// OpenBLAS 0.3.21 takes processors that it does not know for one of 2004. It reads its core type when it is loaded, so
/// the program starts itself once more with OPENBLAS_CORETYPE set, unless the user has set it. OpenBLAS gets one thread:
/// the workers share the processors.
void prepare_native_libraries(char** argv);

}  // namespace pbrt
