// SPDX-License-Identifier: MIT
#include "runtime/main/serve/served_problem.h"

#include <algorithm>

#include "runtime/matrix/storage.h"

namespace pbrt {
namespace {

constexpr std::int64_t kMostParkedBytes = std::int64_t{1} << 30;
/// Inputs of at most this many cells always have contents: numbers that say what is computed are among them.
constexpr std::int64_t kMostSmallCells = 4096;

bool is_for_large_pages(const AnyMatrix& matrix) {
  return matrix.bytes() >= static_cast<std::int64_t>(Storage::kLargePageBytes);
}

std::int64_t bytes_of(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const std::vector<AnyMatrix>* matrices : {&problem.inputs, &problem.outputs})
    for (const AnyMatrix& matrix : *matrices) bytes += matrix.bytes();
  return bytes;
}

}  // namespace

std::optional<Problem> ServedProblem::forget() {
  std::optional<Problem> former = std::move(problem_);
  problem_.reset();
  return former && bytes_of(*former) > kMostParkedBytes ? std::nullopt : former;
}

void ServedProblem::make(const protocol::Request& request) {
  // Large matrices are freed before others are made, because memory may be too small for two of them. Small ones are
  // freed afterwards, so that the new ones do not take their places.
  const std::optional<Problem> former = forget();
  snapshot_ = Snapshot();
  on_other_pages_.clear();
  wishes_ = SizeWishes();
  if (request.n >= 0) wishes_.n = request.n;
  wishes_.named = request.sizes;
  for (const auto& [name, value] : request.sizes)
    if (value < 0 || value > INT32_MAX) throw UserError("size " + name + " is not between 0 and 2147483647");
  GivenValues::Texts texts = given_;
  texts.insert(texts.end(), request.given.begin(), request.given.end());
  const GivenValues given(transform_, texts);
  given.add_to(wishes_);
  seed_ = request.seed;
  input_names_.assign(static_cast<std::size_t>(transform_.num_inputs), "the generated inputs");
  problem_ = request.files.empty() ? engine_.generate(transform_, wishes_, seed_, engine_.default_config(),
                                                      has_contents_ ? INT64_MAX : kMostSmallCells)
                                   : read_files(request, given);
  if (request.files.empty()) given.put_into(*problem_);
  if (has_contents_) snapshot_ = Engine::take_snapshot(*problem_);
}

Problem ServedProblem::read_files(const protocol::Request& request, const GivenValues& given) {
  int num_files = 0;
  for (int i = 0; i < transform_.num_inputs; ++i) num_files += given.has_input(i) ? 0 : 1;
  if (request.files.size() != static_cast<std::size_t>(num_files))
    throw UserError("expected " + std::to_string(num_files) + " input files, found " +
                    std::to_string(request.files.size()));
  check_size_names(wishes_, {&transform_});
  Problem problem;
  problem.transform = &transform_;
  MatrixReader reader;
  auto file = request.files.begin();
  for (int i = 0; i < transform_.num_inputs; ++i) {
    input_names_[static_cast<std::size_t>(i)] = given.has_input(i) ? "--set" : *file;
    problem.inputs.push_back(given.has_input(i) ? given.input(i) : reader.read(*file++, spec_of(transform_.inputs[i])));
  }
  (void)engine_.fit_outputs(problem, input_names_, wishes_, seed_, engine_.default_config());
  return problem;
}

Problem& ServedProblem::problem() {
  if (!problem_) throw UserError("there are no inputs yet");
  return *problem_;
}

void ServedProblem::restore(const RunWishes& wishes) {
  const bool has_new = engine_.fit_outputs(problem(), input_names_, wishes_, seed_, *wishes.config);
  if (!has_contents_) return;
  if (has_new) snapshot_.outputs = clones_of(problem().outputs);
  engine_.restore(problem(), snapshot_, wishes);
}

void ServedProblem::use_large_pages(bool is_wanted) {
  if (is_wanted == large_pages_) return;
  std::vector<AnyMatrix>& inputs = problem().inputs;
  std::vector<AnyMatrix>& outputs = problem().outputs;
  large_pages_ = is_wanted;
  Storage::ask_for_large_pages(is_wanted);
  const std::int64_t bytes = bytes_of(*problem_);
  const auto moved = [&](AnyMatrix& matrix, AnyMatrix& other, bool with_contents) {
    if (!other.has_same_shape(matrix)) {
      other = AnyMatrix::allocate(matrix.kind(), matrix.num_dims(), matrix.sizes());
      if (with_contents) other.copy_from(matrix);
      are_pages_new_ = true;
    }
    std::swap(matrix, other);
    if (bytes > kMostParkedBytes) other = AnyMatrix();
  };
  on_other_pages_.resize(inputs.size() + outputs.size());
  auto other = on_other_pages_.begin();
  for (AnyMatrix& input : inputs) {
    AnyMatrix& to = *other++;
    if (is_for_large_pages(input) && (!has_contents_ || has_room_for_copy(input))) moved(input, to, has_contents_);
  }
  for (AnyMatrix& output : outputs) {
    AnyMatrix& to = *other++;
    if (is_for_large_pages(output)) moved(output, to, false);
  }
}

bool ServedProblem::has_room_for_copy(const AnyMatrix& input) const {
  double bytes = static_cast<double>(bytes_of(*problem_) + input.bytes());
  for (const AnyMatrix& output : snapshot_.outputs) bytes += static_cast<double>(output.bytes());
  return bytes <= memory_bytes_;
}

bool ServedProblem::has_large_matrices() const {
  return problem_ && (std::any_of(problem_->inputs.begin(), problem_->inputs.end(), is_for_large_pages) ||
                      std::any_of(problem_->outputs.begin(), problem_->outputs.end(), is_for_large_pages));
}

}  // namespace pbrt
