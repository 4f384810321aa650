// SPDX-License-Identifier: MIT
#include "runtime/main/command_line/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/config/nearest_word.h"

namespace pbrt {

namespace {

enum class Takes : std::uint8_t { Nothing, Value, MaybeValue };

struct Option {
  const char* name;
  Takes takes;
  const char* value_name;
  const char* help;
  void (*set)(Options& options, const std::string& name, const std::string& value);
};

[[noreturn]] void fail_value(const std::string& name, const std::string& value, const char* expected) {
  throw UserError("--" + name + "=" + value + ": expected " + expected);
}

std::int64_t integer(const std::string& name, const std::string& value, std::int64_t min, std::int64_t max,
                     const char* expected) {
  std::int64_t result = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, result);
  if (value.empty() || parsed.ec != std::errc() || parsed.ptr != end || result < min || result > max)
    fail_value(name, value, expected);
  return result;
}

/// `yes`, `no`, `1`, `0`, `true`, `false`: the first letter counts.
bool boolean(const std::string& name, const std::string& value) {
  if (value.empty()) return true;
  if (std::string_view("yYtT1").find(value[0]) != std::string_view::npos) return true;
  if (std::string_view("nNfF0").find(value[0]) != std::string_view::npos) return false;
  fail_value(name, value, "yes or no");
}

void set_size(Options& options, const std::string& name, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0) fail_value(name, value, "NAME=VALUE");
  const std::string variable = value.substr(0, equals);
  const std::int64_t size =
      integer(name + " " + variable, value.substr(equals + 1), 0, INT32_MAX, "an integer from 0 to 2147483647");
  std::erase_if(options.sizes, [&](const auto& known) { return known.first == variable; });
  options.sizes.emplace_back(variable, size);
}

void set_given(Options& options, const std::string& name, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == value.size()) fail_value(name, value, "NAME=VALUE");
  options.given.emplace_back(value.substr(0, equals), value.substr(equals + 1));
}

void set_stats(Options& options, const std::string& name, const std::string& value) {
  if (value.empty() || value == "text") {
    options.stats = StatsFormat::Text;
  } else if (value == "json") {
    options.stats = StatsFormat::Json;
  } else if (value == "xml") {
    options.stats = StatsFormat::Xml;
  } else {
    fail_value(name, value, "text, json or xml");
  }
}

void set_seed(Options& options, const std::string& name, const std::string& value) {
  std::uint64_t seed = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, seed);
  if (value.empty() || parsed.ec != std::errc() || parsed.ptr != end)
    fail_value(name, value, "an integer from 0 to 2^64-1");
  options.seed = seed;
}

/// A number of bytes: a whole number, maybe with K, M or G at its end.
std::uint64_t bytes(const std::string& name, const std::string& value) {
  constexpr const char* kExpected = "a number of bytes above 0, such as 4096, 64K, 512M or 8G";
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = value.empty() ? std::string_view::npos : kUnits.find(value.back());
  const bool has_unit = unit != std::string_view::npos;
  const int shift = has_unit ? 10 * (static_cast<int>(unit) + 1) : 0;
  std::uint64_t number = 0;
  const char* end = value.data() + value.size() - (has_unit ? 1 : 0);
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number == 0 || number > UINT64_MAX >> shift)
    fail_value(name, value, kExpected);
  return number << shift;
}

template <double Options::*kMember>
void set_seconds(Options& options, const std::string& name, const std::string& value) {
  char* end = nullptr;
  options.*kMember = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !(options.*kMember > 0)) fail_value(name, value, "a number of seconds above 0");
}

void set_accuracy_target(Options& options, const std::string& name, const std::string& value) {
  char* end = nullptr;
  options.accuracy_target = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !std::isfinite(*options.accuracy_target)) fail_value(name, value, "a number");
}

