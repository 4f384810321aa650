// SPDX-License-Identifier: MIT
// The text of a kernel whose instances run several rules (KernelPart). Private to clgen/opencl.
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// Returns the rules of a kernel: its own first.
[[nodiscard]] std::vector<const Rule*> rules_of(const Transform& transform, const KernelTree& kernel);

/// Returns the conditions under which all instances of a group run the kernel's own rule; none if it has several boxes.
/// `first` has the place of the group's first instance in the launch, per dimension.
///
/// Pre: the kernel has parts
[[nodiscard]] std::vector<std::string> group_in_first_part(const KernelTree& kernel,
                                                           const std::vector<std::string>& first);

/// Returns the condition that an instance lies in one of the part's boxes. Its coordinates are the names of the
/// kernel's variables or, if `prefix` is not empty, this with the number of the loop behind it.
[[nodiscard]] std::string is_in_part(const KernelTree& kernel, const KernelPart& part, const std::string& prefix = "");

/// Prints the instance whose place is known: a branch for each part. `done` begins the labels behind bodies.
///
/// Pre: the kernel has parts
void print_parts(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect,
                 const std::string& done);

}  // namespace pb
