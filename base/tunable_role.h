// SPDX-License-Identifier: MIT
// What tunables mean: pbc's program and plan have it of each, training information hands it to pbtune, whose mutators
// follow from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pb {

enum class TunableRole : std::uint8_t {
  Cutoff,       ///< the size below which calls run in one task
  Split,        ///< instances per piece of a step
  Tile,         ///< extents of the tiles of a nest; training information calls it a split, which it is to a tuner
  DeviceShare,  ///< the device's share of a step that runs there
  WorkGroup,    ///< shape of a kernel's work-groups
  User,         ///< the program's own
  Config,       ///< the program's own, never tuned
  Accuracy,     ///< the program's own: it trades time for accuracy
  ForEnough,    ///< rounds of a `for_enough` loop
  Flag,
};

inline constexpr TunableRole kTunableRoles[] = {
    TunableRole::Cutoff, TunableRole::Split,  TunableRole::Tile,     TunableRole::DeviceShare, TunableRole::WorkGroup,
    TunableRole::User,   TunableRole::Config, TunableRole::Accuracy, TunableRole::ForEnough,   TunableRole::Flag};

/// The word in training information and in the text of a plan.
[[nodiscard]] constexpr const char* to_string(TunableRole role) {
  switch (role) {
    case TunableRole::Cutoff:
      return "cutoff";
    case TunableRole::Split:
      return "split";
    case TunableRole::Tile:
      return "tile";
    case TunableRole::DeviceShare:
      return "ratio";
    case TunableRole::WorkGroup:
      return "work_group";
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
  }
  return "?";
}

/// The role of this word; none if it is no such word.
[[nodiscard]] constexpr std::optional<TunableRole> find_tunable_role(std::string_view word) {
  for (const TunableRole role : kTunableRoles)
    if (word == to_string(role)) return role;
  return std::nullopt;
}

}  // namespace pb
