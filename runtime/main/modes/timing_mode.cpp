// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/main/modes/modes.h"
#include "runtime/main/modes/run_trials.h"
#include "runtime/main/program/run_context.h"

namespace pbrt {

namespace {

std::string iogen_name(const std::string& prefix, const char* kind, std::size_t index, std::size_t count) {
  // The numbers in the names count down: the last matrix has 0.
  return prefix + "_" + kind + std::to_string(count - 1 - index) + ".dat";
}

void write_iogen(const Session& session, const Problem& problem) {
  MatrixWriter writer({session.options.precision, session.options.maxval});
  std::size_t next = 0;
  const auto write_all = [&](const std::vector<AnyMatrix>& matrices, const MatrixDesc* descs, const char* kind) {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const std::string name = iogen_name(session.options.iogen_create, kind, i, matrices.size());
      session.trace_output.check_is_not(name, "an output");
      writer.open(name);
      writer.write(next++, matrices[i], header_of(descs[i]));
    }
  };
  write_all(problem.inputs, session.transform.inputs, "in");
  write_all(problem.outputs, session.transform.outputs, "out");
  writer.commit();
}

Problem read_iogen(const Session& session) {
  const TransformDesc& transform = session.transform;
  const std::string& prefix = session.options.iogen_run;
  Problem problem;
  problem.transform = &transform;
  MatrixReader reader;
  std::vector<std::string> names;
  const auto num_inputs = static_cast<std::size_t>(transform.num_inputs);
  const auto num_outputs = static_cast<std::size_t>(transform.num_outputs);
  for (std::size_t i = 0; i < num_inputs; ++i) {
    names.push_back(iogen_name(prefix, "in", i, num_inputs));
    session.trace_output.check_is_not(names.back(), "an input");
    problem.inputs.push_back(reader.read(names.back(), spec_of(transform.inputs[i])));
  }
  const std::unique_ptr<RunContext> ctx = session.engine.make_context(session.config);
  problem.sizes = sizes_from_inputs(*ctx, transform, problem.inputs, names, session.size_wishes());
  problem.outputs = allocate_outputs(*ctx, transform, problem.sizes);
  for (std::size_t i = 0; i < num_outputs; ++i) {
    const std::string name = iogen_name(prefix, "out", i, num_outputs);
    session.trace_output.check_is_not(name, "an input");
    const AnyMatrix initial = reader.read(name, spec_of(transform.outputs[i]));
    if (!initial.has_same_shape(problem.outputs[i]))
      throw UserError(name + ": does not have the size of `" + header_of(transform.outputs[i]) + "`");
    problem.outputs[i].copy_from(initial);
  }
  return problem;
}

/// Refuses a word on a command line on which everything is generated. Usually it is the value of a `param`, which has
/// no place there.
[[noreturn]] void refuse_words(const Session& session) {
  const TransformDesc& transform = session.transform;
  const std::vector<std::string>& words = session.options.words;
  const auto is_number = [](const std::string& word) {
    return word.find_first_not_of("+-0123456789") == std::string::npos;
  };
  std::string text = words.front() + " is one argument too many: with --n the inputs are generated";
  const auto num_values = std::min(words.size(), static_cast<std::size_t>(transform.num_params));
  for (std::size_t p = 0; p < num_values && is_number(words[p]); ++p)
    text += (p == 0 ? "; a param has no place then, write --set " : " --set ") +
            std::string(transform.size_vars[transform.params[p]]) + "=" + words[p];
  if (transform.num_params == 0) text += "; without --n it runs on files";
  throw UserError(text);
}

}  // namespace

void run_timing_mode(Session& session) {
  const Options& options = session.options;
  if (!options.words.empty()) refuse_words(session);
  session.open_configuration();
  const Problem problem = options.iogen_run.empty() ? session.engine.generate(session.transform, session.size_wishes(),
                                                                              session.seed, session.config)
                                                    : read_iogen(session);
  session.given.put_into(problem);
  if (!options.iogen_create.empty()) {
    write_iogen(session, problem);
    return;
  }
  const Trials trials = run_trials(session, problem, true);
  print_results(session, problem, trials);
}

}  // namespace pbrt
