// SPDX-License-Identifier: MIT
#include "frontend/driver/pbc_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <vector>

#include "frontend/driver/commit.h"
#include "lang/suggest.h"

#ifndef PB_VERSION
#error "the build defines PB_VERSION"
#endif

namespace pb {
namespace {

const std::map<std::string, Emit> kEmitWords = {
    {"ast", Emit::Ast},         {"program", Emit::Program}, {"graph", Emit::Graph},  {"plan", Emit::Plan},
    {"cpp", Emit::Cpp},         {"opencl", Emit::OpenCl},   {"cuda", Emit::Cuda},    {"info", Emit::Info},
    {"lowered", Emit::Lowered}, {"status", Emit::Status},   {"header", Emit::Header}};
const std::map<std::string, ElementType> kElementWords = {{"double", ElementType::Double},
                                                          {"float", ElementType::Float}};
const std::map<std::string, FpMode> kFpWords = {
    {"strict", FpMode::Strict}, {"contract", FpMode::Contract}, {"reassociate", FpMode::Reassociate}};
const std::map<std::string, ColourMode> kColourWords = {
    {"auto", ColourMode::Auto}, {"always", ColourMode::Always}, {"never", ColourMode::Never}};
const std::map<std::string, bool> kFormatWords = {{"dot", false}, {"svg", true}};

/// `a|b|c` of the words, for --help.
template <class T>
std::string list_of(const std::map<std::string, T>& words) {
  std::string list;
  for (const auto& [word, value] : words) list += (list.empty() ? "" : "|") + word;
  return list;
}

/// A check that a word is in `words`, whose message lists them.
template <class T>
CLI::Validator one_of(const std::map<std::string, T>& words) {
  const auto check = [&words](std::string& word) -> std::string {
    if (words.contains(word)) return {};
    return "`" + word + "` is none of " + list_of(words);
  };
  return {check, ""};
}

/// The names of all warnings.
std::vector<std::string> warning_names() {
  std::vector<std::string> names;
  for (const DiagInfo& info : all_diagnostics())
    if (info.severity == Severity::Warning) names.emplace_back(info.id);
  return names;
}

/// What is wrong with a name behind --no-warn; empty: nothing.
std::string warning_fault(const std::string& name) {
  const auto kind = kind_named(name);
  if (kind && info_of(*kind).severity == Severity::Warning) return {};
  if (kind) return "--no-warn: `" + name + "` is an error, and errors cannot be switched off";
  const std::vector<std::string> names = warning_names();
  std::string hint = suggest(name, names);
  if (hint.empty()) {
    for (const std::string& known : names) hint += (hint.empty() ? "the warnings are " : ", ") + known;
  }
  return "--no-warn: no warning is named `" + name + "`; " + hint;
}

struct Words {
  std::vector<std::string> no_warn;
  std::string format = "dot";
  std::string emit, element = "double", fp = "contract", colour = "auto";
};

std::string version_text() {
  const std::string commit = kCommit;
  return std::string("pbc (Polybricks) ") + PB_VERSION + (commit.empty() ? "" : " (commit " + commit + ")");
}

void add_options(CLI::App& app, Options& options, Words& words) {
  app.add_option("input", options.input, "the program, a .pbcc file")->type_name("");
  app.add_option("-o,--output", options.output,
                 "the executable to write (default: the input's name without .pbcc); its training information goes to "
                 "OUTPUT.info")
      ->type_name("FILE");
  app.add_flag(
      "--library", options.is_library,
      "make a library, libNAME.so or libNAME.a, and NAME.h beside it, which declares a C function for each transform");
  app.add_flag("--standalone", options.is_standalone,
               "of libNAME.so: it holds a copy of the runtime, and does not share workers and devices with other "
               "libraries of the process through libpbrt.so.0");
  app.add_flag("--check", options.check_only, "check the program, write nothing");
  app.add_option("--emit", words.emit, "stop after a stage and print its result")
      ->type_name(list_of(kEmitWords))
      ->check(one_of(kEmitWords));
  app.add_option("--format", words.format, "of --emit=graph: Graphviz's language, or a picture (default: dot)")
      ->type_name("dot|svg")
      ->check(one_of(kFormatWords));
  app.add_flag(
      "--explain", options.explain,
      "say per rule which versions exist, which loops are folds and which rules scans, and why others are not");
  app.add_option("--element", words.element, "what ElementT is (default: double)")
      ->type_name(list_of(kElementWords))
      ->check(one_of(kElementWords));
  app.add_option(
         "--config", options.config,
         "make the choices and values of this configuration constants of the program: what it does not choose is "
         "left out; what it does not name stays to be chosen")
      ->type_name("FILE");
  app.add_option("--main", options.main_name, "the transform to run (default: the one marked `main`, else the last)")
      ->type_name("NAME");
  app.add_option(
         "--fp", words.fp,
         "floating-point rules: strict (no contraction), contract (default), reassociate (sums may be reordered)")
      ->type_name(list_of(kFpWords))
      ->check(one_of(kFpWords));
  app.add_flag(
      "--split-products", options.splits_products,
      "sums of products of floats may run on a device's matrix units, each product as three products of shorter "
      "numbers: faster, and not the same digits");
  app.add_option("--no-warn", words.no_warn,
                 "leave out the warnings of this name, which stands in brackets at their end; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--checked", options.is_checked,
               "test at run time every index of matrices (CPU versions; slow), that no region ends before it begins "
               "and that no argument of a call overlaps one that it writes");
  app.add_flag("--checked-copies", options.checks_copies,
               "test at run time that each element which the CPU uses was copied there after a device wrote it, and "
               "the reverse (slow)");
  app.add_flag(
      "--debug", options.is_debug,
      "compile for debuggers, not for speed: breakpoints at the lines of bodies, printers of matrices for gdb");
  app.add_option("--depfile", options.depfile,
                 "write which files the executable or library was made of, as a rule of make")
      ->type_name("FILE");
  app.add_flag("--keep", options.keep, "keep the generated C++ as OUTPUT.cpp");
  app.add_flag("--precompile", options.precompile,
               "write no program: precompile the headers of programs with these options, beside the runtime's library");
  app.add_flag("--time-passes", options.time_passes, "print how long each pass took");
  app.add_option("--color,--colour", words.colour, "colours in messages (default: auto)")
      ->type_name(list_of(kColourWords))
      ->check(one_of(kColourWords));
  app.set_version_flag("--version", version_text());
}

/// What to say about a word that is no option.
std::string unknown_option_text(const CLI::ExtrasError& error, const CLI::App& app) {
  const std::vector<std::string> left = app.remaining();
  const auto first = std::find_if(left.begin(), left.end(), [](const std::string& word) {
    return word.starts_with('-') && word.size() > 1 && word != "--";
  });
  if (first == left.end())
    return std::string("a program is one .pbcc file; what it includes it names itself (") + error.what() + ")";
  const std::string word = first->substr(0, first->find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string hint = suggest(word, names);
  return "unknown option `" + word + "`" + (hint.empty() ? "" : "; " + hint);
}

ParsedOptions stop(int status) { return {std::nullopt, status}; }

ParsedOptions usage_error(const std::string& text) {
  std::fprintf(stderr, "pbc: error: %s\npbc: `pbc --help` lists the options\n", text.c_str());
  return stop(1);
}

/// What to say about an option with a value too few or too many.
std::string mismatch_text(const CLI::ArgumentMismatch& error) {
  const std::string text = error.what();
  const std::size_t flag_end = text.find(" was given a disallowed flag override");
  if (flag_end != std::string::npos) return "--" + text.substr(0, flag_end) + " takes no value";
  return text.substr(0, text.find(':')) + " needs a value";
}

/// Prints what --help and --version ask for.
ParsedOptions print_and_stop(const CLI::App& app, const CLI::Success& success) {
  const int status = app.exit(success, std::cout, std::cerr);
  if (std::cout.flush()) return stop(status);
  std::fputs("pbc: error: cannot write to standard output\n", stderr);
  return stop(1);
}

}  // namespace

const char* to_string(FpMode mode) {
  switch (mode) {
    case FpMode::Strict:
      return "strict";
    case FpMode::Contract:
      return "contract";
    case FpMode::Reassociate:
      return "reassociate";
  }
  return "contract";
}

ParsedOptions parse_options(int argc, char** argv) {
  Options options;
  Words words;
  CLI::App app{"Compiles a .pbcc program to an executable that can be tuned with pbtune.", "pbc"};
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->disable_flag_override();
  add_options(app, options, words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return print_and_stop(app, success);
  } catch (const CLI::ExtrasError& error) {
    return usage_error(unknown_option_text(error, app));
  } catch (const CLI::ArgumentMismatch& error) {
    return usage_error(mismatch_text(error));
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  if (!words.emit.empty()) options.emit = kEmitWords.at(words.emit);
  options.is_svg = kFormatWords.at(words.format);
  if (options.is_svg && options.emit != Emit::Graph) return usage_error("--format=svg is for --emit=graph alone");
  options.element = kElementWords.at(words.element);
  options.fp = kFpWords.at(words.fp);
  if (options.splits_products && options.fp == FpMode::Strict)
    return usage_error("--split-products changes digits, which --fp=strict does not allow");
  if (options.is_standalone && !options.is_library) return usage_error("--standalone needs --library");
  options.colour = kColourWords.at(words.colour);
  for (const std::string& name : words.no_warn) {
    if (const std::string fault = warning_fault(name); !fault.empty()) return usage_error(fault);
    options.silenced.push_back(*kind_named(name));
  }
  if (options.input.empty() && options.emit != Emit::Status) return usage_error("no input file");
  return {options, 0};
}

}  // namespace pb
