// SPDX-License-Identifier: MIT
// How kernels spell types and names of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lang/program.h"

namespace pb {

/// Returns the OpenCL C word for an element type.
[[nodiscard]] std::string opencl_type(ElementType element);

/// Cells that a work-item reads or writes at once, as one vector of 16 bytes.
struct CellVector {
  int length = 1;    ///< 1: kernels have no such vectors of these elements
  std::string type;  ///< of the vector; empty if there are none
};
[[nodiscard]] CellVector cell_vector(ElementType element);

/// Returns the type of a number.
[[nodiscard]] std::string number_word(const BodyType& type);

/// Returns a name of the program as an identifier of OpenCL C. Reserved words get the prefix `pb_named_`; letters
/// beyond ASCII are written as hexadecimal bytes.
[[nodiscard]] std::string opencl_name(const std::string& name);

/// Whether it is a whole number, a letter or a truth value.
[[nodiscard]] bool is_integer(const BodyType& type);

/// Returns the text of an index, a primary expression, as `cell` takes it in C++: as an `int`, unless it is a signed or
/// small integer. The unsigned `0u - 1` means -1.
[[nodiscard]] std::string index_text(const std::string& text, const BodyType& type);

/// Returns the element type of a matrix as the kernel spells it.
[[nodiscard]] std::string element_word(const Matrix& matrix);

/// Returns the name of the distance, in elements, of neighbours along dimension `d` of what `name` stands for. Names of
/// programs do not begin with `pb_`, so that a region `a_s0` is no stride of `a`.
[[nodiscard]] std::string stride_name(const std::string& name, std::size_t d);
/// Likewise its number of cells along dimension `d`, as `size(d)` of a region gives it.
[[nodiscard]] std::string size_name(const std::string& name, std::size_t d);

/// Returns the name of the array in which a work-item keeps cells of the region that the body calls `binding`.
[[nodiscard]] std::string kept_cells(const std::string& binding);

/// Returns the text of a header's formula with names as the kernel spells them.
[[nodiscard]] std::string kernel_formula(const Formula& formula);

/// Returns what adds a number to a text before it: ` + 2`, ` - 1`, or nothing for 0.
[[nodiscard]] std::string added_text(std::int64_t number);

/// Returns the name of the array in which a work-item carries a value of its instances from one block of rounds to the
/// next.
[[nodiscard]] std::string carried_array(const std::string& name);

}  // namespace pb
