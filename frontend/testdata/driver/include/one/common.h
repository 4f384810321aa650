// SPDX-License-Identifier: MIT
%{
static double first(double v) { return v + lost; }
%}