template <bool Options::*kMember>
void set_flag(Options& options, const std::string& name, const std::string& value) {
  options.*kMember = boolean(name, value);
}
template <std::string Options::*kMember>
void set_text(Options& options, const std::string& name, const std::string& value) {
  if (value.empty()) fail_value(name, value, "a name");
  options.*kMember = value;
}
template <int Options::*kMember, int kMin, int kMax>
void set_int(Options& options, const std::string& name, const std::string& value) {
  const std::string expected = "an integer from " + std::to_string(kMin) + " to " + std::to_string(kMax);
  options.*kMember = static_cast<int>(integer(name, value, kMin, kMax, expected.c_str()));
}

// Flat by design: the table of options, in the order of --help.
const Option kOptions[] = {
    {"n", Takes::Value, "N", "run on generated inputs; every size variable without --size is N",
     [](Options& o, const std::string& name, const std::string& v) {
       o.n = integer(name, v, 0, INT32_MAX, "an integer from 0 to 2147483647");
     }},
    {"size", Takes::Value, "NAME=V", "sets one size variable; may be repeated", set_size},
    {"set", Takes::Value, "NAME=V",
     "gives a value to a param or to an input that is one number, instead of its word or file; may be repeated",
     set_given},
    {"seed", Takes::Value, "S", "seed of all random numbers", set_seed},
    {"fixedrandom", Takes::Nothing, "", "the same random numbers in every run, as --seed 0",
     set_flag<&Options::is_fixed_random>},
    {"trials", Takes::Value, "T", "number of runs", set_int<&Options::trials, 1, 1000000000>},
    {"time", Takes::Nothing, "", "prints timings", set_flag<&Options::wants_time>},
    {"max-sec", Takes::Value, "X", "ends a run that takes longer: it counts as infinitely slow",
     set_seconds<&Options::max_sec>},
    {"resident", Takes::Nothing, "", "measures with inputs on the device and outputs left there",
     set_flag<&Options::is_resident>},
    {"profile", Takes::Nothing, "", "measures kernels by the device's clock, for --stats and --serve",
     set_flag<&Options::is_profiled>},
    {"config", Takes::Value, "FILE",
     "configuration, none for the default; else <program>.cfg beside the program, if there",
     set_text<&Options::config>},
    {"cfg", Takes::Value, "FILE", "the same as --config", set_text<&Options::config>},
    {"transform", Takes::Value, "NAME", "runs this transform instead of the main one", set_text<&Options::transform>},
    {"tx", Takes::Value, "NAME", "the same as --transform", set_text<&Options::transform>},
    {"threads", Takes::Value, "N", "number of worker threads", set_int<&Options::threads, 1, 512>},
    {"large-pages", Takes::Nothing, "",
     "matrices of 2 MiB and more ask for large pages; --nolarge-pages: not, whatever the configuration says",
     [](Options& o, const std::string& name, const std::string& v) { o.large_pages = boolean(name, v); }},
    {"device", Takes::Value, "WHICH",
     "OpenCL devices: indices or parts of names in --list-devices with commas, all, or none",
     [](Options& o, const std::string& name, const std::string& v) {
       if (v.empty()) fail_value(name, v, "indices or parts of names, all, or none");
       o.device = v;
     }},
    {"device-copies", Takes::Nothing, "", "the device gets a memory of its own, also where it shares the host's",
     set_flag<&Options::wants_device_copies>},
    {"device-memory", Takes::Value, "BYTES",
     "the most memory that is used on the device, as 4096, 64K, 512M or 8G; one that shares the host's gets its own",
     [](Options& o, const std::string& name, const std::string& v) { o.device_memory = bytes(name, v); }},
    {"device-limit", Takes::Value, "X",
     "a device of which an operation takes longer than X seconds hangs: the CPU does its work; without it none does",
     set_seconds<&Options::device_limit>},
    {"list-devices", Takes::Nothing, "", "lists the OpenCL devices", set_flag<&Options::wants_device_list>},
    {"stats", Takes::MaybeValue, "text|json|xml", "prints times and what ran where", set_stats},
    {"trace", Takes::Value, "FILE", "writes what ran when, on which worker and device, for Perfetto or about:tracing",
     set_text<&Options::trace>},
    {"strict", Takes::Nothing, "", "a device version that does not run is an error", set_flag<&Options::is_strict>},
    {"verify-device", Takes::Nothing, "",
     "steps of a device run on the CPU, too, and the results are compared; a version that is wrong runs no more",
     set_flag<&Options::verifies_device>},
    {"fill-nan", Takes::Nothing, "", "matrices hold NaN until they are written: shows reads of what nothing wrote",
     set_flag<&Options::fills_nan>},
    {"accuracy", Takes::Nothing, "", "prints how accurate the outputs are, by the accuracy metric",
     set_flag<&Options::wants_accuracy>},
    {"accuracy-target", Takes::Value, "X",
     "runs the instance for the least demanding of the accuracy_bins that promises X", set_accuracy_target},
    {"hash", Takes::Nothing, "", "prints a hash of the outputs", set_flag<&Options::wants_hash>},
    {"precision", Takes::Value, "P", "significant digits of numbers in text files (8)",
     set_int<&Options::precision, 1, 40>},
    {"maxval", Takes::Value, "M", "largest sample of written pictures (255)", set_int<&Options::maxval, 1, 65535>},
    {"iogen-create", Takes::Value, "PREFIX",
     "with --n: writes inputs and outputs to PREFIX_in<k>.dat, PREFIX_out<k>.dat", set_text<&Options::iogen_create>},
    {"iogen-run", Takes::Value, "PREFIX", "runs trials on such files", set_text<&Options::iogen_run>},
    {"reset", Takes::Nothing, "", "writes the default configuration and exits", set_flag<&Options::wants_reset>},
    {"save-config", Takes::Nothing, "", "writes the configuration in use at the end", set_flag<&Options::saves_config>},
    {"serve", Takes::Nothing, "", "answers measurement requests on standard input", set_flag<&Options::is_server>},
    {"builds-only", Takes::Nothing, "", "with --serve: runs build the kernels for the device, which does nothing",
     set_flag<&Options::only_builds>},
    {"version", Takes::Nothing, "", "prints versions", set_flag<&Options::wants_version>},
    {"help", Takes::Nothing, "", "prints this", set_flag<&Options::wants_help>},
};

