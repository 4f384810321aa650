// SPDX-License-Identifier: MIT
#include "runtime/main/inputs/problem.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include "runtime/config/machine.h"
#include "runtime/main/program/run_context.h"
#include "runtime/matrix/random.h"
#include "runtime/matrix/view.h"

namespace pbrt {

namespace {

/// Values of size variables while they are being found.
struct Unknowns {
  std::vector<std::int64_t> values;
  std::unique_ptr<bool[]> is_known;
  explicit Unknowns(int num)
      : values(static_cast<std::size_t>(num)), is_known(new bool[static_cast<std::size_t>(num)]()) {}
};

void set_named(const TransformDesc& transform, const SizeWishes& wishes, Unknowns& unknowns) {
  for (const auto& [name, value] : wishes.named) {
    for (int v = 0; v < transform.num_size_vars; ++v) {
      if (name != transform.size_vars[v]) continue;
      unknowns.values[static_cast<std::size_t>(v)] = value;
      unknowns.is_known[static_cast<std::size_t>(v)] = true;
    }
  }
}

/// Gives the value of --n to the variables that are still unknown, or reports them.
void complete(const TransformDesc& transform, const SizeWishes& wishes, Unknowns& unknowns) {
  for (int v = 0; v < transform.num_size_vars; ++v) {
    if (unknowns.is_known[static_cast<std::size_t>(v)]) continue;
    if (!wishes.n)
      throw UserError(std::string("no input says how large ") + transform.size_vars[v] + " of " + transform.name +
                      " is; give --size " + transform.size_vars[v] + "=VALUE");
    unknowns.values[static_cast<std::size_t>(v)] = *wishes.n;
  }
}

std::string sizes_text(const TransformDesc& transform, const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (int v = 0; v < transform.num_size_vars; ++v)
    text += (v == 0 ? "" : ", ") + std::string(transform.size_vars[v]) + " = " +
            std::to_string(sizes[static_cast<std::size_t>(v)]);
  return text;
}

std::vector<std::int64_t> all_extents(const RunContext& ctx, const TransformDesc& transform,
                                      const std::vector<std::int64_t>& sizes) {
  std::size_t count = 0;
  for (int i = 0; i < transform.num_inputs; ++i) count += static_cast<std::size_t>(transform.inputs[i].num_dims);
  for (int i = 0; i < transform.num_outputs; ++i) count += static_cast<std::size_t>(transform.outputs[i].num_dims);
  std::vector<std::int64_t> extents(count + 1);
  transform.extents(ctx, sizes.data(), extents.data());
  return extents;
}

/// The first of `extents` that belongs to outputs.
std::size_t first_output_extent(const TransformDesc& transform) {
  std::size_t count = 0;
  for (int i = 0; i < transform.num_inputs; ++i) count += static_cast<std::size_t>(transform.inputs[i].num_dims);
  return count;
}

std::vector<AnyMatrix> allocate_all(const TransformDesc& transform, const MatrixDesc* matrices, int num,
                                    const std::int64_t* extents, const std::vector<std::int64_t>& sizes) {
  std::vector<AnyMatrix> result;
  for (int i = 0; i < num; ++i) {
    IndexT dims[kMaxDims] = {};
    for (int d = 0; d < matrices[i].num_dims; ++d) {
      const std::int64_t extent = *extents++;
      if (extent < 0 || extent > std::numeric_limits<IndexT>::max())
        throw NoSuchSizes("`" + header_of(matrices[i]) + "`: dimension " + std::to_string(d) + ", `" +
                          matrices[i].formulas[d] + "`, would be " + std::to_string(extent) + " for " +
                          sizes_text(transform, sizes));
      dims[d] = static_cast<IndexT>(extent);
    }
    result.push_back(AnyMatrix::allocate(matrices[i].element, matrices[i].num_dims, dims));
  }
  return result;
}

std::string gigabytes_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes * 1e-9);
  return text;
}

