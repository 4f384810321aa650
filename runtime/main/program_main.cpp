// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>

#include "runtime/config/runtime_check.h"
#include "runtime/config/standard_streams.h"
#include "runtime/gpu/wrappers/limited_device.h"
#include "runtime/main/failure/crash_report.h"
#include "runtime/main/failure/thrown_from.h"
#include "runtime/main/machine/native_libraries.h"
#include "runtime/main/modes/modes.h"
#include "runtime/main/modes/run_trials.h"
#include "runtime/main/program/failed_assertions.h"
#include "runtime/main/serve/serve.h"
#include "runtime/matrix/access_watch.h"
#include "runtime/matrix/new_contents.h"

namespace pbrt {

namespace {

constexpr int kExitError = 1;

std::string rounded_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// If `name` names an instance by its number, as `Power<2>` does, returns the number; else -1.
int instance_number(const std::string& name, const char* template_name) {
  const std::string head = std::string(template_name) + "<";
  if (!name.starts_with(head) || !name.ends_with(">")) return -1;
  const char* end = name.data() + name.size() - 1;
  int number = -1;
  const auto parsed = std::from_chars(name.data() + head.size(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? number : -1;
}

/// `T` is instance 0, `T<i>` instance number i, `T_tmpl_3_1` and `T<3,1>` the one with these arguments
/// (docs/reference/language.md 4.6).
bool is_named(const ProgramDesc& program, int index, const std::string& name) {
  const TransformDesc& transform = program.transforms[index];
  if (transform.template_name == nullptr) return name == transform.name;
  int first = index;
  const auto is_sibling = [&](int t) {
    const char* other = program.transforms[t].template_name;
    return other != nullptr && std::string_view(other) == transform.template_name;
  };
  while (first > 0 && is_sibling(first - 1)) --first;
  const int number = instance_number(name, transform.template_name);
  if (number >= 0) return number == index - first;
  return name == transform.name || name == transform.instance_name ||
         (name == transform.template_name && index == first);
}

const TransformDesc& find_transform(const ProgramDesc& program, const std::string& name) {
  if (name.empty()) return program.transforms[program.main_transform];
  std::string known;
  for (int t = 0; t < program.num_transforms; ++t) {
    if (is_named(program, t, name)) return program.transforms[t];
    const TransformDesc& transform = program.transforms[t];
    known += (t == 0 ? "" : ", ") +
             std::string(transform.template_name != nullptr ? transform.instance_name : transform.name);
  }
  throw UserError("--transform " + name + ": there is no such transform; there are: " + known);
}

/// `T<3,bin 1>` without the number of its bin: what the instances for the bins of one transform share.
std::string without_bin(const std::string& name) {
  const std::size_t at = name.rfind("bin ");
  return at == std::string::npos ? name
                                 : name.substr(0, at) + name.substr(name.find_first_not_of("0123456789", at + 4));
}

/// The instance of `transform` for the least demanding bin that promises `wanted`.
const TransformDesc& find_bin(const Engine& engine, const ProgramDesc& program, const TransformDesc& transform,
                              double wanted) {
  const std::string words = "--accuracy-target " + rounded_text(wanted) + ": ";
  if (!engine.info_of(transform).accuracy.has_target)
    throw UserError(words + "`" + transform.name + "` has no accuracy_bins");
  const TransformDesc* best = nullptr;
  std::string known;
  const auto target_of = [&](const TransformDesc& bin) { return engine.info_of(bin).accuracy.target; };
  const bool is_higher_better = engine.info_of(transform).accuracy.higher_is_better;
  const auto is_less = [&](double a, double b) { return is_higher_better ? a < b : a > b; };
  for (int t = 0; t < program.num_transforms; ++t) {
    const TransformDesc& bin = program.transforms[t];
    if (without_bin(bin.name) != without_bin(transform.name) || !engine.info_of(bin).accuracy.has_target) continue;
    known += (known.empty() ? "" : ", ") + rounded_text(target_of(bin));
    if (is_less(target_of(bin), wanted)) continue;
    if (best == nullptr || is_less(target_of(bin), target_of(*best))) best = &bin;
  }
  if (best == nullptr)
    throw UserError(words + "no bin of `" +
                    (transform.template_name != nullptr ? transform.template_name : transform.name) +
                    "` is as accurate; its bins are " + known + (is_higher_better ? "" : ", less is better"));
  return *best;
}

std::uint64_t choose_seed(const Options& options) {
  if (options.seed) return *options.seed;
  if (options.is_fixed_random || options.is_server) return 0;
  return std::random_device()() % 1000000000U;
}

void print_help(const char* program_name, const ProgramDesc& program, const TransformDesc& transform,
                const GivenValues& given) {
  std::printf("%s\n", usage_line(program_name, transform, given).c_str());
  std::printf("       %s [options] --n N\n\n", program_name);
  std::string names;
  for (const std::string& name : settable_names(transform))
    names += (names.empty() ? "--set " : ", --set ") + name + "=V";
  if (!names.empty()) std::printf("Numbers may be given by %s instead.\n\n", names.c_str());
  std::printf(
      "Runs the transform %s of %s on files (text, .npy, .pgm, .ppm; - is standard input or output), or with --n on\n"
      "generated inputs.\n\nOptions:\n%s",
      transform.name, program.name, options_help().c_str());
}

void serve(Session& session) {
  // Bodies may print and read, so the protocol has descriptors of its own.
  const int request_fd = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int reply_fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int null_fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (request_fd < 0 || reply_fd < 0 || null_fd < 0) throw IoError("--serve needs standard input and output");
  if (::dup2(null_fd, STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw IoError("--serve cannot set up its descriptors");
  ::close(null_fd);
  run_serve_mode(session, request_fd, reply_fd);
}

void run_modes(const char* program_name, const Options& options, const ProgramDesc& program,
               const TransformDesc& transform, TraceOutput& trace_output) {
  // What a device that shares the host's memory uses of it has no limit, since it allocates nothing.
  const bool may_use_host_memory = !options.wants_device_copies && options.device_memory == 0;
  // Totals, as --stats has them, are measured as the program runs without.
  const bool writes_ends = trace_output.trace() != nullptr && trace_output.trace()->keeps_events();
  Devices devices(make_opencl_provider(
                      {may_use_host_memory, options.only_builds, limit_of_seconds(options.device_limit), writes_ends}),
                  {options.is_profiled, trace_output.trace(), options.device_memory,
                   options.verifies_device && !options.only_builds});
  if (options.wants_device_list) {
    std::fputs(devices.describe().c_str(), stdout);
    return;
  }
  Engine engine(program, trace_output.trace());
  if (options.wants_version) {
    std::printf("%s, compiled by Polybricks %s\n", program.name, PB_VERSION);
    return;
  }
  const TransformDesc& chosen =
      options.accuracy_target ? find_bin(engine, program, transform, *options.accuracy_target) : transform;
  Session session{options,
                  program_name,
                  engine,
                  devices,
                  chosen,
                  trace_output,
                  choose_seed(options),
                  GivenValues(chosen, options.given),
                  {},
                  {},
                  {}};
  if (options.wants_reset) {
    const std::string path = options.config.empty() ? default_config_path(program_name) : options.config;
    trace_output.check_is_not(path, "the configuration");
    return save_configuration(path, default_configuration(engine.index()), engine, devices, "--reset");
  }
  if (options.saves_config) trace_output.check_is_not(default_config_path(program_name), "the configuration");
  if (options.is_server) return serve(session);
  if (options.n || !options.iogen_run.empty()) {
    run_timing_mode(session);
  } else {
    run_file_mode(session);
  }
  if (options.saves_config) {
    const std::string path = session.found.file.empty() ? default_config_path(program_name) : session.found.file;
    save_configuration(path, session.found.configuration, engine, devices, "--save-config");
  }
}

void run_program(const char* program_name, const Options& options, const ProgramDesc& program) {
  fill_new_matrices_with_nan(options.fills_nan);
  watch_accesses(program.watches_accesses);
  const TransformDesc& transform = find_transform(program, options.transform);
  if (options.wants_help) return print_help(program_name, program, transform, GivenValues(transform, options.given));
  TraceOutput trace_output(options, program.name);
  try {
    run_modes(program_name, options, program, transform, trace_output);
  } catch (...) {
    trace_output.write_anyway();
    throw;
  }
  trace_output.write();
}

int report(const char* program_name, const char* message, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", program_name, message);
  return status;
}

int run_and_report(int argc, char** argv, const ProgramDesc& program) {
  prepare_native_libraries();
  const char* program_name = argc > 0 ? argv[0] : program.name;
  // A closed pipe and a file that grows too large are errors of write(), with a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  report_crashes(program_name, program);
  note_exceptions();
  end_process_on_failed_assertions();
  try {
    run_program(program_name, parse_options(argc, argv), program);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return report(program_name, "cannot write standard output", kExitError);
    return 0;
  } catch (const RunAborted& error) {
    return report(program_name, error.what(), kExitAborted);
  } catch (...) {
    return report(program_name, words_of_exception(program).c_str(), kExitError);
  }
}

/// OpenCL drivers, and the compilers in them, rely on stacks of the usual size: under `ulimit -s 64` PoCL fails before
/// it lists its devices. If the stack of this thread is small, gives new threads larger ones, and returns whether that
/// worked.
bool has_better_stacks_for_threads() {
  constexpr std::size_t kEnough = std::size_t{1} << 20;
  constexpr std::size_t kUsual = std::size_t{8} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough) return false;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  const bool is_set =
      ::pthread_attr_setstacksize(&attributes, kUsual) == 0 && ::pthread_setattr_default_np(&attributes) == 0;
  (void)::pthread_attr_destroy(&attributes);
  return is_set;
}

}  // namespace

namespace {

int run_on_good_stack(int argc, char** argv, const ProgramDesc& program) {
  if (!has_better_stacks_for_threads()) return run_and_report(argc, argv, program);
  int status = kExitError;
  try {
    std::thread([&] { status = run_and_report(argc, argv, program); }).join();
  } catch (const std::system_error&) {  // no thread can be made, so this small stack must do
    return run_and_report(argc, argv, program);
  }
  return status;
}

}  // namespace

int program_main(int argc, char** argv, const ProgramDesc& program) {
  hold_standard_streams();
  const int status = run_on_good_stack(argc, argv, program);
  if (gpu::is_any_device_left()) {
    // A driver whose device hangs may wait for it when its library is unloaded.
    std::fflush(nullptr);
    _exit(status);
  }
  return status;
}

}  // namespace pbrt
