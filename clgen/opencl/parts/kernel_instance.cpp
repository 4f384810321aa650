// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/kernel_instance.h"

#include <cstddef>

#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/parts/instance_tests.h"
#include "clgen/opencl/stores/bin_updates.h"

namespace pb {

void print_kernel_instance(Writer& out, const Transform& transform, const Rule& rule, const KernelTree& kernel,
                           const KernelDialect& dialect, KernelOperandPrinter& operands, const RuleInstance& instance,
                           const std::string& done, const LineScans* scans) {
  const std::string exists = exists_text(transform, instance.conditions);
  if (!exists.empty()) out.open("if (" + exists + ")");
  // Addresses come first: the body may declare the rule's variables again.
  operands.print(instance);
  print_bin_extents(out, rule, instance);
  out.open("");
  const std::string first = instance.divided.empty() ? "" : "if (pb_is_first) ";
  // Groups keep bins behind the values of their records.
  const std::string slots = std::to_string(kernel.record_slots);
  const std::string record_slots = has_ordered_bins(kernel.tree) ? "(" + slots + " + PB_BIN_CELLS / 2)" : slots;
  const bool jumps =
      print_kernel_body(out, rule, kernel, instance,
                        {rule.is_return_form ? first + KernelOperandPrinter::cell_at("return") : std::string(),
                         done,
                         {dialect.barrier, dialect.cell_barrier, dialect.global, record_slots,
                          lanes_are_neighbours(kernel.tree), dialect.local, dialect.update},
                         scans});
  out.close();
  if (jumps) out.line(done + ":;");
  for (std::size_t i = 0; i < rule.outputs.size(); ++i) {
    const OperandKind kind = instance.outputs[i].kind;
    const std::string& name = rule.outputs[i].binding;
    if (kind == OperandKind::NewValue || kind == OperandKind::OldValue)
      out.line(first + KernelOperandPrinter::cell_at(name) + " = " + opencl_name(name) + ";");
  }
  if (!exists.empty()) out.close();
}

}  // namespace pb
