// SPDX-License-Identifier: MIT
// Store<Id, T>: the one owner of the nodes of a tree, addressed by typed 32-bit ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pb {

/// A typed index: `using RuleId = Id<struct RuleTag>`. Default-constructed: names nothing.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] constexpr bool is_none() const { return value == kNone; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  auto operator<=>(const Id&) const = default;
};

/// Append-only vector of T addressed by IdT. Ids are dense and in order of insertion.
template <class IdT, class T>
class Store {
 public:
  IdT add(T item) {
    items_.push_back(std::move(item));
    return IdT(items_.size() - 1);
  }
  [[nodiscard]] const T& operator[](IdT id) const { return items_.at(id.index()); }
  [[nodiscard]] T& operator[](IdT id) { return items_.at(id.index()); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::vector<IdT> ids() const {
    std::vector<IdT> out;
    out.reserve(items_.size());
    for (std::size_t i = 0; i < items_.size(); ++i) out.emplace_back(i);
    return out;
  }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }
  [[nodiscard]] auto begin() { return items_.begin(); }
  [[nodiscard]] auto end() { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace pb
