// SPDX-License-Identifier: MIT
#include "clgen/lower/tree_text.h"

#include <fmt/format.h>

#include <vector>

#include "clgen/names.h"
#include "clgen/numbering.h"

namespace pb {
namespace {

class TreeText {
 public:
  TreeText(const Transform& transform, const KernelTree& kernel)
      : transform_(transform), rule_(transform.rules[kernel.rule]), kernel_(kernel) {}

  std::string print() {
    line(fmt::format("kernel {}.{} {} step {}", transform_.name, rule_.name, to_string(kernel_.version),
                     kernel_.step.index()));
    ++level_;
    print_parameters();
    for (const Buffer& buffer : kernel_.tree.buffers) print_buffer(buffer);
    print_block(kernel_.tree.root);
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += std::string(2 * level_, ' ') + text + "\n"; }
  void print_parameters() {
    for (const RuleMatrix& use : kernel_.matrices)
      line(std::string(!use.is_output                        ? "read "
                       : use.is_overwritten && !use.is_input ? "write "
                                                             : "update ") +
           matrix_name(use.matrix));
    for (const KernelScalar& scalar : kernel_.scalars)
      line("number " + scalar.name + (scalar.is_specialized ? " known to the build" : ""));
  }

  std::string matrix_name(MatrixId id) const { return transform_.matrices[id].name; }
  const std::string& binding(const Buffer& buffer) const { return rule_.inputs[buffer.input].binding; }

  void print_buffer(const Buffer& buffer) {
    std::vector<std::string> dims;
    for (const GroupExtent& extent : buffer.extents)
      dims.push_back("[" + to_string(begin_of(extent, kernel_.vars)) + " + " + to_string(length_of(extent)) + "]");
    line("local " + binding(buffer) + " of " + matrix_name(rule_.inputs[buffer.input].matrix) + joined(dims, ""));
  }

  void print_block(const TreeBlock& block) {
    for (const TreeNode& node : block) std::visit([this](const auto& inner) { print_node(inner); }, node.node);
  }

  void print_node(const TreeLoop& loop) {
    static constexpr const char* kRoles[] = {"groups", "items", "serial"};
    std::string text = fmt::format("{} {} in [{}, {})", kRoles[static_cast<std::size_t>(loop.role)], loop.var,
                                   to_string(loop.lo), to_string(loop.hi));
    if (!loop.step.is_const(1)) text += " by " + to_string(loop.step);
    if (loop.tail == LoopTail::Predicated) text += " below " + to_string(loop.end);
    line(text);
    print_inside(loop.body);
  }

  void print_node(const TreeBranch& branch) {
    line("if " + to_cpp(branch.condition));
    print_inside(branch.then);
    line("else");
    print_inside(branch.otherwise);
  }

  void print_inside(const TreeBlock& block) {
    ++level_;
    print_block(block);
    --level_;
  }

  void print_node(const Copy& copy) {
    std::vector<std::string> edges;
    for (std::size_t d = 0; d < copy.edges.size(); ++d) {
      if (copy.edges[d].may_precede) edges.push_back(fmt::format("below {}", d));
      if (copy.edges[d].may_exceed) edges.push_back(fmt::format("above {}", d));
    }
    std::string text = "copy " + binding(kernel_.tree[copy.to]) +
                       (copy.by == CopyBy::AllItems ? " by all items" : " by the first item");
    if (!edges.empty())
      text += (copy.outside == CopyOutside::Zero ? ", 0 outside: " : ", but what lies outside: ") + joined(edges);
    line(text);
  }

  void print_node(const Barrier&) { line("barrier"); }

  void print_node(const RuleInstance& instance) {
    std::vector<std::string> operands;
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i)
      operands.push_back((rule_.is_return_form ? "return" : rule_.outputs[i].binding) + ": " +
                         to_string(instance.outputs[i].kind));
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i)
      operands.push_back(rule_.inputs[i].binding + ": " + to_string(instance.inputs[i].kind));
    line("instance " + rule_.name + " with " + joined(operands));
  }

  const Transform& transform_;
  const Rule& rule_;
  const KernelTree& kernel_;
  std::string out_;
  std::size_t level_ = 0;
};

}  // namespace

std::string to_text(const Program& program, const KernelTree& kernel) {
  return TreeText(program.transforms[kernel.transform], kernel).print();
}

std::string emit_lowered(const Program& program, const Plan& plan) {
  std::string out;
  for (const TransformPlan& transform : plan.transforms)
    for (const StepId step : transform.steps.ids())
      for (const Version version : {Version::OpenCl, Version::OpenClLocal})
        if (!choices_running(transform, transform.steps[step], version).empty())
          out += to_text(program, lower_kernel(program, transform, step, version));
  return out;
}

}  // namespace pb
