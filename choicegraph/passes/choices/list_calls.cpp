// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/list_calls.h"

#include <algorithm>

namespace pb::choices {

void list_calls(Analysis& analysis) {
  std::vector<TransformId>& calls = analysis.plan.calls;
  for (const Rule& rule : analysis.transform.rules)
    for (const TransformCall& call : rule.calls)
      for (const TransformId id : call.targets)
        if (std::find(calls.begin(), calls.end(), id) == calls.end()) calls.push_back(id);
}

}  // namespace pb::choices
