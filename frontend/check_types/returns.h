// SPDX-License-Identifier: MIT
// Checks that a body returns what its rule asks for: a value if the output has no name, else none. Private to this
// folder.
#pragma once

#include "frontend/check_types/body_context.h"

namespace pb::checking {

class Returns {
 public:
  /// Keeps a reference.
  explicit Returns(BodyContext& context) : context_(context) {}

  /// Checks a return of the body itself, not of a lambda in it.
  void check(const ReturnStmt& stmt, Span span);
  /// Reports a body that needs a return and has none. A body is left alone if it ends the run, or if it may return in
  /// C++ that the tree does not know.
  ///
  /// Pre: the whole body was checked
  void report_if_missing();

 private:
  BodyContext& context_;
  bool has_any_ = false;
};

}  // namespace pb::checking
