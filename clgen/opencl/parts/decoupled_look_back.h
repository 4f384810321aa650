// SPDX-License-Identifier: MIT
// How the group of a window finds what stands before it where the order of operations changes no bit: see Note [Scans
// on devices] in kernel_scans.cpp. Private to clgen/opencl.
#pragma once

#include <functional>
#include <string>

#include "clgen/opencl/kernel_dialect.h"
#include "clgen/opencl/kernel_scan_parts.h"
#include "clgen/opencl/parts/scan_records.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Looks back from window to window, 32 at a time, as far as the next one whose group knows the value behind it
/// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). One warp does that where
/// lanes exchange values; else work-items show each other what they have read through memory of the group.
class DecoupledLookBackPrinter {
 public:
  /// Prints statements that give a value what stands before the line.
  using PrintFirstValue = std::function<void(const std::string& name)>;

  /// `has_warps`: neighbouring work-items are neighbours along the scan. Pre: all other arguments outlive this object
  DecoupledLookBackPrinter(Writer& out, const KernelDialect& dialect, const ScanPartPrinter& parts,
                           const ScanRecordPrinter& records, bool has_warps)
      : out_(out), dialect_(dialect), parts_(parts), records_(records), has_warps_(has_warps) {}

  /// Declares that memory.
  void declare_arrays() const;
  /// Publishes the window's part, `pb_total`, puts what stands before it into the array `starts`, and publishes the
  /// value behind it.
  void print(const std::string& starts, const PrintFirstValue& print_first_value) const;

 private:
  void print_by_warp(const std::string& starts, const PrintFirstValue& print_first_value) const;
  void print_by_some(const std::string& starts, const PrintFirstValue& print_first_value) const;
  void print_look(const PrintFirstValue& print_first_value) const;
  void print_fold_of_warp() const;
  void print_prepend(const std::string& earlier) const;
  void print_seen() const;
  void print_found(const std::string& starts) const;

  Writer& out_;
  const KernelDialect& dialect_;
  const ScanPartPrinter& parts_;
  const ScanRecordPrinter& records_;
  bool has_warps_;
};

}  // namespace pb
