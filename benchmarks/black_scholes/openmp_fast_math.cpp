// SPDX-License-Identifier: MIT
// The program of openmp.cpp, for a compilation with -ffast-math.
#include "openmp.cpp"
