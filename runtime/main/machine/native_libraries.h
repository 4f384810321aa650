// SPDX-License-Identifier: MIT
// Settings that a program which links OpenBLAS makes before its first call (docs/architecture.md 4): the kernels that
// OpenBLAS uses on this processor, and the number of its threads. In programs without OpenBLAS nothing happens.
#pragma once

#include <string>
#include <string_view>

namespace pbrt {

/// Returns the OPENBLAS_CORETYPE that suits the processor better than `chosen`, the library's own choice; null if
/// `chosen` is right.
[[nodiscard]] const char* better_core_type(std::string_view chosen, bool has_avx2, bool has_avx512);

/// Sets OpenBLAS up as the runtime wants it: with the best kernels for the processor, and with one thread, since the
/// workers share the processors. OpenBLAS 0.3.21 treats processors that it does not know as one of 2004.
///
/// Pre:     no thread is inside of OpenBLAS
void prepare_native_libraries();

/// Lets each call of OpenBLAS use `threads` threads. More than one pays only where the program's work is in OpenBLAS.
/// With one, its other threads end.
///
/// Pre:     no thread is inside of OpenBLAS
void use_library_threads(int threads);

/// Makes OpenBLAS use the kernels of `core_type`, a name of OPENBLAS_CORETYPE, or "auto" for the best ones. A value
/// that the user has set in the environment stays in force. OpenBLAS chooses when it is loaded, before any code of the
/// program runs. This function calls the library's own functions to choose again; if they are missing, the first choice
/// stays.
///
/// Pre:     no thread is inside of OpenBLAS
void use_core_type(const std::string& core_type);

}  // namespace pbrt
