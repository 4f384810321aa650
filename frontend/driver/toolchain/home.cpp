// SPDX-License-Identifier: MIT
#include "frontend/driver/toolchain/home.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "lang/io_error.h"

namespace pb {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw IoError("cannot find the own executable: " + error.message() + "; set POLYBRICKS_HOME");
  return self.parent_path();
}

bool is_there(const fs::path& path) {
  std::error_code ignored;  // unreadable counts as missing
  return fs::exists(path, ignored);
}

std::vector<std::string> words_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(word);
  return words;
}

}  // namespace

RuntimeHome find_runtime() {
  const char* override_text = std::getenv("POLYBRICKS_HOME");
  const bool is_overridden = override_text && *override_text;
  const fs::path home = is_overridden ? fs::path(override_text) : own_folder().parent_path();
  const fs::path library = home / "lib" / "libpbrt.a";
  const fs::path include = home / "include" / "polybricks";  // apart from the headers of other packages
  for (const fs::path& path : {library, include / "runtime" / "generated.h"}) {
    if (is_there(path)) continue;
    const std::string where =
        is_overridden ? "POLYBRICKS_HOME is `" + home.string() + "`" : "pbc runs from `" + own_folder().string() + "`";
    throw IoError("cannot find the runtime: `" + path.string() + "` does not exist (" + where + ")");
  }
  return {include.string(),
          library.string(),
          (home / "lib" / "libpbrt.so.0").string(),
          (home / "lib" / "polybricks" / "headers").string(),
          (home / "share" / "polybricks" / "matrix_printers.py").string(),
          words_of(home / "lib" / "libpbrt.flags")};
}

}  // namespace pb
