// SPDX-License-Identifier: MIT
#include "runtime/main/inputs/generated_inputs.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/matrix/random.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt {

namespace {

/// Makes a stream current for the functions that fill matrices.
class StreamScope {
 public:
  explicit StreamScope(std::uint64_t seed)
      : stream_{.key = RandomStream::mix(seed)}, previous_(set_current_random(&stream_)) {}
  ~StreamScope() { set_current_random(previous_); }
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

  RandomStream& stream() { return stream_; }

 private:
  RandomStream stream_;
  RandomStream* previous_;
};

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string bounds_text(const ValueRange& range) {
  if (range.is_real) return number_text(range.real_lo) + " to " + number_text(range.real_hi);
  return std::to_string(range.lo) + " to " + std::to_string(range.hi);
}

/// Why numbers of `T` cannot be drawn from the range; empty if they can.
template <class T>
std::string fault_of(const ValueRange& range) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool is_finite = std::isfinite(static_cast<T>(range.real_lo)) && std::isfinite(static_cast<T>(range.real_hi));
    if (!is_finite) return "no finite number of its type";
    return range.real_lo <= range.real_hi ? "" : "the first bound is above the second";
  } else {
    if (range.lo > range.hi) return "the first bound is above the second";
    if (std::in_range<T>(range.lo) && std::in_range<T>(range.hi)) return "";
    return "its type holds " + std::to_string(std::numeric_limits<T>::min()) + " to " +
           std::to_string(std::numeric_limits<T>::max());
  }
}

/// A number of the range. Rounding never gives the end that does not belong to the range.
template <class T>
T draw(RandomStream& stream, const ValueRange& range) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto lo = static_cast<T>(range.real_lo);
    const auto hi = static_cast<T>(range.real_hi);
    const double share = stream.next01();
    const auto value = static_cast<T>(static_cast<double>(lo) * (1 - share) + static_cast<double>(hi) * share);
    return value < hi ? std::max(lo, value) : std::max(lo, std::nextafter(hi, lo));
  } else {
    // A range of all 64-bit values has a count of 0 here.
    const std::uint64_t count = static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo) + 1;
    const std::uint64_t bits = stream.next();
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t offset =
        count == 0 ? bits : static_cast<std::uint64_t>((static_cast<Wide>(bits) * count) >> 64);
    return static_cast<T>(static_cast<std::int64_t>(static_cast<std::uint64_t>(range.lo) + offset));
  }
}

void fill_from(RandomStream& stream, const ValueRange& range, const RawView& view) {
  visit_kind(view.kind, [&]<class T>(T*) {
    T* base = static_cast<T*>(view.base);
    for_each_offset(view, [&](std::int64_t offset) { base[offset] = draw<T>(stream, range); });
  });
}

}  // namespace

void fill_inputs(const RunContext& ctx, const TransformDesc& transform, const std::vector<std::int64_t>& sizes,
                 const std::vector<AnyMatrix>& inputs, std::uint64_t seed, std::int64_t most_cells) {
  std::vector<ValueRange> ranges(inputs.size());
  if (transform.ranges != nullptr) transform.ranges(ctx, sizes.data(), ranges.data());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].count() > most_cells) continue;
    StreamScope random(seed + i);
    const ValueRange& range = ranges[i];
    if (!range.is_given) {
      detail::fill_random(inputs[i].raw());
      continue;
    }
    if (inputs[i].count() == 0) continue;
    const MatrixDesc& desc = transform.inputs[i];
    const std::string fault = visit_kind(desc.element, [&]<class T>(T*) { return fault_of<T>(range); });
    if (!fault.empty())
      throw NoSuchSizes("input `" + header_of(desc) + " in " + desc.range + "`: the range is " + bounds_text(range) +
                        for_sizes_text(transform, sizes) + ": " + fault);
    fill_from(random.stream(), range, inputs[i].raw());
  }
}

}  // namespace pbrt
