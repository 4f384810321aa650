// SPDX-License-Identifier: MIT
// A library that is loaded: its tables, and the engine that its contexts share.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/embed/library_desc.h"
#include "runtime/main/engine/engine.h"

namespace pbrt {

/// Threads: any
class Library : public pb_library {
 public:
  explicit Library(const LibraryDesc& desc);
  /// Pre:     its contexts have ended
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const LibraryDesc& desc() const { return desc_; }
  /// Made when the first context asks for it.
  ///
  /// Errors:  RuntimeError
  [[nodiscard]] const Engine& engine();

 private:
  const LibraryDesc& desc_;
  std::vector<pb_transform> transforms_;
  std::vector<std::vector<pb_argument>> arguments_;
  std::mutex lock_;
  std::unique_ptr<Engine> engine_;  // under lock_
};

}  // namespace pbrt
