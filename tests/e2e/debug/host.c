/* SPDX-License-Identifier: MIT */
/* Calls a transform of libplaces, for gdb to stop in. */
#include <stdio.h>

#include "places.h"

int main(void) {
  double cells[6] = {1, 2, 3, 4, 5, 6}, sums[6];
  pb_matrix in = {cells, PB_DOUBLE, 2, {3, 2}, {0}}, out = {sums, PB_DOUBLE, 2, {3, 2}, {0}};
  pb_context* context;
  pb_status status = pb_context_create(places_library(), NULL, &context);
  if (status.code == PB_OK) status = places_Plus(context, &in, &out);
  if (status.code != PB_OK) return fprintf(stderr, "%s\n", status.message), 1;
  printf("%g\n", sums[5]);
  pb_context_destroy(context);
  return 0;
}
