// SPDX-License-Identifier: MIT
/* Macros that most of the programs here share. */
#ifndef COMMON_H
#define COMMON_H
#define MIN(a,b) ((a)<(b)?(a):(b))
#define MAX(a,b) ((a)>(b)?(a):(b))
#define ABS(a) ((a)<0?-(a):(a))
#define PI 3.14159265358979323846
#define EPS 0.000000000001
#define SQUARE(x) ((x)*(x))
#endif
