// SPDX-License-Identifier: MIT
// Prints the CPU text of a rule body: the user's own tokens with their white space and #line. Only calls of transforms,
// `spawn`, `sync`, `for_enough` and some lists of captures are rewritten. Some loops get requests for elements that
// they read later (reads_ahead.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clgen/facts/rule_facts.h"
#include "clgen/lower/loops/reads_ahead.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

/// What the text of a body depends on, beside its rule.
struct BodyOptions {
  bool is_checked = false;
  bool has_kernels = true;  ///< the program has kernels; without one, no data is ever on a device
};

/// The limits of a loop that counts, as it compares its variable with the last one.
struct LoopLimits {
  std::string first, last;
};

/// Another text of a statement.
struct OtherText {
  StmtId stmt;
  std::string text;  ///< one line
};

/// A loop whose rounds are divided among tasks.
struct TaskLoopText {
  StmtId loop;
  ExprId first, last;  ///< the limits of the source, which `limits` replaces
  LoopLimits limits;
  std::string before, after;  ///< statements around the loop, in lines
  std::vector<OtherText> others = {};
};

/// A loop whose first rounds may run in lanes.
struct LaneLoopText {
  StmtId loop;
  ExprId first;               ///< the first value of its variable, which `begin` replaces
  std::string begin;          ///< the name of the first value that the loop itself runs from
  std::string before, after;  ///< what makes a function of the loop, runs the lanes and calls it, in lines
};

/// An operand of the comma operator before the condition of a loop.
struct OperandText {
  ExprId condition;
  std::string text;
};

/// A loop that stands in braces of its own.
struct EnclosedLoopText {
  StmtId loop;
  std::string before, after;  ///< statements around the loop, in lines
  std::vector<OperandText> operands = {};
};

/// The forms of the body's loops other than that of the source.
struct BodyForms {
  const std::vector<ReadsAhead>& reads_ahead;  ///< these ask for elements ahead
  std::vector<LaneLoopText> lanes;
  std::vector<TaskLoopText> task_loops;         ///< one of them may be in `lanes`, too
  std::vector<EnclosedLoopText> enclosed = {};  ///< none of them has another form
  std::vector<std::uint32_t> wide_types = {};   ///< tokens in place of which `pbrt::WideSum` stands
};

/// Returns the text between the braces of the function; it starts with a #line and ends in a newline.
///
/// Calls become `call_T(pb_frame, …)`. In a program with kernels, statements stand around a call for the arguments that
/// the body's own text may touch (clgen/facts/watched_args.h). Before the call they announce what the text may have
/// written; after the call they bring the arguments back to the host. In a checked program, arguments that overlap
/// cause an error that shows the call.
[[nodiscard]] std::string body_text(const Program& program, const Rule& rule, const RuleFacts& facts,
                                    const SourceManager& sources, const BodyOptions& options, const BodyForms& forms);

/// Returns the text of a native block, with #line. Its declarations stand in a namespace of the user's, which encloses
/// that of the generated code, so that they may have names of the C library. Headers are included outside of the
/// namespace.
[[nodiscard]] std::string native_text(const NativeBlock& block, const SourceManager& sources);

}  // namespace pb
