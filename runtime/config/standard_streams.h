// SPDX-License-Identifier: MIT
// What the first three descriptors of a process are. A shell may start it without them (`prog >&-`): the next file that
// it opens would take their place, and what is printed would go into a matrix. Called first thing by the program, `pbc`
// and `pbtune`.
#pragma once

namespace pbrt {

/// Puts something in the place of closed standard descriptors that fails as they do: reading 0, writing 1 and 2.
void hold_standard_streams();

}  // namespace pbrt
