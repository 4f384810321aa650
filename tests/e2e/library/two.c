/* SPDX-License-Identifier: MIT */
/* A host of two libraries: a context of one is refused by the other. `two N`: N threads are there while each has a
 * context for 2 threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "other.h"
#include "threads.h"

int main(int argc, char** argv) {
  double a[3] = {1, 2, 3}, b[3], c[3];
  pb_matrix A = {a, PB_DOUBLE, 1, {3}, {1}}, B = {b, PB_DOUBLE, 1, {3}, {1}}, C = {c, PB_DOUBLE, 1, {3}, {1}};
  pb_options options = {0};
  options.threads = 2;
  pb_context *edges, *other;
  if (pb_context_create(edges_library(), &options, &edges).code != PB_OK) return 1;
  if (other_Scale(edges, &A, &C).code != PB_ERROR_ARGUMENT) return 7; /* nobody has asked for its tables yet */
  if (pb_context_create(other_library(), &options, &other).code != PB_OK) return 2;
  if (argc != 2 || num_threads() != atoi(argv[1])) return fprintf(stderr, "%d threads\n", num_threads()), 8;
  if (edges_Scale(edges, &A, &B).code != PB_OK || b[2] != 6) return 3;
  if (other_Scale(other, &A, &C).code != PB_OK || c[2] != 9) return 4;
  const pb_status status = other_Scale(edges, &A, &C);
  if (status.code != PB_ERROR_ARGUMENT || strstr(status.message, "another library") == NULL) return 5;
  pb_context_destroy(edges); /* workers and devices stay for the other's context */
  if (other_Scale(other, &A, &C).code != PB_OK) return 6;
  pb_context_destroy(other);
  return 0;
}
