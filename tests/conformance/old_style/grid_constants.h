// SPDX-License-Identifier: MIT
#ifndef CONSTS_H
#define CONSTS_H
#define BASE_SIZE 3
#define RELAX(c,n,s,e,w,b) ((c) + OMEGA*0.25*((n)+(s)+(e)+(w)+(b)-4.0*(c)))
#define OMEGA 1.15
%{
  static inline bool isBorder(int x, int y, int n) { return x==0 || y==0 || x==n-1 || y==n-1; }
%}
#endif
