// SPDX-License-Identifier: MIT
// The module polybricks._extension: what the package calls that is not written in Python.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/python/extension/array_matrix.h"
#include "runtime/python/extension/device_array_memory.h"
#include "runtime/python/extension/element_types.h"
#include "runtime/python/extension/loaded_library.h"
#include "runtime/python/extension/numpy_functions.h"
#include "runtime/python/extension/transform_call.h"

namespace py = pybind11;

namespace pbpy {
namespace {

/// The tables of a library, whose names pybind11 keeps alive nowhere: they live as long as the process.
struct Tables {
  const pb_library* library;
};

Axes axes_of(bool is_numpy) { return is_numpy ? Axes::NumPy : Axes::Pbcc; }

py::tuple names_of(const char* const* names, std::int32_t num) {
  py::tuple result(static_cast<std::size_t>(num));
  for (std::int32_t i = 0; i < num; ++i) result[static_cast<std::size_t>(i)] = names[i];
  return result;
}

/// (name, dtype, extents as in the header) of arguments, beginning with number `first`.
py::tuple arguments_of(const pb_transform& transform, std::int32_t first, std::int32_t num) {
  py::tuple result(static_cast<std::size_t>(num));
  for (std::int32_t i = 0; i < num; ++i) {
    const pb_argument& argument = transform.arguments[first + i];
    result[static_cast<std::size_t>(i)] =
        py::make_tuple(argument.name, type_of(argument.element).dtype, names_of(argument.extents, argument.rank));
  }
  return result;
}

void define_libraries(py::module_& module) {
  py::class_<Tables>(module, "Tables")
      .def(py::init([](const std::string& file) { return Tables{load_library(file)}; }), py::arg("file"))
      .def_property_readonly("name", [](const Tables& tables) { return tables.library->name; })
      .def_property_readonly("transforms", [](const Tables& tables) {
        py::list names;
        for (std::int32_t t = 0; t < tables.library->num_transforms; ++t)
          names.append(tables.library->transforms[t].name);
        return names;
      });
  py::class_<ContextOptions>(module, "ContextOptions")
      .def(py::init<>())
      .def_readwrite("config", &ContextOptions::configuration_file)
      .def_readwrite("device", &ContextOptions::device)
      .def_readwrite("threads", &ContextOptions::threads)
      .def_readwrite("strict", &ContextOptions::is_strict)
      .def_readwrite("seed", &ContextOptions::seed)
      .def_readwrite("device_memory", &ContextOptions::device_memory)
      .def_readwrite("device_limit", &ContextOptions::device_limit)
      .def_readwrite("verify_device", &ContextOptions::verifies_device);
  py::class_<Context, std::shared_ptr<Context>>(module, "Context")
      .def(py::init([](const Tables& tables, const ContextOptions& options) {
             return std::make_shared<Context>(tables.library, options);
           }),
           py::arg("tables"), py::arg("options"))
      .def("set_options", &Context::set_options, py::arg("options"))
      .def("cancel", &Context::cancel);
  py::class_<DeviceMemory>(module, "DeviceMemory", py::buffer_protocol())
      .def(py::init(
               [](const Context& context, const std::string& dtype, const std::vector<std::int64_t>& shape,
                  bool is_numpy) { return std::make_unique<DeviceMemory>(context, dtype, shape, axes_of(is_numpy)); }),
           py::arg("context"), py::arg("dtype"), py::arg("shape"), py::arg("is_numpy"))
      .def("fetch", &DeviceMemory::fetch)
      .def("changed", &DeviceMemory::changed)
      .def_buffer(&DeviceMemory::buffer);
}

void define_transforms(py::module_& module) {
  py::class_<Transform>(module, "Transform")
      .def(py::init([](std::shared_ptr<Context> context, std::int32_t index, bool is_numpy) {
             return Transform(std::move(context), index, axes_of(is_numpy));
           }),
           py::arg("context"), py::arg("index"), py::arg("is_numpy"))
      .def("__call__", &Transform::call)
      .def("check_inputs", &Transform::check_inputs)
      .def_property_readonly("name", [](const Transform& transform) { return transform.table().name; })
      .def_property_readonly("documentation",
                             [](const Transform& transform) { return transform.table().documentation; })
      .def_property_readonly(
          "numbers",
          [](const Transform& transform) { return names_of(transform.table().numbers, transform.table().num_numbers); })
      .def_property_readonly(
          "inputs",
          [](const Transform& transform) { return arguments_of(transform.table(), 0, transform.table().num_inputs); })
      .def_property_readonly("outputs", [](const Transform& transform) {
        return arguments_of(transform.table(), transform.table().num_inputs, transform.table().num_outputs);
      });
}

}  // namespace
}  // namespace pbpy

PYBIND11_MODULE(_extension, module) {
  static_cast<void>(pbpy::NumpyFunctions::get());
  pbpy::define_libraries(module);
  pbpy::define_transforms(module);
  module.attr("version") = PB_VERSION;
}
