// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_operands.h"

#include <algorithm>
#include <cstddef>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_body.h"
#include "clgen/opencl/kernel_cells.h"
#include "clgen/opencl/kernel_panels.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"

namespace pb {
namespace {

/// Declares the cells that a lane keeps. They have values from the beginning, because instances that run again read
/// cells that they do not store.
std::string kept_array(const Transform& transform, const Rule& rule, const KeptRegion& region) {
  const RegionAccess& access = (region.is_output ? rule.outputs : rule.inputs)[region.index];
  return element_word(transform.matrices[access.matrix]) + " " + kept_cells(access.binding) + "[PB_KEPT_ROUNDS] = {0};";
}

/// Dimensions of the matrix that the body indexes.
std::vector<std::size_t> body_dims(const RegionAccess& access) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < access.lo.size(); ++d)
    if (!access.is_fixed_dim(d)) dims.push_back(d);
  return dims;
}

}  // namespace

void KernelOperandPrinter::print(const RuleInstance& instance) {
  part_ = instance.part;
  for (std::size_t i = 0; i < rule_.outputs.size(); ++i) print_output(rule_.outputs[i], instance.outputs[i]);
  for (std::size_t i = 0; i < rule_.inputs.size(); ++i) print_input(i, instance.inputs[i]);
  for (const KeptRegion& region : instance.kept) out_.line(kept_array(transform_, rule_, region));
}

std::string KernelOperandPrinter::offset_of(const RegionAccess& access, bool is_output) const {
  const std::string matrix = name_in_kernel(lowered_, transform_, access.matrix, is_output);
  std::string text = matrix + "_offset";
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const auto* number = std::get_if<IntLiteral>(&access.lo[d].node);
    if (number != nullptr && number->value == 0) continue;
    const std::string at = kernel_formula(access.lo[d]);
    const bool is_plain = number != nullptr ? number->value > 0 : std::holds_alternative<SymbolRef>(access.lo[d].node);
    text += " + " + (is_plain ? at : "(" + at + ")") + " * " + stride_name(matrix, d);
  }
  return text;
}

/// Declares `pb_from_<name>` and `pb_at_<name>`, which lead to the first cell of an access. Compilers for CPUs
/// vectorise along a pointer of the instance's own. Compilers for GPUs want an index that is a sum of ints, parts of
/// which neighbouring cells share.
void KernelOperandPrinter::print_address(const RegionAccess& access, const std::string& name, bool is_output) {
  const Matrix& matrix = transform_.matrices[access.matrix];
  const std::string pointer = dialect_.global + (is_output ? "" : "const ") + element_word(matrix) +
                              "* const pb_from_" + name + " = " +
                              name_in_kernel(lowered_, transform_, access.matrix, is_output) + "_data";
  const std::string offset = offset_of(access, is_output);
  if (dialect_.may_run_on_cpus) {
    out_.verbatim("#ifdef PB_CPU\n");
    out_.line(pointer + " + " + offset + ";");
    out_.line("const int pb_at_" + name + " = 0;");
    out_.verbatim("#else\n");
  }
  out_.line(pointer + ";");
  out_.line("const PB_INDEX pb_at_" + name + " = (PB_INDEX)" + offset + ";");
  if (dialect_.may_run_on_cpus) out_.verbatim("#endif\n");
}

void KernelOperandPrinter::print_region(const RegionAccess& access, const Operand& operand, bool is_output) {
  const Matrix& matrix = transform_.matrices[access.matrix];
  const std::string name = "pb_at_" + access.binding;
  const std::string in_kernel = name_in_kernel(lowered_, transform_, access.matrix, is_output);
  const std::vector<std::size_t> dims = body_dims(access);
  if (operand.kind == OperandKind::Staged && part_ != InstancePart::Whole) {
    // Only the rounds of a block read the panels.
    if (part_ == InstancePart::Rounds) print_panel_region(out_, tiles_, operand.buffer, dims);
  } else if (operand.kind == OperandKind::Staged) {
    tiles_.print_region(operand.buffer, dims);
  } else {
    if (operand.kind == OperandKind::SharedCells) {
      out_.line(dialect_.global + "const " + element_word(matrix) + "* const " + name + " = " + in_kernel + "_data + " +
                offset_of(access, is_output) + ";");
    } else {
      print_address(access, access.binding, is_output);
    }
    for (std::size_t k = 0; k < dims.size(); ++k)
      out_.line("const PB_INDEX " + stride_name(name, k) + " = " + stride_name(in_kernel, dims[k]) + ";");
  }
  print_sizes(access);
}

