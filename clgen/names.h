// SPDX-License-Identifier: MIT
// How generated code spells what the program names: identifiers, types, bounds, origins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

/// An identifier for a transform: its name, of an instance `Power_tmpl_3_1`; with its number where another one has
/// that, or where functions of the program would be called like those made for it.
[[nodiscard]] std::string identifier_of(const Program& program, TransformId transform);
/// `Power_tmpl_3_1`: how command lines name an instance of a template; the name itself of other transforms.
[[nodiscard]] std::string instance_name(const Transform& transform);
/// `Power`: what chooses an instance at run time, as an identifier that no transform has.
[[nodiscard]] std::string identifier_of(const Program& program, TemplateId which);
/// `Convolve2D_0`: the stem of all names made for one rule.
[[nodiscard]] std::string rule_stem(const Program& program, TransformId transform, RuleId rule);

/// `ElementT`, or the matrix's own type.
[[nodiscard]] std::string element_text(ElementType element, bool is_element_t);
/// `MatrixRegion2D`, `ConstMatrixRegion<float, 2>`.
[[nodiscard]] std::string region_type(ElementType element, bool is_element_t, int num_dims, bool is_const);
[[nodiscard]] std::string region_type(const Matrix& matrix, bool is_const);

/// `separable_convolution.pbcc:25`: no paths of this machine, only as many folders as tell files apart.
[[nodiscard]] std::string origin_of(const SourceManager& sources, Span span);

/// `A.size(0)`: an extent of a matrix, where loops reach it through a view.
[[nodiscard]] IndexExpr view_extent(const Matrix& matrix, std::size_t dim);
/// Whether generated code calls something so itself: programs have no names that begin like that.
[[nodiscard]] inline bool is_own_name(std::string_view name) { return name.starts_with("pb_"); }

/// C++ of a bound; 64-bit helpers of runtime/matrix/index_math.h.
[[nodiscard]] std::string to_cpp(const IndexExpr& expr);
/// OpenCL C of a bound, in `int`; null functions never occur: min, max and floord are macros of the kernel's prologue.
[[nodiscard]] std::string to_opencl(const IndexExpr& expr);

/// `symbol`'s integer coefficient in `expr`; false if `expr` is not affine in it with a constant coefficient.
[[nodiscard]] bool affine_coefficient(const IndexExpr& expr, std::string_view symbol, std::int64_t& coefficient);

/// `a, b, c`.
[[nodiscard]] std::string joined(const std::vector<std::string>& texts, std::string_view separator = ", ");

}  // namespace pb
