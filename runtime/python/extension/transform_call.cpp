// SPDX-License-Identifier: MIT
#include "runtime/python/extension/transform_call.h"

#include <string_view>
#include <utility>

#include "runtime/python/extension/interpreter_lock.h"
#include "runtime/python/extension/interrupt_watch.h"
#include "runtime/python/extension/python_errors.h"

namespace py = pybind11;

namespace pbpy {

/// What one call was given and makes.
struct Transform::Arguments {
  std::vector<std::int64_t> numbers;
  std::vector<bool> has_number;
  std::vector<py::handle> inputs;  ///< null where none is known yet
  py::handle given_out;            ///< null if outputs are to be made
  std::vector<py::object> made;    ///< new outputs
  std::vector<ArrayMatrix> matrices;
  std::vector<const pb_matrix*> pointers;  ///< to `matrices`

  void add(ArrayMatrix matrix) { pointers.push_back(matrices.emplace_back(std::move(matrix)).matrix()); }
};

namespace {

/// The first of `num` indices whose name is `name`; `num` if there is none.
template <class NameOf>
std::size_t index_of(std::string_view name, std::size_t num, const NameOf& name_of) {
  std::size_t i = 0;
  while (i < num && name != name_of(i)) ++i;
  return i;
}

std::int64_t number_from(py::handle value, const char* name) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    raise(PyExc_TypeError, std::string("`") + name + "` is a whole number, not a " + type_name(value));
  }
  const long long converted = PyLong_AsLongLong(number.ptr());
  if (converted == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return converted;
}

/// What a call returns: its new outputs. An array without axes becomes a number, as in NumPy.
py::object result_of(const pb_transform& transform, const std::vector<py::object>& arrays) {
  py::tuple results(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool is_number = transform.arguments[transform.num_inputs + static_cast<std::int32_t>(i)].rank == 0;
    results[i] = is_number ? py::object(arrays[i][py::tuple()]) : arrays[i];
  }
  return arrays.size() == 1 ? py::object(results[0]) : std::move(results);
}

}  // namespace

/// None yet, and room for all.
Transform::Arguments Transform::no_arguments() const {
  const auto num_numbers = static_cast<std::size_t>(table().num_numbers);
  const auto num_inputs = static_cast<std::size_t>(table().num_inputs);
  const std::size_t num_matrices = num_inputs + static_cast<std::size_t>(table().num_outputs);
  Arguments none;
  none.numbers.resize(num_numbers);
  none.has_number.resize(num_numbers, false);
  none.inputs.resize(num_inputs);
  none.matrices.reserve(num_matrices);  // so that they stay where they are
  none.pointers.reserve(num_matrices);
  return none;
}

void Transform::take_named(Arguments& arguments, const py::kwargs& named) const {
  const pb_transform& transform = table();
  const auto num_numbers = static_cast<std::size_t>(transform.num_numbers);
  const auto num_inputs = static_cast<std::size_t>(transform.num_inputs);
  for (const auto& [key, value] : named) {
    const std::string_view name = PyUnicode_AsUTF8(key.ptr());
    const std::size_t number = index_of(name, num_numbers, [&](std::size_t i) { return transform.numbers[i]; });
    const std::size_t input = index_of(name, num_inputs, [&](std::size_t i) { return transform.arguments[i].name; });
    if (number < num_numbers) {
      arguments.numbers[number] = number_from(value, transform.numbers[number]);
      arguments.has_number[number] = true;
    } else if (input < num_inputs) {
      arguments.inputs[input] = value;
    } else if (name == "out") {
      if (!value.is_none()) arguments.given_out = value;
    } else {
      raise(PyExc_TypeError, std::string(transform.name) + "() has no argument `" + std::string(name) + "`");
    }
  }
  for (std::size_t i = 0; i < num_numbers; ++i)
    if (!arguments.has_number[i])
      raise(PyExc_TypeError, std::string(transform.name) + "() lacks the number `" + transform.numbers[i] + "`");
}

void Transform::take_inputs(Arguments& arguments, const py::args& positional) const {
  const pb_transform& transform = table();
  std::vector<py::handle>& inputs = arguments.inputs;
  if (positional.size() > inputs.size())
    raise(PyExc_TypeError, std::string(transform.name) + "() takes " + std::to_string(inputs.size()) +
                               (inputs.size() == 1 ? " input, " : " inputs, ") + std::to_string(positional.size()) +
                               " were given");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const char* const name = transform.arguments[i].name;
    if (i < positional.size()) {
      if (inputs[i]) raise(PyExc_TypeError, std::string(transform.name) + "() got the input `" + name + "` twice");
      inputs[i] = positional[i];
    }
    if (!inputs[i]) raise(PyExc_TypeError, std::string(transform.name) + "() lacks the input `" + name + "`");
    arguments.add(ArrayMatrix::input(inputs[i], transform.arguments[i], axes_));
  }
}

/// Makes arrays of the extents that the inputs say.
void Transform::make_outputs(Arguments& arguments, pb_context* context) const {
  const pb_transform& transform = table();
  const pb_argument* const outputs = transform.arguments + transform.num_inputs;
  std::vector<std::int64_t> extents(static_cast<std::size_t>(transform.num_outputs) * PB_MAX_RANK);
  const pb_status status =
      pb_output_extents(context, index_, arguments.numbers.data(), arguments.pointers.data(), extents.data());
  check_status(status);
  const std::int64_t* next = extents.data();
  for (std::int32_t i = 0; i < transform.num_outputs; next += outputs[i].rank, ++i) {
    const py::object array = new_array(outputs[i], next, axes_);
    arguments.add(ArrayMatrix::output(array, outputs[i], axes_));
    arguments.made.push_back(array);
  }
}

void Transform::take_outputs(Arguments& arguments, pb_context* context) const {
  if (!arguments.given_out) return make_outputs(arguments, context);
  const pb_transform& transform = table();
  const auto num_outputs = static_cast<std::size_t>(transform.num_outputs);
  const bool is_tuple = py::isinstance<py::tuple>(arguments.given_out);
  const py::tuple given = is_tuple ? py::reinterpret_borrow<py::tuple>(arguments.given_out)
                                   : py::make_tuple(py::reinterpret_borrow<py::object>(arguments.given_out));
  if (given.size() != num_outputs)
    raise(PyExc_TypeError,
          "`out=` of " + std::string(transform.name) + "() is " +
              (num_outputs == 1 ? "one array" : "a tuple of " + std::to_string(num_outputs) + " arrays") + ", not of " +
              std::to_string(given.size()));
  for (std::size_t i = 0; i < num_outputs; ++i)
    arguments.add(
        ArrayMatrix::output(given[i], transform.arguments[transform.num_inputs + static_cast<int>(i)], axes_));
}

void Transform::run(const Arguments& arguments, pb_context* context) const {
  InterruptWatch watch(context);
  const pb_status status =
      without_lock([&] { return pb_call(context, index_, arguments.numbers.data(), arguments.pointers.data()); });
  watch.end();
  check_status(status);
}

py::object Transform::call(const py::args& positional, const py::kwargs& named) const {
  const std::shared_ptr<pb_context> context = context_->handle();
  Arguments arguments = no_arguments();
  take_named(arguments, named);
  take_inputs(arguments, positional);
  take_outputs(arguments, context.get());
  run(arguments, context.get());
  if (arguments.given_out) return py::reinterpret_borrow<py::object>(arguments.given_out);
  return result_of(table(), arguments.made);
}

void Transform::check_inputs(const py::args& positional) const {
  Arguments arguments = no_arguments();
  take_inputs(arguments, positional);
}

}  // namespace pbpy
