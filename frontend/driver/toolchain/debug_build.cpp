// SPDX-License-Identifier: MIT
#include "frontend/driver/toolchain/debug_build.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "clgen/writer/writer.h"
#include "lang/io_error.h"
#include "runtime/config/atomic_file.h"

namespace pb {

namespace fs = std::filesystem;

std::vector<std::string> source_path_flags(const SourceManager& sources, const GeneratedNames& names) {
  std::vector<std::pair<std::string, std::string>> paths = {{names.compiled, names.kept}, {names.in_lines, names.kept}};
  for (std::size_t i = 0; i < sources.num_files(); ++i) {
    const std::string_view name = sources.name(FileId{static_cast<std::uint32_t>(i)});
    paths.emplace_back(sources.short_name(name), name);
  }
  // The compilers compare beginnings of names, and the last flag that fits counts: the longest name must win.
  std::stable_sort(paths.begin(), paths.end(),
                   [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
  std::vector<std::string> flags;
  for (const auto& [name, path] : paths)
    flags.push_back("-fdebug-prefix-map=" + name + "=" + fs::absolute(path).string());
  return flags;
}

std::string write_printers(const RuntimeHome& home, const std::string& folder) {
  if (!fs::exists(home.printers))
    throw IoError("cannot find `" + home.printers + "`, which --debug needs; install Polybricks again");
  // The section `.debug_gdb_scripts` of GDB's manual: an entry of kind 4 is the text of a Python script behind its
  // name. The last line: without it, linkers would make the program's stack executable.
  std::string path = folder + "/printers.s";
  pbrt::write_file_atomically(path,
                              ".section .debug_gdb_scripts, \"MS\", @progbits, 1\n.byte 4\n"
                              ".ascii \"polybricks_printers\\n\"\n.incbin " +
                                  pb::quoted(home.printers) + "\n.byte 0\n" +
                                  ".section .note.GNU-stack, \"\", @progbits\n");
  return path;
}

}  // namespace pb
