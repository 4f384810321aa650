// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_tiles.h"

#include <algorithm>

#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"

namespace pb {
namespace {

/// The variable that is the number of a group along the last dimension among those of its batch.
constexpr const char* kGroupOfBatch = "pb_group_of_batch";

}  // namespace

std::string group_id_text(const KernelTree& kernel, const KernelDialect& dialect, int dim) {
  return kernel.batches.empty() || dim + 1 < kMaxItemDims ? dialect.group_id(dim) : kGroupOfBatch;
}

std::string place_text(const KernelTree& kernel, const KernelDialect& dialect, int dim) {
  const std::string number = std::to_string(dim);
  if (kernel.batches.empty() || dim + 1 < kMaxItemDims) return "PB_PLACE" + number;
  return "(int)" + group_id_text(kernel, dialect, dim) + " * PB_SPAN" + number + " + (int)PB_LOCAL" + number;
}

std::string KernelTilePrinter::type_of(const Buffer& buffer) const {
  return element_word(transform_.matrices[rule_.inputs[buffer.input].matrix]);
}

std::string KernelTilePrinter::parameter(const Buffer& buffer) const {
  return dialect_.buffer_parameter(type_of(buffer), names_of(buffer).memory);
}

void KernelTilePrinter::print_pointers() {
  if (!dialect_.buffer_pointer) return;
  for (const Buffer& buffer : parameter_buffers(lowered_.tree))
    out_.line(dialect_.buffer_pointer(type_of(buffer), names_of(buffer).memory));
}

KernelTilePrinter::Names KernelTilePrinter::names_of(const Buffer& buffer) const {
  const RegionAccess& input = rule_.inputs[buffer.input];
  const auto& wide = lowered_.with_versions;
  const bool has_versions = std::find(wide.begin(), wide.end(), input.matrix) != wide.end();
  const std::string matrix = name_in_kernel(lowered_, transform_, input.matrix, false);
  return {"pb_staged_" + input.binding, matrix, "pb_tile_" + input.binding,
          (has_versions ? "" : "(PB_INDEX)") + matrix + "_offset"};
}

/// The first of these loops, which is the slowest one, also says which of its batch's groups the group is.
void KernelTilePrinter::print_batch(const TreeLoop& loop) {
  const int first = num_loops(), end = first + static_cast<int>(lowered_.batches.size());
  if (loop.dim + 1 == end) {
    const std::string last = std::to_string(first - 1), id = "(uint)" + dialect_.group_id(first - 1);
    out_.line("const uint pb_groups_of_batch = ((uint)pb_extent" + last + " + PB_SPAN" + last + " - 1) / PB_SPAN" +
              last + ";");
    out_.line(std::string("const uint ") + kGroupOfBatch + " = " + id + " % pb_groups_of_batch;");
    std::string rest = id + " / pb_groups_of_batch";
    for (int d = first; d < end; ++d) {
      const std::string dim = std::to_string(d), batches = "pb_batches" + dim;
      out_.line("const uint " + batches + " = " + rest + ";");
      out_.line("const int pb_i" + dim + " = (int)" +
                (d + 1 == end ? batches : "(" + batches + " % (uint)pb_extent" + dim + ")") + ";");
      rest = batches + " / (uint)pb_extent" + dim;
    }
  }
  const std::string dim = std::to_string(loop.dim);
  out_.line("const int " + opencl_name(loop.var) + " = pb_lo" + dim + " + pb_i" + dim + ";");
}

void KernelTilePrinter::print_group() {
  for (int d = 0; d < num_loops(); ++d) {
    const std::string dim = std::to_string(d);
    out_.line("const int pb_group" + dim + " = (int)" + group_id_text(lowered_, dialect_, d) + " * PB_SPAN" + dim +
              ";");
    out_.line("const int " + group_var(d) + " = pb_lo" + dim + " + pb_group" + dim + ";");
  }
}

std::string KernelTilePrinter::last_of_group(int dim) { return "(PB_SPAN" + std::to_string(dim) + " - 1)"; }

std::string KernelTilePrinter::length_text(const GroupExtent& extent) const {
  std::vector<std::pair<std::string, IndexExpr>> spelled;
  for (const std::string& name : transform_.size_names())
    if (opencl_name(name) != name) spelled.emplace_back(name, index_symbol(opencl_name(name)));
  std::string out = to_opencl(substitute(extent.extent_of_one, spelled));
  for (int dim = 0; dim < num_loops(); ++dim) {
    const std::int64_t step = extent.step[static_cast<std::size_t>(dim)];
    if (step == 0) continue;
    out +=
        " + " + (step == 1 || step == -1 ? "" : std::to_string(step < 0 ? -step : step) + " * ") + last_of_group(dim);
  }
  return out;
}

std::string KernelTilePrinter::begin_text(const GroupExtent& extent) const {
  std::vector<std::pair<std::string, IndexExpr>> spelled;
  for (const std::string& name : transform_.size_names())
    if (opencl_name(name) != name) spelled.emplace_back(name, index_symbol(opencl_name(name)));
  for (const KernelScalar& scalar : lowered_.scalars)
    if (scalar.source == ScalarSource::Slice && opencl_name(scalar.name) != scalar.name)
      spelled.emplace_back(scalar.name, index_symbol(opencl_name(scalar.name)));
  for (const std::string& batch : lowered_.batches)
    if (opencl_name(batch) != batch) spelled.emplace_back(batch, index_symbol(opencl_name(batch)));
  for (int dim = 0; dim < num_loops(); ++dim) {
    const auto l = static_cast<std::size_t>(dim);
    spelled.emplace_back(
        lowered_.vars[l],
        index_symbol(extent.step[l] < 0 ? "(" + group_var(dim) + " + " + last_of_group(dim) + ")" : group_var(dim)));
  }
  return to_index_opencl(substitute(extent.begin_of_one, spelled), transform_, kEndInside);
}

void KernelTilePrinter::declare_buffers_of(const TreeBranch& branch) {
  for (const TreeNode& node : branch.otherwise) {
    const auto* copy = std::get_if<Copy>(&node.node);
    if (copy == nullptr) continue;
    const Buffer& buffer = lowered_.tree[copy->to];
    const Names names = names_of(buffer);
    for (std::size_t d = 0; d < buffer.extents.size(); ++d) {
      const std::string dim = std::to_string(d);
      out_.line("const int " + names.binding + "_tile" + dim + " = " + length_text(buffer.extents[d]) + ";");
      out_.line("const int " + names.binding + "_from" + dim + " = " + begin_text(buffer.extents[d]) + ";");
    }
  }
}

void KernelTilePrinter::print_copy(const Copy& copy) {
  const Buffer& buffer = lowered_.tree[copy.to];
  if (copy.by == CopyBy::FirstItem) {
    PB_CHECK(copy.outside == CopyOutside::Skip, "one work-item copies what lies inside");
    print_copy_by_first(copy, buffer);
  } else {
    PB_CHECK(copy.outside == CopyOutside::Zero, "all work-items fill the whole buffer");
    print_copy_by_all(copy, buffer);
  }
}

/// Prints a copy by one work-item, which copies whole rows without a test per cell.
void KernelTilePrinter::print_copy_by_first(const Copy& copy, const Buffer& buffer) {
  const Names names = names_of(buffer);
  const std::size_t rank = buffer.extents.size();
  out_.open("if (" + flat_local_id() + " == 0)");
  for (std::size_t d = rank; d-- > 0;) {
    const std::string dim = std::to_string(d);
    const std::string from = names.binding + "_from" + dim;
    const std::string past = names.binding + "_tile" + dim;
    const std::string begin = copy.edges[d].may_precede ? "PB_MAX(0, -" + from + ")" : "0";
    const std::string end =
        copy.edges[d].may_exceed ? "PB_MIN(" + past + ", " + names.matrix + "_size" + dim + " - " + from + ")" : past;
    out_.line("const int pb_end" + dim + " = " + end + ";");
    out_.open("for (int pb_t" + dim + " = " + begin + "; pb_t" + dim + " < pb_end" + dim + "; ++pb_t" + dim + ")");
  }
  const auto [to, from] = cell_texts(names, rank);
  out_.line(to + " = " + from + ";");
  for (std::size_t d = 0; d <= rank; ++d) out_.close();
}

/// Prints a copy by all work-items, row by row.
void KernelTilePrinter::print_copy_by_all(const Copy& copy, const Buffer& buffer) {
  const Names names = names_of(buffer);
  const std::size_t rank = buffer.extents.size();
  // The type is size_t: if it were int, compilers could keep the local id as an int across the barrier, where it is
  // needed again.
  for (std::size_t d = rank; d-- > 0;) {
    const std::string at = "pb_t" + std::to_string(d);
    std::string first = "0";
    std::string step = "1";
    if (copy.axes[d] == CopyAxis::ByFlatId) {
      first = flat_local_id();
      step = flat_local_size();
    } else if (copy.axes[d] == CopyAxis::ById) {
      first = dialect_.local_id(static_cast<int>(d));
      step = dialect_.group_size(static_cast<int>(d));
    }
    out_.open("for (size_t " + at + " = " + first + "; " + at + " < " + names.binding + "_tile" + std::to_string(d) +
              "; " + at + " += " + step + ")");
  }
  std::vector<std::string> inside;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string dim = std::to_string(d);
    const std::string cell = names.binding + "_from" + dim + " + (int)pb_t" + dim;
    if (copy.edges[d].may_exceed) inside.push_back(cell + " < " + names.matrix + "_size" + dim);
    if (copy.edges[d].may_precede) inside.push_back(cell + " >= 0");
  }
  const auto [to, from] = cell_texts(names, rank);
  out_.line(to + " = " + (inside.empty() ? from : joined(inside, " && ") + " ? " + from + " : 0") + ";");
  for (std::size_t d = 0; d < rank; ++d) out_.close();
}

