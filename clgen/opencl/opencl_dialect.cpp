// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_dialect.h"
#include "lang/check.h"
#include "runtime/config/kernel_prelude.h"

namespace pb {
namespace {

std::function<std::string(int)> call(const char* function) {
  return [function](int dim) { return std::string(function) + "(" + std::to_string(dim) + ")"; };
}

/// The operator in names of updates that no other one interrupts.
std::string atomic_word(FoldOp op) {
  switch (op) {
    case FoldOp::Add:
      return "add";
    case FoldOp::Min:
      return "min";
    case FoldOp::Max:
      return "max";
    case FoldOp::BitAnd:
      return "and";
    case FoldOp::BitOr:
      return "or";
    case FoldOp::BitXor:
      return "xor";
    case FoldOp::Mul:
    case FoldOp::And:
    case FoldOp::Or:
      break;
  }
  PB_CHECK(false, "devices have updates by this operator");
  return {};
}

}  // namespace

const KernelDialect& opencl_dialect() {
  static const KernelDialect dialect = {
      .prelude = PB_KERNEL_PRELUDE,
      .may_run_on_cpus = true,
      .fp64 = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
      .no_contraction = "#pragma OPENCL FP_CONTRACT OFF",
      .function = "",
      .kernel = "__kernel void ",
      .group_bound = "__attribute__((reqd_work_group_size(PB_GROUP_ITEMS, 1, 1)))",
      .block_bound = "__attribute__((reqd_work_group_size(PB_GROUP0 * PB_PART_LANES, PB_GROUP1, PB_GROUP2)))",
      .warp_size = "PB_WARP_SIZE ",
      .global = "__global ",
      .local = "__local ",
      .restrict_ = "restrict",
      .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
      .cell_barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
      .local_array = "__local ",
      .ticket = [](const std::string& pointer) { return "atomic_inc((volatile __global uint*)" + pointer + ")"; },
      .update =
          [](FoldOp op, const std::string& memory, const std::string& type, const std::string& cell,
             const std::string& value) {
            return "atomic_" + atomic_word(op) + "((volatile " + memory + type + "*)&" + cell + ", " + value + ");";
          },
      .group_id = call("get_group_id"),
      .group_size = call("get_local_size"),
      .local_id = call("get_local_id"),
      .buffer_parameter = [](const std::string& type,
                             const std::string& name) { return "__local " + type + "* restrict " + name; },
      .buffer_pointer = nullptr,
      // Each kernel is a program of its own.
      .begin_unit = [](const std::string&) { return std::string(); },
      .end_unit = [](const std::string&) { return std::string(); },
  };
  return dialect;
}

}  // namespace pb
