// SPDX-License-Identifier: MIT
// The few functions of NumPy that the extension calls. Its C interface is not used, so that one extension works with
// all versions of NumPy.
#pragma once

#include <pybind11/pybind11.h>

#include "runtime/embed/polybricks.h"

namespace pbpy {

struct NumpyFunctions {
  /// Imports NumPy at the first call, which is that of the module's own import.
  [[nodiscard]] static const NumpyFunctions& get();

  pybind11::object empty;
  pybind11::object zeros;
  pybind11::object ascontiguousarray;
  pybind11::object array_type;             ///< ndarray
  pybind11::object masked_type;            ///< ma.MaskedArray
  pybind11::object dtypes[PB_USHORT + 1];  ///< by pb_element
  pybind11::object fortran_order;

  /// An array that `make` makes, which is `empty` or `zeros`, with the first or the last axis as the fastest.
  [[nodiscard]] pybind11::object new_array(const pybind11::object& make, const pybind11::tuple& shape,
                                           pb_element element, bool is_first_axis_fastest) const;

 private:
  NumpyFunctions();
};

}  // namespace pbpy
