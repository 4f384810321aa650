// SPDX-License-Identifier: MIT
// Statements about parts of the lines of scans, and about the values behind them. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Which factors of parts of recurrences stand in arrays: those of which instances have different ones, or all.
enum class Factors : std::uint8_t { None, Different, All };
[[nodiscard]] inline Factors factors_if(bool has_factors) { return has_factors ? Factors::All : Factors::None; }

/// Whether numbers of parts may become too small and then large again, without the digits that they had lost. Powers of
/// a factor that all instances have only shrink or only grow.
[[nodiscard]] bool may_grow_again(const LineScans& scans);

class ScanPartPrinter {
 public:
  /// element or factor
  using NumberName = std::string (*)(const std::string& name, std::size_t k);
  using VisitNumber = std::function<void(std::size_t k, NumberName number)>;

  /// `types` are the words of the values' types.
  ///
  /// Pre: all other arguments outlive this object
  ScanPartPrinter(Writer& out, const LineScans& scans, std::vector<std::string> types)
      : out_(out), scans_(scans), words_(std::move(types)) {}

  /// What a name ends in: `pb_part` has the element `pb_part_e0` and the factor `pb_part_f0` of value 0.
  [[nodiscard]] static std::string element(const std::string& name, std::size_t k);
  [[nodiscard]] static std::string factor(const std::string& name, std::size_t k);
  [[nodiscard]] bool has_factor_of(std::size_t k) const { return has_factor(scans_.scan.values[k]); }
  [[nodiscard]] std::size_t size() const { return scans_.types.size(); }
  [[nodiscard]] const std::string& type(std::size_t k) const { return words_[k]; }
  /// Whether any order of operations gives the same bits: whole numbers wrap.
  [[nodiscard]] bool is_exact() const;
  [[nodiscard]] bool may_overflow(std::size_t k) const;
  [[nodiscard]] bool may_overflow() const;
  [[nodiscard]] std::string neutral(std::size_t k) const;
  [[nodiscard]] std::string is_finite(const std::string& name, bool has_factors) const;
  /// Whether factors of the part, which became 0 or subnormal, forget of the value before what shows in the result.
  /// Empty if no factor may.
  [[nodiscard]] std::string forgets(const std::string& part, const std::string& before) const;

  /// Visits the numbers of a part: of each value the element, then its factor.
  void for_each_number(Factors factors, const VisitNumber& visit) const;

  // Statements about a part of a line, or about the value behind one, which has no factor.
  void declare(const std::string& name, bool has_factors) const;
  /// `space` says in which memory the arrays are.
  void declare_arrays(const std::string& space, const std::string& name, const std::string& length,
                      Factors factors) const;
  void reset(const std::string& name, bool has_factors) const;
  /// Declares the factors that all instances have, `pb_same_f0` and so on.
  void declare_same_factors() const;
  /// Notes the factors of an instance as those.
  void keep_same_factors(const std::string& name) const;
  /// Gives them to a part. Where `is_there` is false, the factor is 1: there is no such instance.
  void take_same_factors(const std::string& name, const std::string& is_there) const;
  void append(const std::string& to, const std::string& part, bool has_factors) const;
  void copy(const std::string& to, const std::string& from, bool has_factors) const;
  void load(const std::string& name, const std::string& arrays, const std::string& place, Factors factors) const;
  void store(const std::string& name, const std::string& arrays, const std::string& place, Factors factors) const;
  /// Takes the part that another lane of the warp has under the name `from`.
  void exchange(const std::string& to, const std::string& from, const std::string& lane, bool has_factors) const;

 private:
  Writer& out_;
  const LineScans& scans_;
  std::vector<std::string> words_;
};

}  // namespace pb