/// Returns the cell at pb_t0, pb_t1, …, in the buffer and in the matrix.
std::pair<std::string, std::string> KernelTilePrinter::cell_texts(const Names& names, std::size_t rank) {
  std::string to;
  std::string from = names.offset;
  std::string pitch;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string dim = std::to_string(d);
    to += (d == 0 ? "" : " + ") + ("(int)pb_t" + dim) + pitch;
    pitch += " * " + names.binding + "_tile" + dim;
    from += " + (" + names.binding + "_from" + dim + " + (int)pb_t" + dim + ") * " + stride_name(names.matrix, d);
  }
  return {names.memory + "[" + to + "]", names.matrix + "_data[" + from + "]"};
}

std::string KernelTilePrinter::flat_local_id() const {
  std::string id = dialect_.local_id(0);
  std::string size = dialect_.group_size(0);
  for (int d = 1; d < num_loops(); ++d) {
    id += " + " + dialect_.local_id(d) + " * " + size;
    size += " * " + dialect_.group_size(d);
  }
  return id;
}

std::string KernelTilePrinter::flat_local_size() const {
  std::string size = dialect_.group_size(0);
  for (int d = 1; d < num_loops(); ++d) size += " * " + dialect_.group_size(d);
  return size;
}

void KernelTilePrinter::print_region(BufferId id, const std::vector<std::size_t>& dims) {
  const Buffer& buffer = lowered_.tree[id];
  const Names names = names_of(buffer);
  std::string at = names.memory;
  std::vector<std::string> strides;
  std::vector<std::string> lengths;  // of the dimensions before
  for (std::size_t d = 0; d < buffer.extents.size(); ++d) {
    const std::string pitch = lengths.empty() ? "" : " * " + joined(lengths, " * ");
    for (int dim = 0; dim < num_loops(); ++dim) {
      const std::int64_t step = buffer.extents[d].step[static_cast<std::size_t>(dim)];
      if (step == 0) continue;
      const std::string local = step > 0
                                    ? "PB_LOCAL" + std::to_string(dim)
                                    : "(PB_SPAN" + std::to_string(dim) + " - 1 - PB_LOCAL" + std::to_string(dim) + ")";
      const std::string factor = step == 1 || step == -1 ? "" : std::to_string(step < 0 ? -step : step) + " * ";
      at += " + " + factor + local + pitch;
    }
    strides.push_back(lengths.empty() ? "1" : joined(lengths, " * "));
    lengths.push_back(names.binding + "_tile" + std::to_string(d));
  }
  const std::string name = "pb_at_" + rule_.inputs[buffer.input].binding;
  out_.line(dialect_.local + "const " + type_of(buffer) + "* const " + name + " = " + at + ";");
  for (std::size_t k = 0; k < dims.size(); ++k)
    out_.line("const int " + stride_name(name, k) + " = " + strides[dims[k]] + ";");
}

}  // namespace pb
