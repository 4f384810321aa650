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

/// Returns an identifier for a transform: its name, or a name such as `Power_tmpl_3_1` for an instance of a template.
/// The transform's number is added if another transform has that name, or if the program's own C++ has a word that
/// looks like one of the functions made for the transform.
[[nodiscard]] std::string identifier_of(const Program& program, TransformId transform);
/// Returns the name that command lines use: `Power_tmpl_3_1` for an instance of a template, `Blur_spliced_OUT_1` for
/// the calls of a rule, else the transform's own name.
[[nodiscard]] std::string instance_name(const Transform& transform);
/// Returns `Power`, an identifier that no transform has. It names the function that chooses an instance of the template
/// at run time.
[[nodiscard]] std::string identifier_of(const Program& program, TemplateId which);
/// Returns `Convolve2D_0_Out1`, the stem of all names made for one rule: its transform, its number and its name. A name
/// such as `pass_2`, in which one could take a part for the number, is left out.
[[nodiscard]] std::string rule_stem(const Program& program, TransformId transform, RuleId rule);

/// Returns `ElementT`, or the matrix's own type.
[[nodiscard]] std::string element_text(ElementType element, bool is_element_t);
/// Returns `MatrixRegion2D` or `ConstMatrixRegion<float, 2>`.
[[nodiscard]] std::string region_type(ElementType element, bool is_element_t, int num_dims, bool is_const);
[[nodiscard]] std::string region_type(const Matrix& matrix, bool is_const);

/// Returns `separable_convolution.pbcc:25`: no paths of this machine, and only as many folders as tell files apart.
[[nodiscard]] std::string origin_of(const SourceManager& sources, Span span);

/// Returns `A.size(0)`, an extent of a matrix that loops reach through a view.
[[nodiscard]] IndexExpr view_extent(const Matrix& matrix, std::size_t dim);
/// Whether the name is one of generated code's own. Names of programs do not begin with `pb_`.
[[nodiscard]] inline bool is_own_name(std::string_view name) { return name.starts_with("pb_"); }

/// Returns the name without letters beyond ASCII, `gr_c3_b6_c3_9fe` for `größe`: not every OpenCL compiler knows them.
[[nodiscard]] std::string in_ascii(const std::string& name);
/// Returns `PB_SIZE_n`, the macro by which builds of kernels may say the value of a size variable
/// (KernelScalar::is_specialized). The kernel prelude has no such macros of its own.
[[nodiscard]] std::string size_macro(const std::string& name);

/// Returns `pb_strip_0`, the name of the value of a tunable that says which form a rule's loops have.
[[nodiscard]] std::string loop_value_name(TunableRole role, RuleId rule);

/// Returns C++ of a bound, with the 64-bit helpers of runtime/matrix/index_math.h.
[[nodiscard]] std::string to_cpp(const IndexExpr& expr);
/// Returns OpenCL C of a bound, in `int`. The kernel's prelude defines PB_MIN, PB_MAX and PB_FLOORD.
[[nodiscard]] std::string to_opencl(const IndexExpr& expr);

/// Returns the texts with the separator between them: `a, b, c`.
[[nodiscard]] std::string joined(const std::vector<std::string>& texts, std::string_view separator = ", ");

}  // namespace pb