struct FormerOption {
  std::string_view name;
  const char* instead;
};
constexpr const char* kTune = "`pbtune PROGRAM --n N` finds the choices that are fast and accurate enough";
constexpr const char* kPlot = "--n N --time measures one size, `pbtune report --html FILE` draws what tuning measured";
constexpr const char* kCompare =
    "`pbtune compare PROGRAM A.cfg B.cfg --n N` says which of two configurations is faster";
constexpr const char* kIsolate = "pbtune measures in a process of its own; --max-sec ends a run that takes too long";
constexpr const char* kOneMachine = "a program runs on one machine";
constexpr const char* kTrials = "--trials T and --max-sec X say how much is measured";

// Flat by design: options of PetaBricks (docs/reference/language.md 11.3, 11.4) for which there is no equivalent here.
const FormerOption kFormerOptions[] = {
    {"accuracy-training", kTune},
    {"acctrain", kTune},
    {"acctrials", kTune},
    {"accimprovetries", kTune},
    {"optimize", kTune},
    {"autotune", kTune},
    {"autotune-transform", kTune},
    {"autotune-site", kTune},
    {"autotune-tunable", kTune},
    {"autotune-log", kTune},
    {"graph", kPlot},
    {"graph-input", kPlot},
    {"graph-param", kPlot},
    {"graph-parallel", kPlot},
    {"graph-template", kPlot},
    {"graph-accuracy", kPlot},
    {"smoothing", kPlot},
    {"min", kPlot},
    {"max", kPlot},
    {"step", kPlot},
    {"exp", kPlot},
    {"race-with", kCompare},
    {"race-multiplier", kCompare},
    {"race-multiplier-lowacc", kCompare},
    {"race-accuracy", kCompare},
    {"race-split-ratio", kCompare},
    {"isolation", kIsolate},
    {"noisolation", kIsolate},
    {"notireexec", kIsolate},
    {"retries", kIsolate},
    {"hosts", kOneMachine},
    {"pbs", kOneMachine},
    {"slave-host", kOneMachine},
    {"slave-port", kOneMachine},
    {"trials-sec", kTrials},
    {"trials-max", kTrials},
    {"random", "--n N runs on generated inputs of size N"},
    {"iogen-n", "the sizes are those of the files"},
    {"offset", "--n N is the size itself"},
    {"force-output", "without --n, - as an output is standard output"},
    {"name", "--help names the main transform"},
    {"resolution", "times are in nanoseconds"},
    {"max-memory", "`ulimit -v KIB` limits the memory of a program"},
};

