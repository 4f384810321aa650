// SPDX-License-Identifier: MIT
#include "frontend/check_slips/check_slips.h"

#include "frontend/check_slips/slips.h"

namespace pb {

bool check_slips(const Program& program, Diagnostics& diags) {
  const std::size_t errors_before = diags.num_errors();
  for (const TransformId id : program.transforms.ids()) {
    const Transform& transform = program.transforms[id];
    Diagnostics messages;
    for (const Rule& rule : transform.rules) {
      slips::find_indices_outside(transform, rule, messages);
      slips::find_integer_quotients(program, transform, rule, messages);
      slips::find_hidden_names(transform, rule, messages);
    }
    slips::find_endless_recursion(program, id, messages);
    diags.add_new(messages, program.instance_note(id));
  }
  return diags.num_errors() == errors_before;
}

}  // namespace pb
