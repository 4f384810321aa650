// SPDX-License-Identifier: MIT
// The roles of tunables. pbc keeps the role of each tunable in its program and plan, and writes it to the training
// information. pbtune reads it there and chooses its mutators by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pb {

enum class TunableRole : std::uint8_t {
  Cutoff,       ///< the size below which calls run in one task
  Split,        ///< instances per piece of a step
  Tile,         ///< extents of the tiles of a nest; a split to the tuner, and so in the training information
  DeviceShare,  ///< the device's share of a step that runs there
  WorkGroup,    ///< shape of a kernel's work-groups
  Items,        ///< instances of a kernel's work-items
  FoldItems,    ///< work-items that run one instance of a kernel together
  FoldOrder,    ///< in which order a rule's folds are added up: 0 as the source says, 1 any
  User,         ///< the program's own
  Config,       ///< the program's own, never tuned
  Accuracy,     ///< the program's own: it trades time for accuracy
  ForEnough,    ///< rounds of a `for_enough` loop
  Flag,
  FoldChunk,   ///< rounds of a rule's folds that one task runs; 0: no fold is divided
  KeptRounds,  ///< the most rounds of which a kernel's work-item keeps cells; 0: none keeps any
  // Of a rule's loops on the CPU (base/loop_forms.h).
  Packs,        ///< 1: instances run in packs, 0: one by one
  Strip,        ///< columns of a strip
  Stores,       ///< a SizeRule: whether results are stored past the caches
  RowBlock,     ///< a SizeRule: whether loops along the rows run in blocks
  RowAhead,     ///< lines that lie between a request of such a block and the use of what it asks for
  Blocks,       ///< a SizeRule: whether contractions run in tiles of instances and blocks of rounds
  ReadAhead,    ///< the same for loops of bodies that read at computed places
  BlockItems,   ///< instances of a kernel's work-item where the rounds of their fold run in blocks; 0: the program
                ///< chooses
  BlockRounds,  ///< rounds of such a block; 0: there are none
  BlockStages,  ///< 2: what the next block reads is copied while a block runs, 1: it is not; 0: the program chooses
  BlockParts,   ///< ranges of rounds of such folds, each of which work-groups of their own run; 1: one, 0: the program
                ///< chooses
  MatrixUnits,  ///< 1: units for products of matrices run such rounds, where the device has them; 0: work-items do
  TimeTile,     ///< versions of a temporary that one launch makes, an odd number; 0: as the device says
  PerTile,      ///< 1: a kernel's work-groups make the temporaries that it alone reads; 0: these are stored
  TimeRows,   ///< rows of a band of the versions that the CPU makes in time tiles; 0: the runtime chooses, 1: versions
              ///< are made one after the other (one of the loop forms)
  Bands,      ///< a SizeRule: whether tasks make the temporaries that a rule alone reads, in bands of rows
  ScanChunk,  ///< instances of a chunk of a scan; 0: a scan runs in the order of the source (one of the loop forms)
};

inline constexpr TunableRole kTunableRoles[] = {
    TunableRole::Cutoff,      TunableRole::Split,      TunableRole::Tile,        TunableRole::DeviceShare,
    TunableRole::WorkGroup,   TunableRole::Items,      TunableRole::FoldItems,   TunableRole::FoldOrder,
    TunableRole::User,        TunableRole::Config,     TunableRole::Accuracy,    TunableRole::ForEnough,
    TunableRole::Flag,        TunableRole::FoldChunk,  TunableRole::KeptRounds,  TunableRole::Packs,
    TunableRole::Strip,       TunableRole::Stores,     TunableRole::RowBlock,    TunableRole::RowAhead,
    TunableRole::Blocks,      TunableRole::ReadAhead,  TunableRole::BlockItems,  TunableRole::BlockRounds,
    TunableRole::BlockStages, TunableRole::BlockParts, TunableRole::MatrixUnits, TunableRole::TimeTile,
    TunableRole::PerTile,     TunableRole::Bands,      TunableRole::TimeRows,    TunableRole::ScanChunk};

