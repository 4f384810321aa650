// SPDX-License-Identifier: MIT
// The command line of pbc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostics.h"
#include "lang/types.h"

namespace pb {

/// What `--emit` prints; Binary: nothing, compile to an executable or a library.
enum class Emit : std::uint8_t { Binary, Ast, Program, Graph, Plan, Lowered, Cpp, Header, OpenCl, Cuda, Info, Status };
enum class ColourMode : std::uint8_t { Auto, Always, Never };
enum class FpMode : std::uint8_t { Strict, Contract, Reassociate };

struct Options {
  std::string input;   ///< path of the `.pbcc` file
  std::string output;  ///< `-o`; empty: made from `input`, or standard output with --emit
  Emit emit = Emit::Binary;
  bool is_svg = false;  ///< --emit=graph as a picture
  bool check_only = false;
  bool explain = false;
  bool is_checked = false;     ///< test every index at run time
  bool checks_copies = false;  ///< test at run time that what the host uses of a matrix is there
  bool is_debug = false;       ///< compile for debuggers, not for speed
  bool precompile = false;     ///< make the precompiled headers of such programs, beside the runtime's library
  bool is_library = false;     ///< make a library and its C header, in place of an executable
  bool is_standalone = false;  ///< the library holds a copy of the runtime, also where it could share one
  bool keep = false;           ///< keep the generated C++ beside the output
  bool time_passes = false;
  ElementType element = ElementType::Double;
  std::string main_name;
  std::string depfile;  ///< where to say which files the output was made of; empty: nowhere
  std::string config;   ///< configuration whose choices become constants; empty: none
  FpMode fp = FpMode::Contract;
  bool splits_products = false;  ///< units for products of matrices may take floats as sums of two parts
  ColourMode colour = ColourMode::Auto;
  std::vector<DiagKind> silenced;  ///< warnings that --no-warn names
};

/// The word of the command line and of the training information.
[[nodiscard]] const char* to_string(FpMode mode);

struct ParsedOptions {
  std::optional<Options> options;  ///< none: stop with `exit_status`; everything was printed
  int exit_status = 0;
};
[[nodiscard]] ParsedOptions parse_options(int argc, char** argv);

}  // namespace pb
