// SPDX-License-Identifier: MIT
// Whether a body returns what its rule says: a value where the output has no name, none elsewhere. Private to this
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
  /// Reports a body without any return that needs one. A body that may return in C++ of which the tree knows nothing,
  /// or that ends the run, is left alone.
  ///
  /// Pre: the whole body was checked
  void report_if_missing();

 private:
  BodyContext& context_;
  bool has_any_ = false;
};

}  // namespace pb::checking