const Option* find_option(std::string_view name) {
  for (const Option& option : kOptions)
    if (name == option.name) return &option;
  return nullptr;
}

[[noreturn]] void fail_unknown(const std::string& name) {
  for (const FormerOption& former : kFormerOptions)
    if (name == former.name) throw UserError("there is no option --" + name + "; " + former.instead);
  std::vector<std::string> names;
  for (const Option& option : kOptions) names.emplace_back(option.name);
  const std::string best = nearest_word(name, names);
  throw UserError("unknown option --" + name + (best.empty() ? "" : "; did you mean --" + best + "?") +
                  (best.empty() ? "; --help lists the options" : ""));
}

bool is_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  // A word that begins with `-` and a digit or a point is a negative number and no option.
  return !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

class Parser {
 public:
  Parser(int argc, const char* const* argv) : args_(argv + std::min(argc, 1), argv + argc) {}

  Options parse() {
    while (next_ < args_.size()) {
      const std::string& word = args_[next_++];
      if (word == "--") {
        options_.words.insert(options_.words.end(), args_.begin() + static_cast<std::ptrdiff_t>(next_), args_.end());
        break;
      }
      if (is_option(word)) {
        const std::size_t begin = word.find_first_not_of('-');
        if (begin == std::string::npos) throw UserError("unknown option " + word + "; --help lists the options");
        option(word.substr(begin));
      } else {
        options_.words.push_back(word);
      }
    }
    return options_;
  }

 private:
  void option(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::string name = text.substr(0, equals);
    const bool has_value = equals != std::string::npos;
    std::string value = has_value ? text.substr(equals + 1) : "";
    const Option* found = find_option(name);
    if (found == nullptr && !has_value && name.starts_with("no")) {
      found = find_option(std::string_view(name).substr(2));
      if (found != nullptr && found->takes != Takes::Nothing) found = nullptr;
      if (found != nullptr) value = "no";
    }
    if (found == nullptr) fail_unknown(name);
    name = found->name;
    if (found->takes == Takes::Value && !has_value) {
      if (next_ == args_.size()) throw UserError("--" + name + " needs a value: --" + name + " " + found->value_name);
      value = args_[next_++];
    }
    if (has_value && value.empty()) throw UserError("--" + name + "= needs a value");
    found->set(options_, name, value);
  }

  std::vector<std::string> args_;
  std::size_t next_ = 0;
  Options options_;
};

}  // namespace

Options parse_options(int argc, const char* const* argv) { return Parser(argc, argv).parse(); }

std::string options_help() {
  constexpr std::size_t kColumn = 28;
  std::string text;
  for (const Option& option : kOptions) {
    std::string line = std::string("  --") + option.name;
    if (option.takes == Takes::Value) line += std::string(" ") + option.value_name;
    if (option.takes == Takes::MaybeValue) line += std::string("[=") + option.value_name + "]";
    line.resize(std::max(line.size() + 2, kColumn), ' ');
    text += line + option.help + "\n";
  }
  return text;
}

}  // namespace pbrt
