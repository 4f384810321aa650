// SPDX-License-Identifier: MIT
// What a program that links OpenBLAS settles before its first call (docs/architecture.md 4): the kernels
// that OpenBLAS uses on this processor, and its threads. Nothing in programs without it.
#pragma once

#include <string>
#include <string_view>

namespace pbrt {

/// The OPENBLAS_CORETYPE that suits the processor better than `chosen`, the library's own choice; null: none.
[[nodiscard]] const char* better_core_type(std::string_view chosen, bool has_avx2, bool has_avx512);

/// Sets OpenBLAS up as the runtime wants it: the best kernels of the processor (0.3.21 takes processors that it does
/// not know for one of 2004), and one thread, as the workers share the processors.
///
/// Pre:     no thread is inside of OpenBLAS
void prepare_native_libraries();

/// Lets each call of OpenBLAS use so many threads: more than one is for programs that leave their work to it. With one
/// thread OpenBLAS's other threads end.
///
/// Pre:     no thread is inside of OpenBLAS
void use_library_threads(int threads);

/// Makes OpenBLAS use the kernels of `core_type`, a name of OPENBLAS_CORETYPE, or "auto": the best ones. What the user
/// has set in the environment stays. OpenBLAS chooses when it is loaded, before any code of the program runs; its
/// choice is made once more, by the functions with which it made it. Without them it stays.
///
/// Pre:     no thread is inside of OpenBLAS
void use_core_type(const std::string& core_type);

}  // namespace pbrt