void KernelOperandPrinter::print_sizes(const RegionAccess& access) {
  if (!uses_sizes(rule_, access.binding)) return;
  const std::string name = "pb_at_" + access.binding;
  const std::vector<std::size_t> dims = body_dims(access);
  for (std::size_t k = 0; k < dims.size(); ++k)
    out_.line("const int " + size_name(name, k) + " = (" + kernel_formula(access.hi[dims[k]]) + ") - (" +
              kernel_formula(access.lo[dims[k]]) + ");");
}

std::string KernelOperandPrinter::cell_of(const RegionAccess& access, bool is_output) const {
  return name_in_kernel(lowered_, transform_, access.matrix, is_output) + "_data[" + offset_of(access, is_output) + "]";
}

void KernelOperandPrinter::print_border_cell(const RegionAccess& input) const {
  print_cell_with_border(out_, transform_, input, program_.element,
                         name_in_kernel(lowered_, transform_, input.matrix, false));
}

std::string KernelOperandPrinter::before_name(const RegionAccess& input) { return "pb_before_" + input.binding; }

std::string KernelOperandPrinter::cell_at(const std::string& name) {
  return "pb_from_" + name + "[pb_at_" + name + "]";
}

void KernelOperandPrinter::print_output(const RegionAccess& output, const Operand& operand) {
  const bool is_stored = part_ == InstancePart::Whole || part_ == InstancePart::End;
  if (operand.kind == OperandKind::Result) return is_stored ? print_address(output, "return", true) : void();
  if (operand.kind == OperandKind::Cells) return print_region(output, operand, true);
  print_address(output, output.binding, true);
  const std::string first = operand.kind == OperandKind::NewValue ? "0" : cell_at(output.binding);
  out_.line(element_word(transform_.matrices[output.matrix]) + " " + opencl_name(output.binding) + " = " + first + ";");
}

void KernelOperandPrinter::print_input(std::size_t input, const Operand& operand) {
  const auto cells = local_.find(input);
  if (cells == local_.end())
    print_global(rule_.inputs[input], operand);
  else
    print_cells(rule_.inputs[input], operand, cells->second);
}

/// Declares a cell in the memory of the group, or where a region of it lies.
void KernelOperandPrinter::print_cells(const RegionAccess& input, const Operand& operand, const LocalCells& cells) {
  const std::string element = element_word(transform_.matrices[input.matrix]);
  if (operand.kind == OperandKind::Value)
    return out_.line("const " + element + " " + opencl_name(input.binding) + " = " + cells.pointer + "[" + cells.place +
                     "];");
  const std::string at = "pb_at_" + input.binding;
  out_.line(dialect_.local + "const " + element + "* const pb_from_" + input.binding + " = " + cells.pointer + ";");
  out_.line("const int " + at + " = " + cells.place + ";");
  const std::vector<std::size_t> dims = body_dims(input);
  for (std::size_t k = 0; k < dims.size() && dims[k] < cells.pitches.size(); ++k)
    out_.line("const int " + stride_name(at, k) + " = " + cells.pitches[dims[k]] + ";");
  print_sizes(input);
}

void KernelOperandPrinter::print_global(const RegionAccess& input, const Operand& operand) {
  const Matrix& matrix = transform_.matrices[input.matrix];
  const std::string variable = "const " + element_word(matrix) + " " + opencl_name(input.binding) + " = ";
  switch (operand.kind) {
    case OperandKind::Number: {
      const auto is_it = [&](const KernelScalar& scalar) {
        return scalar.source == ScalarSource::Matrix && scalar.matrix == input.matrix;
      };
      const auto scalar = std::find_if(lowered_.scalars.begin(), lowered_.scalars.end(), is_it);
      PB_CHECK(scalar != lowered_.scalars.end(), "single numbers are parameters");
      if (input.binding != scalar->name) out_.line(variable + opencl_name(scalar->name) + ";");
      return;
    }
    case OperandKind::BorderCell:
      return print_border_cell(input);
    case OperandKind::Value:
      return out_.line(variable + cell_of(input) + ";");
    case OperandKind::Cells:
    case OperandKind::SharedCells:
    case OperandKind::Staged:
      return print_region(input, operand, false);
    case OperandKind::Continued:
      return out_.line(variable + before_name(input) + ";");
    case OperandKind::Result:
    case OperandKind::NewValue:
    case OperandKind::OldValue:
      PB_CHECK(false, "an output is no input");
  }
}

}  // namespace pb