/// Whether a tunable of this role is a shape: a number per dimension.
[[nodiscard]] constexpr bool is_shape(TunableRole role) {
  return role == TunableRole::Tile || role == TunableRole::WorkGroup || role == TunableRole::Items ||
         role == TunableRole::FoldItems || role == TunableRole::KeptRounds || role == TunableRole::BlockItems ||
         role == TunableRole::BlockRounds || role == TunableRole::BlockStages || role == TunableRole::BlockParts ||
         role == TunableRole::MatrixUnits || role == TunableRole::TimeTile || role == TunableRole::PerTile;
}
/// Whether a tunable of this role belongs to the launches of kernels.
[[nodiscard]] constexpr bool is_of_launches(TunableRole role) {
  return role == TunableRole::WorkGroup || role == TunableRole::Items || role == TunableRole::FoldItems ||
         role == TunableRole::KeptRounds || role == TunableRole::BlockItems || role == TunableRole::BlockRounds ||
         role == TunableRole::BlockStages || role == TunableRole::BlockParts || role == TunableRole::MatrixUnits ||
         role == TunableRole::TimeTile || role == TunableRole::PerTile;
}
/// Whether a tunable of this role says which form a rule's loops have on the CPU.
[[nodiscard]] constexpr bool is_of_loop_forms(TunableRole role) {
  return role == TunableRole::Packs || role == TunableRole::Strip || role == TunableRole::Stores ||
         role == TunableRole::RowBlock || role == TunableRole::RowAhead || role == TunableRole::Blocks ||
         role == TunableRole::ReadAhead || role == TunableRole::TimeRows || role == TunableRole::ScanChunk ||
         role == TunableRole::Bands;
}
/// Whether functions of a rule's loops get the value of such a tunable. That loops run in bands is decided around them.
[[nodiscard]] constexpr bool is_loop_value(TunableRole role) {
  return is_of_loop_forms(role) && role != TunableRole::Bands;
}

/// Returns the word for a role in training information and in the text of a plan.
[[nodiscard]] constexpr const char* to_string(TunableRole role) {
  switch (role) {
    case TunableRole::Cutoff:
      return "cutoff";
    case TunableRole::Split:
      return "split";
    case TunableRole::Tile:
      return "tile";
    case TunableRole::DeviceShare:
      return "ratio";  // format 1 of training information has this word
    case TunableRole::WorkGroup:
      return "work_group";
    case TunableRole::Items:
      return "items";
    case TunableRole::FoldItems:
      return "fold_items";
    case TunableRole::FoldOrder:
      return "fold_order";
    case TunableRole::FoldChunk:
      return "fold_chunk";
    case TunableRole::KeptRounds:
      return "kept_rounds";
    case TunableRole::User:
      return "user";
    case TunableRole::Config:
      return "config";
    case TunableRole::Accuracy:
      return "accuracy";
    case TunableRole::ForEnough:
      return "for_enough";
    case TunableRole::Flag:
      return "flag";
    case TunableRole::Packs:
      return "packs";
    case TunableRole::Strip:
      return "strip";
    case TunableRole::Stores:
      return "stores";
    case TunableRole::RowBlock:
      return "row_block";
    case TunableRole::RowAhead:
      return "row_ahead";
    case TunableRole::Blocks:
      return "blocks";
    case TunableRole::ReadAhead:
      return "read_ahead";
    case TunableRole::BlockItems:
      return "block_items";
    case TunableRole::BlockRounds:
      return "block_rounds";
    case TunableRole::BlockStages:
      return "block_stages";
    case TunableRole::BlockParts:
      return "block_parts";
    case TunableRole::MatrixUnits:
      return "matrix_units";
    case TunableRole::TimeTile:
      return "time_tile";
    case TunableRole::PerTile:
      return "per_tile";
    case TunableRole::TimeRows:
      return "time_rows";
    case TunableRole::Bands:
      return "bands";
    case TunableRole::ScanChunk:
      return "scan_chunk";
  }
  return "?";
}

/// Returns the role of this word; none if no role has it.
[[nodiscard]] constexpr std::optional<TunableRole> find_tunable_role(std::string_view word) {
  for (const TunableRole role : kTunableRoles)
    if (word == to_string(role)) return role;
  return std::nullopt;
}

}  // namespace pb
