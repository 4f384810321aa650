// SPDX-License-Identifier: MIT
// C++ that computes single cells of an output in wider numbers (choicegraph/plan/checked_sums.h): the rule's function
// once more, with other types of accumulators and none of the forms that loops may have.
#pragma once

#include "clgen/cpp/context/cpp_context.h"
#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// Prints the functions of the transform's checked sums, and the table `kSums_T` of them; nothing if there are none.
void emit_checked_sums(Writer& out, const CppContext& context, TransformId transform);

}  // namespace pb
