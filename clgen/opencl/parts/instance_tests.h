// SPDX-License-Identifier: MIT
// Tests in kernels of which instances of a box exist. Private to clgen/opencl.
#pragma once

#include <string>
#include <vector>

#include "clgen/opencl/kernel_dialect.h"
#include "clgen/writer/writer.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"

namespace pb {

/// Returns the test of whether there is an instance at the rule's variables: whether each condition is >= 0. Empty if
/// there are no conditions.
[[nodiscard]] std::string exists_text(const Transform& transform, const std::vector<IndexExpr>& conditions);

/// Ends the work-group if the conditions say that none of its instances exists. `vars` has the variables of its loops.
///
/// Pre: `pb_first0` and so on are declared: the variables at the group's first place
void print_group_exit(Writer& out, const KernelDialect& dialect, const std::vector<std::string>& vars,
                      const std::vector<IndexExpr>& conditions);

}  // namespace pb