/// Bytes of the inputs and outputs. Negative extents are left to allocate_all.
double bytes_of(const TransformDesc& transform, const std::int64_t* extents) {
  double sum = 0;
  const auto add = [&](const MatrixDesc* matrices, int num) {
    for (int i = 0; i < num; ++i) {
      double bytes = static_cast<double>(element_bytes(matrices[i].element));
      for (int d = 0; d < matrices[i].num_dims; ++d)
        bytes *= static_cast<double>(std::max<std::int64_t>(0, *extents++));
      sum += bytes;
    }
  };
  add(transform.inputs, transform.num_inputs);
  add(transform.outputs, transform.num_outputs);
  return sum;
}

void fill_random(const AnyMatrix& matrix, std::uint64_t seed) {
  RandomStream stream{.key = RandomStream::mix(seed)};
  RandomStream* previous = set_current_random(&stream);
  detail::fill_random(matrix.raw());
  set_current_random(previous);
}

}  // namespace

void check_memory(const TransformDesc& transform, double needed_bytes, double memory) {
  if (needed_bytes <= memory) return;
  throw UserError("the inputs and outputs of " + std::string(transform.name) + " take " + gigabytes_text(needed_bytes) +
                  "; there are " + gigabytes_text(memory) + " of memory");
}

std::int64_t Problem::largest_size() const {
  std::int64_t largest = 1;
  for (int v = 0; v < transform->num_size_vars - transform->num_mere_numbers; ++v)
    largest = std::max(largest, sizes[static_cast<std::size_t>(v)]);
  return largest;
}

std::string header_of(const MatrixDesc& matrix) {
  std::string text = matrix.name;
  for (int d = 0; d < matrix.num_dims; ++d) text += (d == 0 ? "[" : ", ") + std::string(matrix.formulas[d]);
  return text + (matrix.num_dims == 0 ? "" : "]");
}

std::string for_sizes_text(const TransformDesc& transform, const std::vector<std::int64_t>& sizes) {
  return transform.num_size_vars == 0 ? "" : " for " + sizes_text(transform, sizes);
}

std::string wrong_size_text(const MatrixDesc& matrix, int dim, std::int64_t found, std::int64_t expected,
                            const std::string& for_sizes) {
  return "dimension " + std::to_string(dim) + " of `" + header_of(matrix) + "` is " + std::to_string(found) +
         ", but `" + matrix.formulas[dim] + "` is " + std::to_string(expected) + for_sizes;
}

MatrixSpec spec_of(const MatrixDesc& matrix) { return {header_of(matrix), matrix.element, matrix.num_dims}; }

namespace {

/// A hint for a picture in which the colours are the last dimension of NumPy's shape, while the header wants them
/// first.
std::string colours_hint(const MatrixDesc& desc, const AnyMatrix& input, int dim, std::int64_t expected) {
  if (desc.num_dims != 3 || dim != 2 || input.size(0) != expected) return {};
  const auto size = [&](int d) { return std::to_string(input.size(d)); };
  return "; NumPy's shape (" + size(2) + ", " + size(1) + ", " + size(0) +
         ") has the colours last, the header wants (" + size(0) + ", " + size(2) + ", " + size(1) +
         "): `numpy.transpose(a, (2, 0, 1))`, or declare the size that is " + size(0) + " first";
}

}  // namespace

std::vector<std::int64_t> sizes_from_wishes(const RunContext& ctx, const TransformDesc& transform,
                                            const SizeWishes& wishes) {
  (void)ctx;
  Unknowns unknowns(transform.num_size_vars);
  set_named(transform, wishes, unknowns);
  complete(transform, wishes, unknowns);
  return unknowns.values;
}

