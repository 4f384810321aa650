// SPDX-License-Identifier: MIT
#include "autotuner/measure/kernel_builder.h"

#include <algorithm>
#include <utility>

#include "runtime/config/errors.h"

namespace pbtune {
namespace {

using pbrt::protocol::Op;
using pbrt::protocol::Request;

constexpr int kMostFailures = 3;
/// A build that takes longer is given up. Steps on the CPU run on contents that mean nothing and may not end.
constexpr std::chrono::seconds kPatience{60};

std::vector<std::string> builder_command(std::vector<std::string> command) {
  command.insert(command.end(), {"--threads", "1", "--serve", "--builds-only"});
  return command;
}

}  // namespace

KernelBuilder::KernelBuilder(std::vector<std::string> command, ChildProcess::Priority priority)
    : command_(builder_command(std::move(command))), priority_(priority) {}

void KernelBuilder::begin(Request request) {
  inputs_ = std::move(request);
  has_inputs_ = false;
  waiting_.clear();
  known_.clear();
}

void KernelBuilder::expect(std::span<const std::string> configurations) {
  waiting_.clear();
  if (state_ == State::Off) return;
  for (const std::string& one : configurations)
    if (!known_.contains(one)) waiting_.push_back(one);
  tick();
}

void KernelBuilder::note_measured(const std::string& configuration) {
  known_.insert(configuration);
  std::erase(waiting_, configuration);
}

void KernelBuilder::start() {
  try {
    child_ = std::make_unique<ChildProcess>(command_, priority_);
    state_ = State::Starting;
    since_ = Clock::now();
  } catch (const pbrt::IoError&) {
    give_up_child();
  }
}

void KernelBuilder::give_up_child() {
  child_.reset();
  has_inputs_ = is_building_ = false;
  state_ = ++num_failures_ < kMostFailures ? State::Absent : State::Off;
  if (state_ == State::Off) waiting_.clear();
}

void KernelBuilder::send(Request request) {
  request.id = next_id_++;
  since_ = Clock::now();
  state_ = State::Busy;
  if (!child_->send_line(pbrt::protocol::to_line(request))) give_up_child();
}

void KernelBuilder::send_next() {
  if (!has_inputs_) {
    has_inputs_ = true;
    return send(inputs_);
  }
  Request run;
  run.op = Op::Run;
  run.config = waiting_.front();
  run.verify = false;
  known_.insert(std::move(waiting_.front()));
  waiting_.pop_front();
  is_building_ = true;
  send(std::move(run));
}

void KernelBuilder::tick() {
  if (state_ == State::Off) return;
  if (state_ == State::Absent && !waiting_.empty()) start();
  if (state_ == State::Starting || state_ == State::Busy) {
    std::string line;
    const ChildProcess::Read how = child_->read_line(line, Clock::now(), [] {});
    if (how == ChildProcess::Read::Ended || (how == ChildProcess::Read::TimedOut && Clock::now() - since_ > kPatience))
      return give_up_child();
    if (how == ChildProcess::Read::TimedOut) return;
    num_built_ += std::exchange(is_building_, false) ? 1 : 0;
    state_ = State::Ready;
  }
  if (state_ == State::Ready && !waiting_.empty()) send_next();
}

}  // namespace pbtune
