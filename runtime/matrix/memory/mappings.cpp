// SPDX-License-Identifier: MIT
#include "runtime/matrix/memory/mappings.h"

#include <map>
#include <mutex>
#include <vector>

namespace pbrt {
namespace {

struct State {
  std::mutex mutex;
  std::map<const std::byte*, Mapping> mappings;  // by where they begin
  std::vector<MappingUser*> users;
};

/// Is never destroyed, because matrices may live longer than static objects.
State& state() {
  static auto* const only = new State;
  return *only;
}

}  // namespace

void Mappings::add(const Mapping& mapping) {
  const std::lock_guard lock(state().mutex);
  state().mappings[mapping.begin] = mapping;
}

void Mappings::remove(std::byte* begin) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().mappings.find(begin);
  if (found == state().mappings.end()) return;
  for (MappingUser* user : state().users) user->end(found->second);
  state().mappings.erase(found);
}

std::optional<Mapping> Mappings::find(const void* address) {
  const auto* const at = static_cast<const std::byte*>(address);
  const std::lock_guard lock(state().mutex);
  auto found = state().mappings.upper_bound(at);
  if (found == state().mappings.begin()) return std::nullopt;
  --found;
  const Mapping& mapping = found->second;
  if (at >= mapping.begin + mapping.bytes) return std::nullopt;
  return mapping;
}

void Mappings::add_user(MappingUser& user) {
  const std::lock_guard lock(state().mutex);
  state().users.push_back(&user);
}

void Mappings::remove_user(MappingUser& user) {
  const std::lock_guard lock(state().mutex);
  std::erase(state().users, &user);
}

}  // namespace pbrt
