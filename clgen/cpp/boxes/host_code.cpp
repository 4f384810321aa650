// SPDX-License-Identifier: MIT
#include "clgen/cpp/boxes/host_code.h"

#include "base/seeded_fault.h"
#include "clgen/cpp/boxes/box_text.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

const char* constant_of(Border border) {
  switch (border) {
    case Border::Wrap:
      return "pbrt::kWrap";
    case Border::Clamp:
      return "pbrt::kClamp";
    case Border::Mirror:
      return "pbrt::kMirror";
    case Border::None:
    case Border::Default:
    case Border::Optional:
      break;
  }
  return "pbrt::kNoBorder";
}

/// Returns the borders as a BorderSet.
std::string set_of(const std::vector<Border>& borders) {
  std::vector<std::string> words;
  for (const Border border : borders) words.emplace_back(constant_of(border));
  return words.empty() ? constant_of(Border::None) : joined(words, " | ");
}

}  // namespace

std::string to_cpp(const PartBox& box) {
  if (!box.variable.empty()) return box.variable;
  if (box.borders.empty()) return box_text(box.bounds);
  std::vector<std::string> borders;
  for (const std::vector<Border>& along : box.borders) borders.push_back(set_of(along));
  return "pbrt::BorderedBox<" + std::to_string(box.bounds.size()) + ">{" + initializer_of(box.bounds) + ", {" +
         joined(borders) + "}}";
}

std::string to_cpp(const MatrixPart& part) { return part.matrix + (part.box ? ", " + to_cpp(*part.box) : ""); }

std::string to_cpp(const KernelInput& input, const std::string& matrix) {
  if (input.slabs.empty()) return matrix;
  if (input.bordered) return matrix + ", " + to_cpp(*input.bordered);
  std::string part = matrix;
  for (const ReadSlab& slab : input.slabs)
    part = "pbrt::gpu::slab_of(" + part + ", " + std::to_string(slab.dim) + ", " + to_cpp(slab.range.lo) + ", " +
           to_cpp(slab.range.hi) + ")";
  return matrix + ", " + part;
}

std::string type_of(const StepBox& box) { return "pbrt::Box<" + std::to_string(box.num_dims) + ">"; }

void emit_boxes(Writer& out, const std::vector<StepBox>& boxes, bool may_change) {
  for (const StepBox& box : boxes)
    out.line((may_change ? "" : "const ") + type_of(box) + " " + box.name + " = " + initializer_of(box.bounds) + ";");
}

std::vector<std::string> box_args(const LoweredStep& step, bool are_declared) {
  std::vector<std::string> args;
  if (!step.is_given_boxes) return args;
  for (const StepBox& box : step.boxes) args.push_back(are_declared ? box.name : initializer_of(box.bounds));
  return args;
}

void emit_arrivals(Writer& out, const HostParts& parts, const std::string& frame) {
  if (!parts.whole.empty()) out.line("pbrt::need_on_host(" + frame + ", " + joined(parts.whole) + ");");
  for (const MatrixPart& part : parts.read) out.line("pbrt::need_on_host(" + frame + ", " + to_cpp(part) + ");");
  for (const HostParts::Written& written : parts.written)
    out.line((written.is_all ? "pbrt::before_host_overwrite(" : "pbrt::before_host_write(") + frame + ", " +
             to_cpp(written.part) + ");");
}

void emit_departures(Writer& out, const HostParts& parts, const std::string& frame) {
  if (PB_FAULT(departures_are_forgotten)) return;
  for (const HostParts::Written& written : parts.written) {
    if (parts.may_be_on_device) out.line("pbrt::need_on_host(" + frame + ", " + to_cpp(written.part) + ");");
    out.line("pbrt::wrote_on_host(" + frame + ", " + to_cpp(written.part) + ");");
  }
}

void emit_comparison(Writer& out, const std::string& frame) { out.line("pb_check.compare(" + frame + ");"); }

void emit_fetches(Writer& out, const std::vector<MatrixPart>& parts, const std::string& frame) {
  for (const MatrixPart& part : parts) out.line("pbrt::gpu::fetch(" + frame + ", " + to_cpp(part) + ");");
}

}  // namespace pb
