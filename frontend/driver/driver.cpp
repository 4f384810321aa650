// SPDX-License-Identifier: MIT
#include "frontend/driver/driver.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choicegraph/passes/build_plan.h"
#include "choicegraph/passes/computation/lift_loops.h"
#include "choicegraph/plan/plan_graph.h"
#include "choicegraph/plan/plan_text.h"
#include "choicegraph/plan/verify_plan.h"
#include "clgen/cpp/emit_cpp.h"
#include "clgen/cpp/library_code.h"
#include "clgen/emit_lowered.h"
#include "clgen/facts/initial_reads.h"
#include "clgen/info/make_training_info.h"
#include "clgen/lower/launches/version_launch.h"
#include "clgen/lower/loops/list_loop_tunables.h"
#include "clgen/lower/lower.h"
#include "clgen/opencl/emit_kernels.h"
#include "frontend/check_slips/check_slips.h"
#include "frontend/check_types/check_types.h"
#include "frontend/driver/call_files.h"
#include "frontend/driver/compile_cpp.h"
#include "frontend/driver/depfile.h"
#include "frontend/driver/explain.h"
#include "frontend/driver/output_names.h"
#include "frontend/driver/output_place.h"
#include "frontend/driver/source_fingerprint.h"
#include "frontend/driver/status.h"
#include "frontend/driver/timer.h"
#include "frontend/driver/with_configuration.h"
#include "frontend/infer_regions/infer_regions.h"
#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"
#include "frontend/resolve/resolve.h"
#include "frontend/splice_calls/splice_calls.h"
#include "lang/io_error.h"
#include "runtime/config/atomic_file.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/info_json.h"

