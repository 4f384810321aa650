// SPDX-License-Identifier: MIT
#include "runtime/gpu/access_shadow.h"

#include <algorithm>
#include <cstring>

#include "base/seeded_fault.h"
#include "runtime/config/copy_error.h"

namespace pbrt::gpu {
namespace {

constexpr std::size_t kMaxLaunches = 64;

/// Calls `visit` with each element of the view that lies in memory of `num_elements`.
template <class Visit>
void for_each_element(const OwnedView& view, std::int64_t num_elements, const Visit& visit) {
  if (view.is_empty()) return;
  std::array<std::int64_t, kMaxDims> at = {};
  for (int d = 0;;) {
    std::int64_t element = view.offset;
    for (int k = 0; k < view.num_dims; ++k) element += at[k] * view.strides[k];
    if (element >= 0 && element < num_elements) visit(element);
    for (d = 0; d < view.num_dims; ++d) {
      if (++at[d] < view.sizes[d]) break;
      at[d] = 0;
    }
    if (d == view.num_dims) return;
  }
}

std::string text_of(const RuleDesc& rule) {
  return std::string("the kernel of ") + (rule.name == nullptr ? "a rule" : rule.name);
}

std::string text_of(const GridBox& box) {
  std::string text;
  for (int d = 0; d < box.num_dims; ++d)
    text += (d == 0 ? "[" : " x [") + std::to_string(box.lo[d]) + ", " + std::to_string(box.hi[d]) + ")";
  return text;
}

}  // namespace

AccessShadow::AccessShadow(Storage& storage, const Layout& layout, std::mutex& mutex)
    : WatchedMemory(storage.data(), storage.bytes(), layout.element_bytes()),
      storage_(storage),
      layout_(layout),
      record_mutex_(mutex),
      copy_(std::make_unique<std::byte[]>(storage.bytes() + 1)) {}

bool AccessShadow::differs(std::int64_t element) const {
  const auto bytes = static_cast<std::size_t>(element_bytes());
  const std::size_t at = static_cast<std::size_t>(element) * bytes;
  return std::memcmp(copy_.get() + at, static_cast<const std::byte*>(storage_.data()) + at, bytes) != 0;
}

void AccessShadow::keep(std::int64_t element) {
  const auto bytes = static_cast<std::size_t>(element_bytes());
  const std::size_t at = static_cast<std::size_t>(element) * bytes;
  std::memcpy(copy_.get() + at, static_cast<const std::byte*>(storage_.data()) + at, bytes);
}

void AccessShadow::before_launch(const OwnedView& view, const RuleDesc& rule) const {
  for_each_element(view, num_elements(), [&](std::int64_t element) {
    const std::uint8_t now = flags(element);
    if ((now & (kKnown | kStale)) == kKnown && differs(element))
      throw CopyError(text_of(rule) + " uses " + box_text(view) + " of a matrix whose cell " + name_of(element) +
                      " the host wrote, and nothing told the device (wrote_on_host)");
  });
}

void AccessShadow::launched(const OwnedView& view, bool is_written, const RuleDesc& rule) {
  launches_.push_back({&rule, view, is_written});
  if (launches_.size() > kMaxLaunches) launches_.pop_front();
  for_each_element(view, num_elements(), [&](std::int64_t element) {
    const std::uint8_t before = flags(element);
    if (is_written) return set_flags(element, PB_FAULT(launch_leaves_fresh) ? 0 : kStale | kUsed);
    if ((before & (kKnown | kStale)) == 0) keep(element);
    set_flags(element, static_cast<std::uint8_t>(before | kUsed | ((before & kStale) != 0 ? 0 : kKnown)));
  });
}

std::vector<bool> AccessShadow::newer_elements(const BoxSet& newer) const {
  std::vector<bool> out;
  if (newer.is_empty()) return out;
  out.resize(static_cast<std::size_t>(num_elements()));
  for (const CopyShape& shape : layout_.copy_shapes(newer))
    for (std::size_t slice = 0; slice < shape.slices; ++slice)
      for (std::size_t row = 0; row < shape.rows; ++row)
        for (std::size_t byte = 0; byte < shape.row_bytes; byte += static_cast<std::size_t>(element_bytes()))
          out[(shape.offset + slice * shape.slice_pitch + row * shape.row_pitch + byte) /
              static_cast<std::size_t>(element_bytes())] = true;
  return out;
}

void AccessShadow::needed(const OwnedView& view, const BoxSet& newer) {
  const std::vector<bool> is_newer = newer_elements(newer);
  for_each_element(view, num_elements(), [&](std::int64_t element) {
    const std::uint8_t before = flags(element);
    if ((before & kStale) == 0 || (!is_newer.empty() && is_newer[static_cast<std::size_t>(element)])) return;
    keep(element);
    set_flags(element, static_cast<std::uint8_t>((before & ~kStale) | kKnown));
  });
}

/// Ends the run if the host wrote elements that it was not to write yet.
void AccessShadow::check_unwritten(const OwnedView& view) const {
  for_each_element(view, num_elements(), [&](std::int64_t element) {
    if ((flags(element) & (kUsed | kKnown | kStale)) == (kUsed | kKnown) && differs(element))
      throw CopyError("the host wrote to " + text_of_cell(element) + ", before it asked for that (before_host_write)");
  });
}

void AccessShadow::quiet(const OwnedView& view, const BoxSet& newer, bool is_void) {
  check_unwritten(view);
  const std::vector<bool> is_newer = newer_elements(newer);
  for_each_element(view, num_elements(), [&](std::int64_t element) {
    if (!is_newer.empty() && is_newer[static_cast<std::size_t>(element)]) return;
    const std::uint8_t before = flags(element);
    if (is_void) return set_flags(element, 0);
    if ((before & kStale) != 0) keep(element);
    set_flags(element, before == 0 ? 0 : kKnown);
  });
}

void AccessShadow::written(const OwnedView& view) {
  check_unwritten(view);
  for_each_element(view, num_elements(), [&](std::int64_t element) {
    const std::uint8_t before = flags(element);
    if ((before & kStale) == 0) set_flags(element, static_cast<std::uint8_t>(before & ~kKnown));
  });
}

void AccessShadow::forget_launches() {
  launches_.clear();
  for (std::int64_t element = 0; element < num_elements(); ++element) set_flags(element, 0);
}

std::string AccessShadow::name_of(std::int64_t element) const {
  OwnedView cell;
  cell.offset = element;
  cell.element_bytes = element_bytes();
  const GridBox box = layout_.box_of(cell);
  std::string text;
  for (int d = 0; d < box.num_dims; ++d) text += (d == 0 ? "(" : ", ") + std::to_string(box.lo[d]);
  return text + ")";
}

std::string AccessShadow::box_text(const OwnedView& view) const {
  return layout_.refined_for(view) == layout_ ? text_of(layout_.box_of(view)) : "a part";
}

std::string AccessShadow::describe(std::int64_t element) const {
  const std::lock_guard lock(record_mutex_);
  return text_of_cell(element);
}

std::string AccessShadow::text_of_cell(std::int64_t element) const {
  std::string text = "cell " + name_of(element) + " of a matrix";
  for (auto launch = launches_.rbegin(); launch != launches_.rend(); ++launch) {
    bool has_it = false;
    for_each_element(launch->view, num_elements(), [&](std::int64_t other) { has_it = has_it || other == element; });
    if (!has_it) continue;
    return text + ", which " + text_of(*launch->rule) + (launch->is_written ? " wrote" : " reads") +
           " on the device with " + box_text(launch->view);
  }
  return text + ", which a device uses";
}

}  // namespace pbrt::gpu
