// SPDX-License-Identifier: MIT
// CPU text of a rule body: the user's own tokens with their white space and #line, in which
// only calls of transforms, `spawn` and `sync` are rewritten, and requests for later elements join steps of loops.
#pragma once

#include <string>

#include "clgen/rule_facts.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

/// What bodies are made for.
struct BodyOptions {
  bool is_checked = false;
  bool has_kernels = true;  ///< of the program: without one, nothing ever is on a device
};

/// Returns the text between the braces of the function; it starts with a #line and ends in a newline.
///
/// Calls become `call_T(pb_frame, …)`. After a call, the arguments that the body's own text may touch (see
/// clgen/watched_args.h) are brought to the host; before it, what the text may have written is announced: both only in
/// a program with kernels. In a checked program, arguments that overlap end in an error that shows the call.
[[nodiscard]] std::string body_text(const Program& program, const Rule& rule, const RuleFacts& facts,
                                    const SourceManager& sources, const BodyOptions& options);

/// Text of a native block, with #line. What it declares is in a namespace of the user's around that of
/// the generated code, so that it may bear names of the C library; headers are included outside of it.
[[nodiscard]] std::string native_text(const NativeBlock& block, const SourceManager& sources);

}  // namespace pb
