// SPDX-License-Identifier: MIT
#include "frontend/driver/compile_cpp.h"

#include <string.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "frontend/driver/compiler_output.h"
#include "frontend/driver/output_place.h"
#include "frontend/driver/process.h"
#include "frontend/driver/temporary.h"
#include "frontend/driver/toolchain/debug_build.h"
#include "frontend/driver/toolchain/home.h"
#include "frontend/driver/toolchain/link_library.h"
#include "frontend/driver/toolchain/native_link_flags.h"
#include "frontend/driver/toolchain/precompiled.h"
#include "lang/io_error.h"
#include "runtime/config/atomic_file.h"

namespace pb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kObject = "library.o";  // what an archive holds

std::string source_path(const std::string& folder) { return folder + "/program.cpp"; }

/// The words of the compiler's command: $CXX may hold several, such as `ccache g++`.
std::vector<std::string> compiler_words() {
  const char* variable = std::getenv("CXX");
  std::istringstream text(variable ? variable : "");
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.empty()) words.emplace_back("c++");
  return words;
}

std::vector<std::string> compile_flags(const CppMode& mode) {
  // -w: warnings about the user's text of bodies would show generated code around it. -fstack-clash-protection: a local
  // array of any size touches the guard pages below its stack (runtime/sched/crash.h); functions with a frame smaller
  // than a page are compiled as without it.
  std::vector<std::string> flags = {"-std=c++20", "-march=native", "-fno-math-errno", "-fstack-clash-protection", "-w"};
  if (mode.is_debug) {
    flags.insert(flags.end(), {"-O0", "-g"});
  } else {
    flags.emplace_back("-O3");
  }
  switch (mode.fp) {
    case FpMode::Strict:
      flags.insert(flags.end(), {"-ffp-contract=off"});
      break;
    case FpMode::Contract:
      flags.insert(flags.end(), {"-ffp-contract=fast"});
      break;
    case FpMode::Reassociate:
      // gcc ignores the first of these flags without the last two.
      flags.insert(flags.end(),
                   {"-ffp-contract=fast", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"});
      break;
  }
  return flags;
}

/// What makes the columns of messages count bytes, as compiler_output reads them. g++ from version 11 on counts what a
/// terminal shows, with stops of tabs; others count bytes and do not know the flag.
std::vector<std::string> column_flags(const std::vector<std::string>& compiler) {
  const std::string flag = "-fdiagnostics-column-unit=byte";
  std::vector<std::string> question = compiler;
  question.insert(question.end(), {flag, "-print-search-dirs"});
  const ProcessResult answer = run_process(question);
  // g++ names a flag that it does not know and goes on.
  const bool is_known = answer.succeeded() && answer.output.find("column-unit") == std::string::npos;
  return is_known ? std::vector<std::string>{flag} : std::vector<std::string>{};
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

[[noreturn]] void fail_to_start(const std::string& compiler, int error) {
  throw IoError("cannot run the C++ compiler `" + compiler + "`: " + strerror(error) +
                "; install one (Debian: `apt-get install g++`) or set CXX");
}

[[noreturn]] void fail_with_output(const std::string& what, const std::string& output) {
  std::string text = output;
  while (text.ends_with('\n')) text.pop_back();
  throw IoError(what + (text.empty() ? "" : ":\n" + text));
}

/// Says why the compiler failed, at the user's lines where that is possible.
void report_failure(const ProcessResult& result, const std::string& compiler, const std::string& generated,
                    const std::string& target, const UserProgram& user, Diagnostics& diags) {
  if (result.start_error != 0) fail_to_start(compiler, result.start_error);
  for (const int error : {ENOSPC, EDQUOT, EFBIG}) {  // errors that the linker or the assembler print as words
    if (result.output.find(strerror(error)) != std::string::npos)
      throw IoError("cannot write `" + target + "`: " + strerror(error));
  }
  if (result.signal_number != 0) {
    fail_with_output("the C++ compiler `" + compiler + "` was ended by signal " + std::to_string(result.signal_number),
                     result.output);
  }
  if (report_compiler_output(result.output, generated, user, diags)) return;
  fail_with_output("the C++ compiler `" + compiler + "` failed", result.output);
}

/// Runs the compiler. If it rejects the precompiled header, runs it again without.
ProcessResult compile_with(const std::vector<std::string>& command, const std::vector<std::string>& header_flags,
                           const std::vector<std::string>& files) {
  std::vector<std::string> words = command;
  append(words, header_flags);
  append(words, files);
  ProcessResult result = run_process(words);
  const bool is_about_header = result.output.find("prefix.h") != std::string::npos;
  if (result.succeeded() || header_flags.empty() || !is_about_header) return result;
  words = command;
  append(words, files);
  return run_process(words);
}

/// The command: compiler and flags, without files.
std::vector<std::string> compile_command(const CppMode& mode, const RuntimeHome& home) {
  std::vector<std::string> command = compiler_words();
  append(command, compile_flags(mode));
  append(command, {"-I" + home.include});
  return command;
}

/// What tells debuggers where the sources are, and how matrices look.
std::vector<std::string> debugger_words(const CppJob& job, const UserProgram& user, const RuntimeHome& home,
                                        const std::string& folder) {
  if (!job.mode.is_debug) return {};
  std::vector<std::string> words =
      source_path_flags(user.sources, {source_path(folder), job.generated_name, job.target + ".cpp"});
  words.push_back(write_printers(home, folder));
  return words;
}

/// What the compiler gets behind its command. `linked` is the file that it writes.
std::vector<std::string> file_words(const CppJob& job, const RuntimeHome& home, const std::string& folder,
                                    const std::string& linked) {
  const bool is_shared_library = job.product == Product::SharedLibrary || job.product == Product::StandaloneLibrary;
  std::vector<std::string> words = {source_path(folder), "-o", linked};
  if (job.product == Product::SharedLibrary)
    append(words, shared_runtime_flags(home));
  else
    words.push_back(home.library);
  if (job.product == Product::StaticLibrary) {
    append(words, one_object_flags());
    return words;
  }
  if (is_shared_library)
    append(words, shared_library_flags(job.exported, fs::path(job.target).filename().string(), folder));
  append(words, native_link_flags(compiler_words()));
  if (job.product != Product::SharedLibrary) append(words, home.link_flags);
  return words;
}

}  // namespace

void precompile_headers(const std::string& generated, const CppMode& mode) {
  const RuntimeHome home = find_runtime();
  precompile_for_all(compile_command(mode, home), home, generated);
}

bool compile_cpp(const CppJob& job, const UserProgram& user, Diagnostics& diags,
                 const std::function<void()>& before_rename) {
  const RuntimeHome home = find_runtime();
  const TemporaryPath folder(make_temporary_folder());
  pbrt::write_file_atomically(source_path(folder.path()), job.generated);
  TemporaryPath product(temporary_beside(job.target));

  std::vector<std::string> command = compile_command(job.mode, home);
  if (job.product != Product::Program) append(command, library_compile_flags(compiler_words()));
  const std::string& compiler = command.front();
  const bool is_archive = job.product == Product::StaticLibrary;
  const std::string linked = is_archive ? folder.path() + "/" + kObject : product.path();
  std::vector<std::string> words = file_words(job, home, folder.path(), linked);
  append(words, debugger_words(job, user, home, folder.path()));
  append(words, column_flags(compiler_words()));

  PrecompiledPrefix prefix(command, home, job.generated);
  const ProcessResult result = compile_with(command, prefix.flags(), words);
  if (!result.succeeded()) {
    report_failure(result, compiler, job.generated, job.target, user, diags);
    return false;
  }
  if (is_archive) make_archive(linked, product.path(), job.exported, folder.path());
  prefix.finish();
  before_rename();
  product.rename_to(job.target);
  return true;
}

}  // namespace pb