std::vector<std::int64_t> sizes_from_inputs(const RunContext& ctx, const TransformDesc& transform,
                                            const std::vector<AnyMatrix>& inputs,
                                            const std::vector<std::string>& input_names, const SizeWishes& wishes) {
  Unknowns unknowns(transform.num_size_vars);
  set_named(transform, wishes, unknowns);
  std::vector<const IndexT*> known(static_cast<std::size_t>(transform.num_inputs + transform.num_outputs));
  for (std::size_t i = 0; i < inputs.size(); ++i) known[i] = inputs[i].sizes();
  transform.solve(ctx, known.data(), unknowns.values.data(), unknowns.is_known.get());
  complete(transform, wishes, unknowns);
  const std::vector<std::int64_t> extents = all_extents(ctx, transform, unknowns.values);
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const MatrixDesc& desc = transform.inputs[i];
    for (int d = 0; d < desc.num_dims; ++d) {
      const std::int64_t expected = extents[next++];
      if (expected == inputs[i].size(d)) continue;
      throw NoSuchSizes(
          input_names[i] + ": " +
          wrong_size_text(desc, d, inputs[i].size(d), expected, for_sizes_text(transform, unknowns.values)) +
          colours_hint(desc, inputs[i], d, expected));
    }
  }
  return unknowns.values;
}

std::vector<AnyMatrix> allocate_inputs(const RunContext& ctx, const TransformDesc& transform,
                                       const std::vector<std::int64_t>& sizes) {
  const std::vector<std::int64_t> extents = all_extents(ctx, transform, sizes);
  check_memory(transform, bytes_of(transform, extents.data()), memory_bytes());
  return allocate_all(transform, transform.inputs, transform.num_inputs, extents.data(), sizes);
}

std::vector<AnyMatrix> allocate_outputs(const RunContext& ctx, const TransformDesc& transform,
                                        const std::vector<std::int64_t>& sizes) {
  const std::vector<std::int64_t> extents = all_extents(ctx, transform, sizes);
  check_memory(transform, bytes_of(transform, extents.data()), memory_bytes());
  return allocate_all(transform, transform.outputs, transform.num_outputs,
                      extents.data() + first_output_extent(transform), sizes);
}

bool are_outputs_of(const RunContext& ctx, const TransformDesc& transform, const std::vector<std::int64_t>& sizes,
                    const std::vector<AnyMatrix>& outputs) {
  const std::vector<std::int64_t> extents = all_extents(ctx, transform, sizes);
  std::size_t next = first_output_extent(transform);
  bool is_same = outputs.size() == static_cast<std::size_t>(transform.num_outputs);
  for (const AnyMatrix& output : outputs)
    for (int d = 0; d < output.num_dims(); ++d) is_same = output.size(d) == extents[next++] && is_same;
  return is_same;
}

void fill_initial_output(const MatrixDesc& desc, const AnyMatrix& matrix, std::uint64_t seed) {
  if (desc.is_read_initially || !is_floating(desc.element)) {
    fill_random(matrix, seed);
  } else if (desc.element == ElementKind::Double) {
    std::fill_n(static_cast<double*>(matrix.data()), matrix.count(), std::numeric_limits<double>::quiet_NaN());
  } else {
    std::fill_n(static_cast<float*>(matrix.data()), matrix.count(), std::numeric_limits<float>::quiet_NaN());
  }
}

void check_size_names(const SizeWishes& wishes, const std::vector<const TransformDesc*>& transforms) {
  for (const auto& wish : wishes.named) {
    std::string known;
    bool is_known = false;
    for (const TransformDesc* transform : transforms) {
      for (int v = 0; v < transform->num_size_vars; ++v) {
        is_known = is_known || wish.first == transform->size_vars[v];
        if (known.find(transform->size_vars[v]) == std::string::npos)
          known += (known.empty() ? "" : ", ") + std::string(transform->size_vars[v]);
      }
    }
    if (!is_known)
      throw UserError("--size " + wish.first + ": there is no such size variable; " + transforms[0]->name + " has " +
                      (known.empty() ? "none" : known));
  }
}

}  // namespace pbrt
