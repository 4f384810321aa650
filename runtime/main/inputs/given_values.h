// SPDX-License-Identifier: MIT
// `--set NAME=V`: values of `param`s and of inputs that are single numbers, in place of words and files of the command
// line and of generated numbers. Checked once against the transform that is run; used by all modes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/main/inputs/problem.h"

namespace pbrt {

class GivenValues {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;

  GivenValues() = default;
  /// Reads values. `texts` holds names and values as written.
  ///
  /// Errors:  UserError naming the option: no such number, given twice, or a value that its type does not hold
  GivenValues(const TransformDesc& transform, const Texts& texts);

  [[nodiscard]] bool has_param(int p) const { return has(params_, p); }
  [[nodiscard]] bool has_input(int i) const { return has(inputs_, i); }
  /// The value of input `i`. Pre: has_input(i).
  [[nodiscard]] AnyMatrix input(int i) const;
  /// The number of values. The command line has that many words fewer.
  [[nodiscard]] int count() const { return static_cast<int>(params_.size() + inputs_.size()); }
  /// `By, n`
  [[nodiscard]] std::string names() const;

  /// Adds the params to the wishes for sizes.
  ///
  /// Errors:  UserError if --size gives one of them, too
  void add_to(SizeWishes& wishes) const;
  /// Puts the numbers into generated inputs.
  void put_into(const Problem& problem) const;

 private:
  struct Param {
    int index;
    std::string name;
    std::int64_t value;
  };
  struct Input {
    int index;
    std::string name;
    AnyMatrix value;
  };
  template <class Items>
  static bool has(const Items& items, int index) {
    for (const auto& item : items)
      if (item.index == index) return true;
    return false;
  }
  void add(const TransformDesc& transform, const std::string& name, const std::string& text);

  std::vector<Param> params_;
  std::vector<Input> inputs_;
};

/// The value of a `param`, an integer of 32 bits.
///
/// Errors:  UserError that begins with `what`
[[nodiscard]] std::int64_t param_value(const std::string& what, const std::string& text);

/// The names that --set takes, params first; in the order of the command line.
[[nodiscard]] std::vector<std::string> settable_names(const TransformDesc& transform);

}  // namespace pbrt
