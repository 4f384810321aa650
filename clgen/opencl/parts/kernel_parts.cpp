// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/kernel_parts.h"

#include <algorithm>
#include <cstddef>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/opencl/kernel_tiles.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/parts/kernel_instance.h"

namespace pb {
namespace {

/// Tests that the coordinate `from` does not lie below the box along a dimension, and that `to` lies below its end:
/// `below` is ` < `, or ` <= ` for an end.
std::vector<std::string> tests_of(std::size_t box, std::size_t dim, const std::string& from, const std::string& to,
                                  const char* below) {
  return {from + " >= " + box_bound_name(box, false, dim), to + below + box_bound_name(box, true, dim)};
}

/// The slice of a launch, or null.
const KernelScalar* slice_of(const KernelTree& kernel) {
  for (const KernelScalar& scalar : kernel.scalars)
    if (scalar.source == ScalarSource::Slice) return &scalar;
  return nullptr;
}

/// Declares the variable of the slices under the name that a part's rule has for it.
void print_slice(Writer& out, const KernelTree& kernel, const KernelTree& part) {
  const KernelScalar* own = slice_of(part);
  if (own != nullptr && own->name != slice_of(kernel)->name)
    out.line("const int " + opencl_name(own->name) + " = " + opencl_name(slice_of(kernel)->name) + ";");
}

}  // namespace

std::vector<const Rule*> rules_of(const Transform& transform, const KernelTree& kernel) {
  std::vector<const Rule*> out{&transform.rules[kernel.rule]};
  for (const KernelPart& part : kernel.parts)
    if (part.kernel.rule != kernel.rule) out.push_back(&transform.rules[part.kernel.rule]);
  for (const TileStage& stage : kernel.tiles)
    for (const KernelPart& part : stage.parts)
      if (const Rule* rule = &transform.rules[part.kernel.rule]; std::find(out.begin(), out.end(), rule) == out.end())
        out.push_back(rule);
  return out;
}

std::string is_in_part(const KernelTree& kernel, const KernelPart& part, const std::string& prefix) {
  std::vector<std::string> boxes;
  for (const std::size_t box : part.boxes) {
    std::vector<std::string> tests;
    for (std::size_t d = 0; d < kernel.vars.size(); ++d) {
      const std::string at = prefix.empty() ? opencl_name(kernel.vars[d]) : prefix + std::to_string(d);
      for (std::string& test : tests_of(box, d, at, at, " < ")) tests.push_back(std::move(test));
    }
    boxes.push_back(joined(tests, " && "));
  }
  return boxes.size() == 1 ? boxes.front() : "(" + joined(boxes, ") || (") + ")";
}

std::vector<std::string> group_in_first_part(const KernelTree& kernel, const std::vector<std::string>& first) {
  const KernelPart& part = kernel.parts.front();
  std::vector<std::string> out;
  if (part.boxes.size() != 1) return out;
  for (std::size_t d = 0; d < kernel.vars.size(); ++d) {
    const std::string dim = std::to_string(d);
    const std::string begin = "pb_lo" + dim + " + " + first[d];
    for (std::string& test : tests_of(part.boxes.front(), d, begin, begin + " + PB_SPAN" + dim, " <= "))
      out.push_back(std::move(test));
  }
  return out;
}

void print_parts(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect,
                 const std::string& done) {
  const Transform& transform = program.transforms[kernel.transform];
  for (std::size_t i = 0; i < kernel.parts.size(); ++i) {
    const KernelPart& part = kernel.parts[i];
    const std::string head = part.boxes.empty() ? "" : "if (" + is_in_part(kernel, part) + ")";
    if (i == 0)
      out.open(head);
    else
      out.reopen(head.empty() ? "else" : "else " + head);
    print_slice(out, kernel, part.kernel);  // first: a variable may have its name
    for (std::size_t d = 0; d < kernel.vars.size(); ++d)
      if (!part.vars[d].empty() && part.vars[d] != kernel.vars[d])
        out.line("const int " + opencl_name(part.vars[d]) + " = pb_lo" + std::to_string(d) + " + pb_i" +
                 std::to_string(d) + ";");
    const Rule& rule = transform.rules[part.kernel.rule];
    KernelTilePrinter tiles(out, transform, rule, part.kernel, dialect);
    KernelOperandPrinter operands(out, program, part.kernel, dialect, tiles);
    print_kernel_instance(out, transform, rule, part.kernel, dialect, operands, instance_of(part.kernel.tree),
                          done + "_" + std::to_string(i));
  }
  out.close();
}

}  // namespace pb
