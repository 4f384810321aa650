// SPDX-License-Identifier: MIT
#include "lang/suggest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace pb {
namespace {

int letter_distance(char a, char b) {
  if (a == b) return 0;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(a) == lower(b) ? 1 : 2;
}

/// Edit distance in half differences; two swapped neighbours count as one difference.
int distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(2 * i);
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(2 * j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      at(i, j) = std::min({at(i - 1, j) + 2, at(i, j - 1) + 2, at(i - 1, j - 1) + letter_distance(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 2);
    }
  }
  return at(a.size(), b.size());
}

}  // namespace

std::string suggest(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    const int found = distance(name, candidate);
    if (found == 0 || (best && found >= best_distance)) continue;
    best = &candidate;
    best_distance = found;
  }
  if (!best) return {};
  const int longest = static_cast<int>(std::max(name.size(), best->size()));
  const int allowed = std::max(2, 2 * longest / 3);
  if (best_distance > allowed || (best_distance >= 2 * longest)) return {};
  return "did you mean `" + *best + "`?";
}

}  // namespace pb
