// SPDX-License-Identifier: MIT
// A program of one transform, `Copy` from A[n] to B[n], as tables: for tests of the code around a run.
#pragma once

#include <string>

#include "runtime/config/formats/info_json.h"
#include "runtime/config/info.h"
#include "runtime/main/engine/engine.h"
#include "runtime/main/program/program_desc.h"
#include "runtime/main/program/run_context.h"

namespace pbrt::test {

inline void run_copy(Frame&, const AnyMatrix* outputs, const AnyMatrix* inputs) { outputs[0].copy_from(inputs[0]); }

inline const char* const kCopyFormulas[] = {"n"};
inline const MatrixDesc kCopyInputs[] = {{"A", ElementKind::Double, 1, kCopyFormulas, true}};
inline const MatrixDesc kCopyOutputs[] = {{"B", ElementKind::Double, 1, kCopyFormulas, true}};
inline const TransformDesc kCopy[] = {
    {"Copy", kCopyInputs, 1, kCopyOutputs, 1, kCopyFormulas, 1, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       values[0] = sizes[0][0];
       is_known[0] = true;
     },
     [](const RunContext&, const std::int64_t* values, std::int64_t* out) { out[0] = out[1] = values[0]; }, run_copy,
     -1}};

/// The program and an engine for it. `target`: the accuracy that results must have, instead of agreeing; 0: none.
class CopyProgram {
 public:
  explicit CopyProgram(double target = 0) : json_(info_json(target)) {}
  [[nodiscard]] const TransformDesc& transform() const { return kCopy[0]; }
  [[nodiscard]] Engine& engine() { return engine_; }

 private:
  static std::string info_json(double target) {
    TrainingInfo info;
    info.program = "copy";
    info.main = "Copy";
    info.global = standard_globals();
    TransformInfo transform;
    transform.name = transform.template_name = "Copy";
    transform.accuracy.is_given = transform.accuracy.has_target = target != 0;
    transform.accuracy.target = target;
    info.transforms.push_back(transform);
    return to_json(info);
  }

  const std::string json_;
  const ProgramDesc program_{"copy", json_.c_str(), kCopy, 1, 0};
  Engine engine_{program_};
};

}  // namespace pbrt::test
