// SPDX-License-Identifier: MIT
// The text of a kernel's buffers in local memory: where they lie, and the copies that fill them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Returns the number of the group along a dimension, as an unsigned integer. Along the last one, it is that among the
/// groups of a batch.
[[nodiscard]] std::string group_id_text(const KernelTree& kernel, const KernelDialect& dialect, int dim);

/// Returns the place in the launch, or in its batch, of instance `pb_k0` and so on of the work-item.
[[nodiscard]] std::string place_text(const KernelTree& kernel, const KernelDialect& dialect, int dim);

class KernelTilePrinter {
 public:
  /// Pre: all arguments outlive this object
  KernelTilePrinter(Writer& out, const Transform& transform, const Rule& rule, const KernelTree& lowered,
                    const KernelDialect& dialect)
      : out_(out), transform_(transform), rule_(rule), lowered_(lowered), dialect_(dialect) {}

  /// Returns the parameter that leads to a buffer.
  [[nodiscard]] std::string parameter(const Buffer& buffer) const;
  /// Declares pointers to the buffers, if their parameters are not pointers already.
  void print_pointers();

  /// Declares the variable of the loop over batches that the group is in.
  void print_batch(const TreeLoop& loop);
  /// Declares `pb_group0`, `pb_first0`, …: the first instance of the work-group.
  void print_group();
  /// Declares the places and extents of the buffers that the branch fills.
  void declare_buffers_of(const TreeBranch& branch);
  void print_copy(const Copy& copy);
  /// Declares a pointer to the cells of this instance in its group's buffer, and the strides of the dimensions in
  /// `dims`. Only the place in the group decides the place, so neighbours move along the buffer.
  void print_region(BufferId id, const std::vector<std::size_t>& dims);

  struct Names {
    std::string binding;  ///< prefix of the names for the buffer's first cell and extents
    std::string matrix;
    std::string memory;
    std::string offset;  ///< where the matrix begins, as the type of an index in it
  };
  [[nodiscard]] std::string type_of(const Buffer& buffer) const;
  [[nodiscard]] Names names_of(const Buffer& buffer) const;
  /// Returns how many cells a group has along a dimension, and the coordinate of the first one.
  [[nodiscard]] std::string length_text(const GroupExtent& extent) const;
  [[nodiscard]] std::string begin_text(const GroupExtent& extent) const;
  [[nodiscard]] const KernelTree& lowered() const { return lowered_; }
  [[nodiscard]] const Rule& rule() const { return rule_; }
  /// Returns the matrix of which a buffer has a part.
  [[nodiscard]] const Matrix& matrix_of(const Buffer& buffer) const {
    return transform_.matrices[rule_.inputs[buffer.input].matrix];
  }
  [[nodiscard]] const KernelDialect& dialect() const { return dialect_; }

 private:
  [[nodiscard]] int num_loops() const { return static_cast<int>(lowered_.vars.size()); }
  [[nodiscard]] static std::string last_of_group(int dim);
  void print_copy_by_first(const Copy& copy, const Buffer& buffer);
  void print_copy_by_all(const Copy& copy, const Buffer& buffer);
  [[nodiscard]] static std::pair<std::string, std::string> cell_texts(const Names& names, std::size_t rank);
  [[nodiscard]] std::string flat_local_id() const;
  [[nodiscard]] std::string flat_local_size() const;

  Writer& out_;
  const Transform& transform_;
  const Rule& rule_;
  const KernelTree& lowered_;
  const KernelDialect& dialect_;
};

}  // namespace pb
