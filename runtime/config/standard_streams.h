// SPDX-License-Identifier: MIT
// Makes sure that the first three descriptors of a process are open. A shell may start it without them (`prog >&-`).
// The next file that it opens would then take their place, and what is printed would go into a matrix. Called first
// thing by the program, `pbc` and `pbtune`.
#pragma once

namespace pbrt {

/// Opens files in place of closed standard descriptors that fail in the same way: reading 0, writing 1 and 2.
void hold_standard_streams();

}  // namespace pbrt