namespace pb {
namespace {

/// The results of the passes so far; a failed pass leaves the rest empty.
struct Compilation {
  SourceManager sources;
  Diagnostics diags;
  PassTimer timer;
  Ast ast;
  std::optional<Program> program;
  BodyChanges changes;
  std::optional<Plan> plan;
  EmitOptions emit;
};

/// Which orders of folds `--fp` leaves to configurations.
FoldOrders fold_orders(FpMode fp) {
  switch (fp) {
    case FpMode::Strict:
      return FoldOrders::Source;
    case FpMode::Contract:
      return FoldOrders::SourceFirst;
    case FpMode::Reassociate:
      return FoldOrders::AnyFirst;
  }
  return FoldOrders::Source;
}

/// Why a transform made of calls is of no use: what its rules compute must follow from the calls alone.
std::string why_not_spliced(const Program& program, TransformId made) {
  const std::optional<TransformPlan> plan = try_plan(program, made, {});
  if (!plan) return "the rules of its callees do not fit together";
  for (const Site& site : plan->sites)
    if (site.alternatives.size() > 1) return "its callees leave the choice `" + site.name + "`";
  return "";
}

/// The front end and the choice graph, in order. Returns whether all of them succeeded.
bool run_passes(const Options& options, Compilation& c) {
  const auto ok = [&c] { return !c.diags.has_errors(); };

  const auto tokens = c.timer.run("preprocess", [&] { return preprocess(options.input, c.sources, c.diags); });
  if (!tokens) return false;
  c.ast = c.timer.run("parse", [&] { return parse(*tokens, c.sources, c.diags); });
  if (!ok()) return false;
  if (options.emit == Emit::Ast) return true;

  c.program = c.timer.run("resolve", [&] {
    return resolve(c.ast, c.sources, {options.element, options.main_name}, c.diags);
  });
  if (!c.program) return false;
  if (!c.timer.run("check_types", [&] { return check_types(*c.program, c.diags); })) return false;
  c.changes.lifted = c.timer.run("lift_loops", [&] { return lift_loops(*c.program); });
  if (!c.timer.run("infer_regions", [&] { return infer_regions(*c.program, c.diags); })) return false;
  if (!c.timer.run("check_slips", [&] { return check_slips(*c.program, c.diags); })) return false;
  c.changes.spliced = c.timer.run("splice_calls", [&] {
    return splice_calls(*c.program, {why_not_spliced, is_read_initially});
  });
  verify(*c.program);
  if (options.emit == Emit::Program) return true;

  c.plan = c.timer.run("build_plan",
                       [&] { return build_plan(*c.program, c.diags, {.fold_orders = fold_orders(options.fp)}); });
  if (!ok()) return false;
  c.plan = c.timer.run("list_loop_tunables", [&] {
    return list_loop_tunables(*c.program, *std::move(c.plan),
                              {options.fp != FpMode::Strict, options.splits_products, options.fp != FpMode::Strict});
  });
  c.plan =
      c.timer.run("drop_missing_time_tiles", [&] { return drop_missing_time_tiles(*c.program, *std::move(c.plan)); });
  verify(*c.plan, *c.program);
  c.emit = {source_fingerprint(c.sources, options, c.program->transforms[c.program->main].name), to_string(options.fp),
            options.is_checked};
  c.emit.checks_copies = options.checks_copies;
  c.emit.is_debug = options.is_debug;
  if (options.is_library || options.emit == Emit::Header) c.emit.library = library_name(library_path(options));
  if (options.config.empty()) return true;
  c.plan = c.timer.run("with_configuration",
                       [&] { return with_configuration(options.config, *c.program, *c.plan, c.sources, c.emit); });
  verify(*c.plan, *c.program);
  return true;
}

/// The program in lowered form. Nothing of a checked program runs in packs, because packs write to memory without a
/// test of the index; and nothing of one for debuggers, because their bodies are not the lines of the source.
LoweredProgram lowered(Compilation& c) {
  const PackUse packs = c.emit.is_checked || c.emit.is_debug ? PackUse::None : PackUse::WherePossible;
  return c.timer.run("lower", [&] { return lower(*c.program, *c.plan, packs); });
}

/// The text that `--emit` asks for.
std::string emitted_text(const Options& options, Compilation& c) {
  switch (options.emit) {
    case Emit::Ast:
      return to_string(c.ast);
    case Emit::Program:
      return to_string(*c.program);
    case Emit::Graph:
      return options.is_svg ? to_svg(*c.plan, *c.program) : to_graphviz(*c.plan, *c.program);
    case Emit::Plan:
      return to_string(*c.plan, *c.program);
    case Emit::Cpp:
      return emit_cpp(*c.program, *c.plan, lowered(c), c.sources, c.emit);
    case Emit::Header:
      return emit_library_header(*c.program, c.sources, c.emit.library);
    case Emit::Lowered:
      return emit_lowered(*c.program, *c.plan, lowered(c));
    case Emit::OpenCl:
      return emit_kernels(*c.program, lowered(c), c.sources, c.emit, opencl_dialect());
    case Emit::Cuda:
      return emit_kernels(*c.program, lowered(c), c.sources, c.emit, cuda_dialect());
    case Emit::Info:
      return to_json(make_training_info(*c.program, *c.plan, c.sources, c.emit));
    case Emit::Status:
      return status_page();
    case Emit::Binary:
      break;
  }
  return {};
}

void print(const std::string& text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!is_written) throw IoError("cannot write to standard output");
}

void write_text(const Options& options, const std::string& text) {
  if (options.output.empty() || options.output == "-") {
    print(text);
  } else {
    pbrt::write_file_atomically(options.output, text);
  }
}

/// The names of a library's functions.
///
/// Errors:  throws IoError if two are the same
std::vector<std::string> exported_functions(const Program& program, const std::string& library) {
  std::vector<std::string> names = exported_names(program, library);
  if (std::find(names.begin() + 1, names.end(), names.front()) != names.end())
    throw IoError("the function of a transform would have the name of the library's own, `" + names.front() +
                  "`; rename the transform or the library");
  return names;
}

CppMode cpp_mode(const Options& options) { return {options.fp, options.is_debug}; }

/// Generates, compiles and writes the executable and its training information, or the library and its header.
bool make_binary(const Options& options, const CallFiles& files, Compilation& c) {
  check_output_place(files.target);
  const LoweredProgram trees = lowered(c);
  const std::string cpp =
      c.timer.run("emit_cpp", [&] { return emit_cpp(*c.program, *c.plan, trees, c.sources, c.emit); });
  // What lies beside the binary.
  const std::string text =
      files.is_library ? emit_library_header(*c.program, c.sources, c.emit.library) : c.timer.run("emit_info", [&] {
        return to_json(make_training_info(*c.program, *c.plan, c.sources, c.emit));
      });
  if (!files.generated.empty()) pbrt::write_file_atomically(files.generated, cpp);
  const auto commit = [&] {
    if (!files.depfile.empty()) pbrt::write_file_atomically(files.depfile, depfile_text(files.target, files.inputs()));
    pbrt::write_file_atomically(files.beside, text);
  };
  const UserProgram user{c.sources, c.program->transform_names()};
  CppJob job{cpp, files.target, generated_name(*c.program), cpp_mode(options)};
  if (files.is_library) {
    job.product = is_static_library(files.target) ? Product::StaticLibrary
                  : options.is_standalone         ? Product::StandaloneLibrary
                                                  : Product::SharedLibrary;
    job.exported = exported_functions(*c.program, c.emit.library);
  }
  return c.timer.run("c++", [&] { return compile_cpp(job, user, c.diags, commit); });
}

bool use_colours(ColourMode mode) {
  if (mode != ColourMode::Auto) return mode == ColourMode::Always;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = !terminal || std::string_view(terminal) == "dumb";
  return isatty(STDERR_FILENO) != 0 && !(no_colour && *no_colour) && !is_dumb;
}

void print_messages(const Options& options, const Compilation& c) {
  const std::string text = render(c.diags, c.sources, use_colours(options.colour));
  std::fputs(text.c_str(), stderr);
  if (options.time_passes) std::fputs(c.timer.report().c_str(), stderr);
}

bool compile(const Options& options, Compilation& c) {
  if (options.emit == Emit::Status) {
    write_text(options, status_page());
    return true;
  }
  if (!run_passes(options, c)) return false;
  const CallFiles files = files_of_call(options, c.sources);
  check_files(files);
  if (options.explain) print(explain(*c.program, *c.plan, c.changes, c.sources));
  if (options.emit != Emit::Binary) {
    write_text(options, c.timer.run("emit", [&] { return emitted_text(options, c); }));
    return true;
  }
  if (options.check_only || options.explain) return true;
  if (options.precompile) {
    precompile_headers(emit_cpp(*c.program, *c.plan, lowered(c), c.sources, c.emit), cpp_mode(options));
    return true;
  }
  return make_binary(options, files, c);
}

}  // namespace

std::string PassTimer::report() const {
  std::string out;
  for (const auto& [name, time] : times_) {
    char line[64];
    std::snprintf(line, sizeof line, "%10.2f ms  %s\n", std::chrono::duration<double, std::milli>(time).count(), name);
    out += line;
  }
  return out;
}

int run_driver(const Options& options) {
  Compilation c;
  const auto fail = [&](const std::exception& error) {
    print_messages(options, c);
    std::fprintf(stderr, "pbc: error: %s\n", error.what());
    return 1;
  };
  for (const DiagKind kind : options.silenced) c.diags.silence(kind);
  try {
    const bool ok = compile(options, c);
    print_messages(options, c);
    return ok && !c.diags.has_errors() ? 0 : 1;
  } catch (const IoError& error) {
    return fail(error);
  } catch (const pbrt::IoError& error) {
    return fail(error);
  }
}

}  // namespace pb
