/* SPDX-License-Identifier: MIT */
/* A host that loads and unloads libother.so while it runs, and calls by the tables: `loader LIBRARY`. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "polybricks.h"
#include "threads.h"

/* Whether all threads but the first block the signals that a host may want: SIGINT and SIGTERM. */
static int are_signals_blocked(void) {
  int num_blocked = 0;
  DIR* folder = opendir("/proc/self/task");
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    char name[300], line[200];
    snprintf(name, sizeof name, "/proc/self/task/%s/status", entry->d_name);
    FILE* file = entry->d_name[0] == '.' ? NULL : fopen(name, "r");
    unsigned long long blocked = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
      if (sscanf(line, "SigBlk: %llx", &blocked) == 1) num_blocked += (blocked >> 1 & 1) && (blocked >> 14 & 1);
    if (file != NULL) fclose(file);
  }
  closedir(folder);
  return num_blocked == num_threads() - 1;
}

int main(int argc, char** argv) {
  for (int round = 0; argc == 2 && round < 30; ++round) {
    void* file = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (file == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
    const pb_library* (*tables)(void);
    *(void**)&tables = dlsym(file, "other_library");
    pb_options options = {0};
    options.threads = 3;
    pb_context* context;
    if (pb_context_create(tables(), &options, &context).code != PB_OK) return 3;
    if (num_threads() != 3) return 4;
    if (!are_signals_blocked()) return 5;
    double a[2] = {1, 2}, b[2] = {0, 0};
    pb_matrix A = {a, PB_DOUBLE, 1, {2}, {0}}, B = {b, PB_DOUBLE, 1, {2}, {0}};
    const pb_matrix* const matrices[] = {&A, &B};
    if (pb_call(context, 0, NULL, matrices).code != PB_OK || b[1] != 6) return 6;
    pb_context_destroy(context);
    if (num_threads() != 1) return 7; /* threads end with the last context */
    if (dlclose(file) != 0) return 8;
  }
  return argc == 2 ? 0 : 1;
}
