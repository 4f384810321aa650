// SPDX-License-Identifier: MIT
#include "frontend/driver/toolchain/link_library.h"

#include <string.h>

#include <filesystem>

#include "frontend/driver/process.h"
#include "lang/io_error.h"
#include "runtime/config/atomic_file.h"

namespace pb {
namespace {

namespace fs = std::filesystem;

void run_or_fail(const std::vector<std::string>& command) {
  const ProcessResult result = run_process(command);
  if (result.start_error != 0)
    throw IoError("cannot run `" + command.front() + "`, which static libraries need: " + strerror(result.start_error) +
                  "; install it (Debian: `apt-get install binutils`)");
  if (!result.succeeded()) throw IoError("`" + command.front() + "` failed:\n" + result.output);
}

}  // namespace

std::vector<std::string> library_compile_flags(const std::vector<std::string>& compiler) {
  std::vector<std::string> flags = {"-fPIC", "-fvisibility=hidden"};
  std::vector<std::string> version = compiler;
  version.emplace_back("--version");
  // With g++, variables of inline functions and templates would be one in the process, whatever their visibility.
  // clang++ does not know the flag, nor does it make such variables.
  if (run_process(version).output.find("clang") == std::string::npos) flags.emplace_back("-fno-gnu-unique");
  return flags;
}

std::vector<std::string> shared_library_flags(const std::vector<std::string>& exported, const std::string& file_name,
                                              const std::string& folder) {
  std::string script = "{\nglobal:\n";
  for (const std::string& name : exported) script += "  " + name + ";\n";
  const std::string path = folder + "/exported.map";
  pbrt::write_file_atomically(path, script + "local:\n  *;\n};\n");
  // Nothing may be missing when a host loads the library.
  return {"-shared", "-Wl,--version-script=" + path, "-Wl,-z,defs", "-Wl,-soname," + file_name};
}

std::vector<std::string> shared_runtime_flags(const RuntimeHome& home) {
  if (!fs::exists(home.shared_library))
    throw IoError("cannot find `" + home.shared_library +
                  "`, which shared libraries use; `--standalone` makes a library that needs none");
  const std::string folder = fs::path(home.shared_library).parent_path().string();
  return {home.shared_library, "-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN", "-Wl,-rpath," + folder};
}

std::vector<std::string> one_object_flags() {
  // Groups are resolved here: if they stayed, a host with two libraries would keep one copy of a function for both,
  // while its symbols are local to each.
  return {"-r", "-nostdlib", "-Wl,--force-group-allocation"};
}

void make_archive(const std::string& object, const std::string& archive, const std::vector<std::string>& exported,
                  const std::string& folder) {
  std::string names;
  for (const std::string& name : exported) names += name + "\n";
  const std::string path = folder + "/exported.names";
  pbrt::write_file_atomically(path, names);
  run_or_fail({"objcopy", "--keep-global-symbols=" + path, object});
  run_or_fail({"ar", "rcsD", archive, object});
}

}  // namespace pb
