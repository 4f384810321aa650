// SPDX-License-Identifier: MIT
// Scans: rules that read their own output one step back along one direction and combine it with what they read
// otherwise, such as prefix sums. The combination is associative, so a line may be cut into chunks. A part of a chunk
// is computed apart, as if nothing stood before it, and combined with the value before the chunk later. Pure data, made
// by choicegraph/passes/computation. It says nothing about how a scan runs.
//
// The element that an instance adds is the combination itself, computed with the operator's neutral element in the
// place of the value before. Of a linear recurrence, the factor of the value before is computed beside it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lang/program.h"

namespace pb {

/// How an instance combines the value before with an element.
enum class ScanOp : std::uint8_t { Add, Mul, Min, Max, BitAnd, BitOr, BitXor, Linear };

/// One output of the rule that continues itself.
struct ScannedValue {
  std::size_t output = 0;  ///< index into Rule::outputs
  std::size_t input = 0;   ///< index into Rule::inputs: the same matrix one step back, or what stands for it outside
  ExprId combine;          ///< the expression that is the output's value; no other mentions the input
  ScanOp op = ScanOp::Add;
  bool rounds = false;  ///< another order rounds in another way

  bool operator==(const ScannedValue&) const = default;
};

struct Scan {
  std::string var;           ///< the rule variable that it runs along
  std::size_t dim = 0;       ///< of the outputs: its coordinate there is `var` and a constant
  bool is_backward = false;  ///< instances read the value at `var + 1`
  std::vector<ScannedValue> values;
  bool is_free = true;     ///< a configuration may choose another order than that of the source
  bool is_default = true;  ///< it is chosen by default

  [[nodiscard]] bool rounds() const {
    return std::any_of(values.begin(), values.end(), [](const ScannedValue& value) { return value.rounds; });
  }
  bool operator==(const Scan&) const = default;
};

/// Why a rule that reads its own output is no scan: shown by --explain at `span`.
struct WhyNotScan {
  std::string reason;
  Span span;
};

/// `sums`, `largest values`, `linear recurrence`, and so on.
[[nodiscard]] const char* to_words(ScanOp op);

}  // namespace pb
