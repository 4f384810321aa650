// SPDX-License-Identifier: MIT
// Where work-groups of a device may run the fold of a contraction in blocks of rounds: neighbouring instances read the
// same cells, so a group copies what a block needs to its local memory once, and each work-item then runs the block's
// rounds for several instances along two loops, whose accumulators it keeps in registers (RoundBlocks). The updates of
// an instance keep their order, unless several groups run its rounds, a range each (decision 72).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/computation.h"
#include "choicegraph/plan/contraction.h"
#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// A value that an instance keeps from one block to the next: an accumulator, or a place of one.
struct CarriedValue {
  std::string name;
  BodyType type;
  std::size_t bytes = 4;  ///< 8 or, of shorter types, 4

  bool operator==(const CarriedValue&) const = default;
};

/// An input whose cells a group copies block by block.
struct BlockInput {
  std::size_t input = 0;                      ///< index into Rule::inputs
  std::size_t walked = 0;                     ///< the dimension of the matrix along which the rounds walk
  std::size_t body_dim = 0;                   ///< the same as a dimension of the region in the body
  std::size_t moving = 0;                     ///< the dimension of the matrix that moves with one of the two loops
  ElementType element = ElementType::Double;  ///< of the matrix

  bool operator==(const BlockInput&) const = default;
};

/// Rounds that do nothing but add the product of two cells to one value: `sum += a.cell(i) * b.cell(i)`. All of them
/// are doubles, or all are floats, so units for products of matrices may run several rounds of several instances at
/// once. Of doubles, such a unit multiplies and adds with one rounding, round by round, where the device says so.
/// Floats are split in two parts each, which changes results (runtime/gpu/units/matrix_units.h).
struct BlockProducts {
  ElementType element = ElementType::Double;  ///< Double or Float
  std::string sum;                            ///< the carried value
  std::array<std::size_t, 2> inputs{};  ///< the input that moves with the first of the two loops, and the other one
  std::array<ExprId, 2> cells{};        ///< the reads of these inputs

  bool operator==(const BlockProducts&) const = default;
};

struct RoundBlockFacts {
  Contraction contraction;
  Fold fold;  ///< the outermost loop
  std::vector<CarriedValue> carried;
  std::array<std::size_t, 2> loops{};  ///< loops along which a work-item has several instances; 0 is the fastest
  std::vector<BlockInput> inputs;  ///< at least one moves with the first of the loops alone, and one with the second
  std::array<int, 2> wide{};       ///< neighbours along each of the loops whose cells work-items read at once
  std::optional<BlockProducts> products = {};  ///< what the rounds add up, if they do nothing else
  std::size_t carried_bytes = 0;               ///< of the carried values of one instance
  /// What an order other than that of the source does to the carried values.
  Regrouping regrouping = Regrouping::Never;
  bool has_parts = false;  ///< several groups may run the rounds of an instance, each a range of them

  /// The staged input with this index; null if the input is not staged.
  [[nodiscard]] const BlockInput* find(std::size_t input) const;

  bool operator==(const RoundBlockFacts& other) const {
    return contraction == other.contraction && carried == other.carried && loops == other.loops &&
           inputs == other.inputs && wide == other.wide && products == other.products && has_parts == other.has_parts;
  }
};

/// Returns how the step's instances may run in blocks of rounds; none if they may not. Whether groups divide the rounds
/// is left to the caller.
[[nodiscard]] std::optional<RoundBlockFacts> find_round_blocks(const Program& program, const TransformPlan& plan,
                                                               const Step& step);

}  // namespace pb
