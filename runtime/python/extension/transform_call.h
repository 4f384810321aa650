// SPDX-License-Identifier: MIT
// A transform as Python calls it: arrays in, arrays out.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/python/extension/array_matrix.h"
#include "runtime/python/extension/loaded_library.h"

namespace pbpy {

/// Threads: holds the interpreter's lock, but while a transform runs
class Transform {
 public:
  Transform(std::shared_ptr<Context> context, std::int32_t index, Axes axes)
      : context_(std::move(context)), index_(index), axes_(axes) {}

  /// Calls the transform: inputs by position or name, numbers by name, and perhaps `out`, an array or a tuple of
  /// arrays. Returns `out`, else new arrays; a new output of rank 0 is a number.
  ///
  /// Errors:  TypeError, polybricks.Error, KeyboardInterrupt
  [[nodiscard]] pybind11::object call(const pybind11::args& positional, const pybind11::kwargs& named) const;

  /// Refuses inputs as `call` does, and calls nothing.
  ///
  /// Errors:  TypeError, polybricks.ArgumentError
  void check_inputs(const pybind11::args& positional) const;

  [[nodiscard]] const pb_transform& table() const { return context_->library().transforms[index_]; }

 private:
  struct Arguments;
  [[nodiscard]] Arguments no_arguments() const;
  void take_named(Arguments& arguments, const pybind11::kwargs& named) const;
  void take_inputs(Arguments& arguments, const pybind11::args& positional) const;
  void take_outputs(Arguments& arguments, pb_context* context) const;
  void make_outputs(Arguments& arguments, pb_context* context) const;
  void run(const Arguments& arguments, pb_context* context) const;

  std::shared_ptr<Context> context_;
  std::int32_t index_;
  Axes axes_;
};

}  // namespace pbpy
