// SPDX-License-Identifier: MIT
%{
static double same(double v) { return v; }
static double second(double v) { return v * lost; }
%}
