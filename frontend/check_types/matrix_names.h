// SPDX-License-Identifier: MIT
// Reports names of matrices in bodies, which see only regions of matrices. Private to this folder.
#pragma once

#include <string>

#include "frontend/check_types/body_context.h"

namespace pb::checking {

/// Reports a matrix of the transform that the body names without having it as a region.
///
/// Pre: nothing in scope has the name
void report_if_invisible_matrix(BodyContext& context, const std::string& name, Span span);

}  // namespace pb::checking
