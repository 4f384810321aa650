// SPDX-License-Identifier: MIT
#include "clgen/cpp/context/cpp_context.h"

#include "clgen/facts/names.h"

namespace pb {

std::string site_constant(const CppContext& context, TransformId transform, SiteId site) {
  return "kSite_" + identifier_of(context.program, transform) + "_" + std::to_string(site.index());
}

std::string tunable_constant(const CppContext& context, TransformId transform, std::size_t index) {
  return "kTunable_" + identifier_of(context.program, transform) + "_" + std::to_string(index);
}

}  // namespace pb
