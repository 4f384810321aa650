// SPDX-License-Identifier: MIT
// Sorting algorithms for raw arrays and regions, shared by several programs.
%{
template <class M> static void selectionSortOf(M m, int n) {
  for (int i = 0; i < n; ++i) {
    int least = i;
    for (int j = i+1; j < n; ++j) if (m.cell(j) < m.cell(least)) least = j;
    ElementT t = m.cell(i); m.cell(i) = m.cell(least); m.cell(least) = t;
  }
}
%}
#define SWAP(type,a,b) { type swap_tmp = a; a = b; b = swap_tmp; }
