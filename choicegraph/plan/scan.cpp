// SPDX-License-Identifier: MIT
#include "choicegraph/plan/scan.h"

namespace pb {

const char* to_words(ScanOp op) {
  switch (op) {
    case ScanOp::Add:
      return "sums";
    case ScanOp::Mul:
      return "products";
    case ScanOp::Min:
      return "smallest values";
    case ScanOp::Max:
      return "largest values";
    case ScanOp::BitAnd:
      return "bitwise and";
    case ScanOp::BitOr:
      return "bitwise or";
    case ScanOp::BitXor:
      return "bitwise exclusive or";
    case ScanOp::Linear:
      return "linear recurrence";
  }
  return "?";
}

}  // namespace pb
