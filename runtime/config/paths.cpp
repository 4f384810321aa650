// SPDX-License-Identifier: MIT
#include "runtime/config/paths.h"

#include <unistd.h>

#include <climits>

namespace pbrt {
namespace {

constexpr int kMaxLinks = 40;

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string follow_links(std::string path) {
  for (int i = 0; i < kMaxLinks; ++i) {
    char link[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), link, sizeof(link));
    if (length <= 0) return path;
    const std::string to(link, static_cast<std::size_t>(length));
    path = to[0] == '/' ? to : folder_of(path) + "/" + to;
  }
  return path;
}

std::string name_beside(const std::string& path, std::string_view ending) {
  const std::size_t begin = path.rfind('/') + 1;  // 0 for a mere name
  const std::size_t room = NAME_MAX - ending.size();
  return path.substr(0, begin) + path.substr(begin, room) + std::string(ending);
}

}  // namespace pbrt
