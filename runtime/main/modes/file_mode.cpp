// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <vector>

#include "runtime/main/engine/engine.h"
#include "runtime/main/modes/modes.h"
#include "runtime/main/modes/run_trials.h"
#include "runtime/main/program/run_context.h"
#include "runtime/matrix/new_contents.h"

namespace pbrt {

namespace {

using Words = std::vector<std::string>::const_iterator;

/// Takes the integers that stand before the files; returns the word after them.
Words take_params(const Session& session, SizeWishes& wishes) {
  const TransformDesc& transform = session.transform;
  Words word = session.options.words.begin();
  for (int p = 0; p < transform.num_params; ++p) {
    if (session.given.has_param(p)) continue;
    const std::string name = transform.size_vars[transform.params[p]];
    const std::int64_t value = param_value("param " + name, *word++);
    for (const auto& known : wishes.named)
      if (known.first == name) throw UserError("param " + name + " and --size " + name + " are both given");
    wishes.named.emplace_back(name, value);
  }
  return word;
}

/// Takes the inputs from --set and from the files that begin at `word`; `word` then stands after these files.
void take_inputs(const Session& session, Words& word, std::vector<AnyMatrix>& inputs, std::vector<std::string>& names) {
  const TransformDesc& transform = session.transform;
  MatrixReader reader;
  for (int i = 0; i < transform.num_inputs; ++i) {
    if (session.given.has_input(i)) {
      names.emplace_back("--set");
      inputs.push_back(session.given.input(i));
      continue;
    }
    names.push_back(*word == "-" ? "standard input" : *word);
    inputs.push_back(reader.read(*word++, spec_of(transform.inputs[i])));
  }
}

/// Refuses a command line whose number of words differs from the number of params, inputs and outputs that --set does
/// not give.
void check_num_words(const Session& session) {
  const TransformDesc& transform = session.transform;
  const auto found = static_cast<int>(session.options.words.size());
  const int expected = transform.num_params + transform.num_inputs + transform.num_outputs - session.given.count();
  if (found == expected) return;
  std::string text = "expected " + std::to_string(expected) + " arguments, found " + std::to_string(found);
  if (found == 0) text += "; on generated inputs it runs with --n N";
  if (found > expected && session.given.count() > 0)
    text += "; what --set gives has no place among them: " + session.given.names();
  throw UserError(text + "\n" + usage_line(session.program_name, transform, session.given));
}

}  // namespace

void run_file_mode(Session& session) {
  const TransformDesc& transform = session.transform;
  const Options& options = session.options;
  if (!options.iogen_create.empty())
    throw UserError("--iogen-create needs --n N: it writes inputs that are generated, of that size");
  check_num_words(session);
  SizeWishes wishes = session.size_wishes();
  check_size_names(wishes, {&transform});
  Words word = take_params(session, wishes);
  session.open_configuration();

  Problem problem;
  problem.transform = &transform;
  std::vector<std::string> input_names;
  take_inputs(session, word, problem.inputs, input_names);
  const std::unique_ptr<RunContext> ctx = session.engine.make_context(session.config);
  problem.sizes = sizes_from_inputs(*ctx, transform, problem.inputs, input_names, wishes);
  problem.outputs = allocate_outputs(*ctx, transform, problem.sizes);
  for (int i = 0; i < transform.num_outputs; ++i)
    if (const AnyMatrix& output = problem.outputs[static_cast<std::size_t>(i)];
        transform.outputs[i].is_read_initially && !are_new_matrices_nan() && !is_unused(output))
      fill_zeros(output);
  MatrixWriter writer({options.precision, options.maxval});
  for (auto output = word; output != options.words.end(); ++output) writer.open(*output);

  const Trials trials = run_trials(session, problem, options.trials > 1);
  for (int i = 0; i < transform.num_outputs; ++i)
    writer.write(static_cast<std::size_t>(i), problem.outputs[static_cast<std::size_t>(i)],
                 header_of(transform.outputs[i]));
  writer.commit();
  print_results(session, problem, trials);
}

}  // namespace pbrt
