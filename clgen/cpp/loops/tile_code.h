// SPDX-License-Identifier: MIT
// Contractions in tiles of instances and blocks of rounds (runtime/matrix/blocks/tile_loops.h), printed from the typed
// tree.
#pragma once

#include <string>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the function `tiles_STEM`, which runs some rounds of the body on a tile.
void emit_tile_body(Writer& out, const RuleCode& code, const TileFacts& facts, const std::string& stem);

/// Prints the statements that run the instances of two loops in tiles.
///
/// Pre: the function `tiles_STEM` was emitted, and emit_tile_test was called outside of the loops
void emit_tiles(Writer& out, const RuleCode& code, const Tiles& tiles, const std::string& stem);

/// Prints the statements that return false where the box does not suit tiles.
void emit_tile_test(Writer& out, const RuleCode& code, const Tiles& tiles);

}  // namespace pb
