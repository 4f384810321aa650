// SPDX-License-Identifier: MIT
#ifndef BORDERS_H
#define BORDERS_H
// A header of macros and a prefix block, like those that ship with programs.
#define LEFT_OF(m,i)  m.cell((i)-1)
#define RIGHT_OF(m,i) m.cell((i)+1)
#define AT(m,i)       m.cell(i)
%{
#ifndef TWO_DEFINED
#define TWO_DEFINED
static inline double two() { return 2.0; }
#endif
%}
#endif // BORDERS_H
