// SPDX-License-Identifier: MIT
// The text of where an instance of a kernel finds the regions of its rule. Private to this folder.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/opencl/kernel_tiles.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Where a work-item finds the cells of an input in the memory of its group.
struct LocalCells {
  std::string pointer;               ///< to the memory
  std::string place;                 ///< of the input's first cell
  std::vector<std::string> pitches;  ///< how far neighbours lie apart, per dimension of the matrix
};

class KernelOperandPrinter {
 public:
  /// Pre: all arguments outlive this object
  KernelOperandPrinter(Writer& out, const Program& program, const KernelTree& lowered, const KernelDialect& dialect,
                       KernelTilePrinter& tiles)
      : out_(out),
        program_(program),
        transform_(program.transforms[lowered.transform]),
        rule_(transform_.rules[lowered.rule]),
        lowered_(lowered),
        dialect_(dialect),
        tiles_(tiles) {}

  /// Declares where the regions of an instance lie, and the cells that it reads at once. The rule's variables are
  /// known.
  void print(const RuleInstance& instance);
  /// Says that the rule's input of that number lies in the memory of the group.
  ///
  /// Pre: it is a Value, or Cells
  void set_local_cells(std::size_t input, LocalCells cells) { local_[input] = std::move(cells); }
  /// Declares where the rule's input of that number lies, or its cell.
  void print_input(std::size_t input, const Operand& operand);
  /// Declares the one cell of an input that may lie outside.
  void print_border_cell(const RegionAccess& input) const;
  /// Declares the sizes of a region that the body uses.
  void print_sizes(const RegionAccess& access);

  [[nodiscard]] const KernelDialect& dialect() const { return dialect_; }

  /// Returns the one cell of the output that the body calls `name`; of a returned value it is `return`.
  [[nodiscard]] static std::string cell_at(const std::string& name);
  /// Returns the one cell of an input or an output, in memory.
  [[nodiscard]] std::string cell_of(const RegionAccess& access, bool is_output = false) const;
  /// Returns the variable that has the value one step back, where a scan continues the input.
  [[nodiscard]] static std::string before_name(const RegionAccess& input);

 private:
  [[nodiscard]] std::string offset_of(const RegionAccess& access, bool is_output) const;
  void print_address(const RegionAccess& access, const std::string& name, bool is_output);
  void print_region(const RegionAccess& access, const Operand& operand, bool is_output);
  void print_cells(const RegionAccess& input, const Operand& operand, const LocalCells& cells);
  void print_global(const RegionAccess& input, const Operand& operand);
  void print_output(const RegionAccess& output, const Operand& operand);

  Writer& out_;
  const Program& program_;
  const Transform& transform_;
  const Rule& rule_;
  const KernelTree& lowered_;
  const KernelDialect& dialect_;
  KernelTilePrinter& tiles_;
  std::map<std::size_t, LocalCells> local_;  ///< by the number of the input
  InstancePart part_ = InstancePart::Whole;
};

}  // namespace pb
