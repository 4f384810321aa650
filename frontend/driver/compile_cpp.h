// SPDX-License-Identifier: MIT
// The last step: the system's C++ compiler on the generated file, linked with the runtime.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontend/driver/compiler_output.h"
#include "frontend/driver/pbc_options.h"
#include "lang/diagnostics.h"

namespace pb {

enum class Product : std::uint8_t {
  Program,
  SharedLibrary,      ///< uses libpbrt.so.0
  StandaloneLibrary,  ///< a shared library that holds the runtime
  StaticLibrary,
};

/// What generated code is compiled for.
struct CppMode {
  FpMode fp = FpMode::Contract;
  bool is_debug = false;  ///< for debuggers, not for speed
};

/// What is compiled, and how.
struct CppJob {
  const std::string& generated;
  const std::string& target;
  std::string generated_name;  ///< what `#line` directives call `generated`
  CppMode mode = {};
  Product product = Product::Program;
  std::vector<std::string> exported = {};  ///< the names that a library offers
};

/// Compiles and links generated code. The compiler is $CXX or `c++`.
/// `before_rename` writes what belongs to the target; it is called once the compiler has succeeded.
///
/// Post:    on failure `target` is as it was before
/// Errors:  false after errors of the user's C++ on `diags`; throws IoError if the compiler cannot run, the
///          output cannot be written, or generated code is rejected
[[nodiscard]] bool compile_cpp(const CppJob& job, const UserProgram& user, Diagnostics& diags,
                               const std::function<void()>& before_rename);

/// Precompiles the headers of programs like `generated`, for all users of this runtime.
///
/// Errors:  throws IoError
void precompile_headers(const std::string& generated, const CppMode& mode);

}  // namespace pb
