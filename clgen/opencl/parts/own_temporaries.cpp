// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/own_temporaries.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>

#include "clgen/opencl/kernel_words.h"
#include "lang/body/constant_value.h"
#include "lang/check.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

std::vector<std::int64_t> extents_of(const RuleTemporary& temporary) {
  const auto extents = constant_extents(temporary.extents);
  PB_CHECK(extents, "temporaries in a kernel have constant sizes");
  return *extents;
}

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::string declaration_of(const RuleTemporary& temporary) {
  const std::string type = temporary.is_element_t ? "ElementT" : opencl_type(temporary.element);
  const std::string variable = type + " " + opencl_name(temporary.name);
  if (temporary.extents.empty()) return variable + ";";
  return variable + "[" + std::to_string(std::max<std::int64_t>(1, product_of(extents_of(temporary)))) + "];";
}

std::string text_of_member(const RuleTemporary& temporary, const Body& body, const MemberExpr& member,
                           const std::vector<std::string>& args) {
  const std::vector<std::int64_t> extents = extents_of(temporary);
  if (member.name == "cell") {
    std::string index;
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < args.size(); stride *= extents[d++])
      index += (d == 0 ? "" : " + ") + args[d] + (d == 0 ? "" : " * " + std::to_string(stride));
    return opencl_name(temporary.name) + "[" + index + "]";
  }
  if (member.name == "width") return std::to_string(extents[0]);
  if (member.name == "height") return std::to_string(extents[1]);
  if (member.name == "depth") return std::to_string(extents[2]);
  if (member.name == "size")
    return std::to_string(extents[static_cast<std::size_t>(*constant_value(body, member.args[0]))]);
  PB_CHECK(member.name == "count", "only cells and sizes of temporaries are used in a kernel");
  return "((long)" + std::to_string(product_of(extents)) + ")";
}

}  // namespace pb
