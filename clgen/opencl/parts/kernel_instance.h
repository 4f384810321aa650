// SPDX-License-Identifier: MIT
// The text of one instance of a rule in a kernel. Private to clgen/opencl.
#pragma once

#include <string>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the instance at the rule's variables: what it reads, its body, and what it stores. `done` is a label of its
/// own behind the body. `scans` are those that the body continues; null: it is no part of a scan.
void print_kernel_instance(Writer& out, const Transform& transform, const Rule& rule, const KernelTree& kernel,
                           const KernelDialect& dialect, KernelOperandPrinter& operands, const RuleInstance& instance,
                           const std::string& done, const LineScans* scans = nullptr);

}  // namespace pb
