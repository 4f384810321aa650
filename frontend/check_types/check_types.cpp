// SPDX-License-Identifier: MIT
#include "frontend/check_types/check_types.h"

#include "frontend/check_types/check_body.h"
#include "frontend/check_types/constants.h"
#include "frontend/check_types/range_loops.h"
#include "frontend/check_types/settle_locals.h"
#include "frontend/check_types/vocabulary/native_names.h"

namespace pb {

bool check_types(Program& program, Diagnostics& diags) {
  const std::size_t errors_before = diags.num_errors();
  const std::set<std::string> native_functions = checking::find_native_functions(program.native_blocks);
  for (const TransformId id : program.transforms.ids()) {
    Transform& transform = program.transforms[id];
    Diagnostics messages;
    for (Rule& rule : transform.rules) {
      checking::make_range_loops(rule);
      checking::CheckedBody checked = checking::check_body(program, native_functions, transform, rule, messages);
      rule.body_types = std::move(checked.types);
      rule.calls = std::move(checked.calls);
      checking::put_constants(rule);
      checking::settle_locals(rule);
    }
    diags.add_new(messages, program.instance_note(id));
  }
  return diags.num_errors() == errors_before;
}

}  // namespace pb
