/* SPDX-License-Identifier: MIT */
/* Calls the library `scale` on 1, 2, 3 and prints the result. */
#include <stdio.h>

#include "scale.h"

int main(void) {
  double numbers[3] = {1, 2, 3}, scaled[3];
  const pb_matrix in = {numbers, PB_DOUBLE, 1, {3}, {0}};
  pb_matrix out = {scaled, PB_DOUBLE, 1, {3}, {0}};
  pb_context* context;
  pb_status status = pb_context_create(scale_library(), NULL, &context);
  if (status.code == PB_OK) status = scale_Scale(context, &in, &out);
  if (status.code != PB_OK) return fprintf(stderr, "%s\n", status.message), 1;
  printf("%g %g %g\n", scaled[0], scaled[1], scaled[2]);
  pb_context_destroy(context);
  return 0;
}
