/* SPDX-License-Identifier: MIT */
/* A host of libedges.so in plain C: `host TEST` runs one test, prints what is wrong, and exits with 1 if anything is.
 * library_test.py compiles and runs it. */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "edges.h"

static int num_faults = 0;

#define EXPECT(condition)                                            \
  do {                                                               \
    if (!(condition)) {                                              \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++num_faults;                                                  \
    }                                                                \
  } while (0)

/* Expects a status with this code, whose message contains `words`. */
#define EXPECT_STATUS(call, wanted, words)                                                           \
  do {                                                                                               \
    const pb_status found = (call);                                                                  \
    if (found.code != (wanted) || strstr(found.message, words) == NULL) {                            \
      printf("%s:%d: %s gives %d: %s\n", __FILE__, __LINE__, #call, (int)found.code, found.message); \
      ++num_faults;                                                                                  \
    }                                                                                                \
  } while (0)
#define EXPECT_OK(call) EXPECT_STATUS(call, PB_OK, "")

static pb_context* context_with(pb_options options) {
  pb_context* context = NULL;
  EXPECT_OK(pb_context_create(edges_library(), &options, &context));
  if (context == NULL) exit(1);
  return context;
}

static pb_context* context_on(int threads) {
  pb_options options = {0};
  options.threads = threads;
  return context_with(options);
}

static pb_matrix row_of(double* data, int64_t n) {
  pb_matrix matrix = {data, PB_DOUBLE, 1, {n}, {1}};
  return matrix;
}

static pb_matrix plane_of(float* data, int64_t w, int64_t h) {
  pb_matrix matrix = {data, PB_FLOAT, 2, {w, h}, {0}};
  return matrix;
}

static pb_matrix number_at(double* data) {
  pb_matrix matrix = {data, PB_DOUBLE, 0, {0}, {0}};
  return matrix;
}

static void fill(double* data, int n) {
  for (int i = 0; i < n; ++i) data[i] = i + 0.5;
}

static void test_calls(void) {
  double a[100], b[100], sum = 0;
  float in[5 * 4], out[3 * 4];
  fill(a, 100);
  for (int i = 0; i < 20; ++i) in[i] = (float)i;
  for (int threads = 1; threads <= 3; ++threads) {
    pb_context* context = context_on(threads);
    pb_matrix A = row_of(a, 100), B = row_of(b, 100), S = number_at(&sum);
    EXPECT_OK(edges_Scale(context, &A, &B));
    for (int i = 0; i < 100; ++i) EXPECT(b[i] == 2 * a[i]);
    EXPECT_OK(edges_Power_tmpl_2(context, &A, &B));
    for (int i = 0; i < 100; ++i) EXPECT(b[i] == a[i] * a[i]);
    EXPECT_OK(edges_Sum(context, &A, &S));
    EXPECT(sum == 5000);
    fill(b, 100);
    EXPECT_OK(edges_Add(context, &A, &B));
    for (int i = 0; i < 100; ++i) EXPECT(b[i] == 2 * a[i]);
    pb_matrix In = plane_of(in, 5, 4), Out = plane_of(out, 3, 4);
    EXPECT_OK(edges_Blur(context, 10, &In, &Out));
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 3; ++x) EXPECT(out[3 * y + x] == 30 * in[5 * y + x + 1]);
    double n = 15, f = 0;
    pb_matrix N = number_at(&n), F = number_at(&f);
    EXPECT_OK(edges_Fibonacci(context, &N, &F));
    EXPECT(f == 610);
    pb_matrix nothing = row_of(NULL, 0);
    EXPECT_OK(edges_Scale(context, &nothing, &nothing));
    pb_context_destroy(context);
  }
  pb_context_destroy(NULL);
}

/* Every layout gives the same: in place, by strides, backwards, rows as columns, misaligned, overlapping. */
static void test_layouts(void) {
  pb_context* context = context_on(2);
  float in[2 * 5 * 4], out[40], turned[3 * 4];
  for (int i = 0; i < 40; ++i) in[i] = (float)(i * i % 31);
  for (int i = 0; i < 40; ++i) out[i] = -1;
  pb_matrix In = {in, PB_FLOAT, 2, {5, 4}, {2, 10}};   /* every other number */
  pb_matrix Out = {out, PB_FLOAT, 2, {3, 4}, {3, 10}}; /* every third */
  EXPECT_OK(edges_Blur(context, 1, &In, &Out));
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 3; ++x) {
      const float* at = in + 10 * y + 2 * x;
      EXPECT(out[10 * y + 3 * x] == at[0] + at[2] + at[4]);
    }
  for (int i = 0; i < 40; ++i) EXPECT(out[i] >= 0 || i % 10 % 3 != 0 || i % 10 == 9);
  pb_matrix Turned = {turned, PB_FLOAT, 2, {3, 4}, {4, 1}}; /* dimension 1 is the fastest, as in NumPy */
  EXPECT_OK(edges_Blur(context, 1, &In, &Turned));
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 3; ++x) EXPECT(turned[4 * x + y] == out[10 * y + 3 * x]);

  double a[20], b[20];
  fill(a, 20);
  pb_matrix backwards = {a + 19, PB_DOUBLE, 1, {20}, {-1}};
  pb_matrix B = row_of(b, 20);
  EXPECT_OK(edges_Scale(context, &backwards, &B));
  for (int i = 0; i < 20; ++i) EXPECT(b[i] == 2 * a[19 - i]);
  pb_matrix same = {a, PB_DOUBLE, 2, {20}, {0}};
  same.rank = 1;
  EXPECT_OK(edges_Scale(context, &same, &same)); /* in place: the input is read before it is written */
  for (int i = 0; i < 20; ++i) EXPECT(a[i] == 2 * i + 1);
  pb_matrix front = row_of(a, 19), back = row_of(a + 1, 19);
  EXPECT_OK(edges_Scale(context, &front, &back));
  for (int i = 1; i < 20; ++i) EXPECT(a[i] == 2 * (2 * (i - 1) + 1));
  char bytes[20 * sizeof(double) + 1];
  pb_matrix misaligned = row_of((double*)(void*)(bytes + 1), 20);
  fill(b, 20);
  EXPECT_OK(edges_Scale(context, &B, &misaligned));
  for (int i = 0; i < 20; ++i) {
    double found;
    memcpy(&found, bytes + 1 + sizeof found * i, sizeof found);
    EXPECT(found == 2 * b[i]);
  }
  pb_context_destroy(context);
}

static void test_errors(void) {
  pb_context* context = context_on(2);
  double a[8] = {0}, b[8] = {0}, s = 0;
  float in[20] = {0};
  pb_matrix A = row_of(a, 8), B = row_of(b, 7), plane = plane_of(in, 5, 4), S = number_at(&s);
  EXPECT_STATUS(edges_Scale(context, &A, &B), PB_ERROR_ARGUMENT, "dimension 0 of `B[n]` is 7, but `n` is 8 for n = 8");
  EXPECT_STATUS(edges_Scale(context, NULL, &B), PB_ERROR_ARGUMENT, "`A[n]`: the matrix is null");
  EXPECT_STATUS(edges_Scale(NULL, &A, &A), PB_ERROR_ARGUMENT, "context is null");
  EXPECT_STATUS(edges_Scale(context, &plane, &B), PB_ERROR_ARGUMENT,
                "`A[n]`: the matrix has rank 2, the header says 1");
  B = row_of(NULL, 8);
  EXPECT_STATUS(edges_Scale(context, &A, &B), PB_ERROR_ARGUMENT, "its data is null");
  B = row_of(b, -1);
  EXPECT_STATUS(edges_Scale(context, &A, &B), PB_ERROR_ARGUMENT, "dimension 0 is -1");
  B.extents[0] = (int64_t)1 << 40;
  EXPECT_STATUS(edges_Scale(context, &A, &B), PB_ERROR_ARGUMENT, "dimension 0 is 1099511627776, larger than an index may be");
  B = row_of(b, 8);
  B.element = PB_FLOAT;
  EXPECT_STATUS(edges_Scale(context, &A, &B), PB_ERROR_ARGUMENT, "elements are float, the header says double");
  pb_matrix Out = {in, PB_FLOAT, 2, {3, 4}, {1, 2}};
  EXPECT_STATUS(edges_Blur(context, 1, &plane, &Out), PB_ERROR_ARGUMENT, "its cells may overlap");
  EXPECT_STATUS(pb_call(context, 99, NULL, NULL), PB_ERROR_ARGUMENT, "no transform of this number");
  EXPECT_STATUS(pb_call(context, 0, NULL, NULL), PB_ERROR_ARGUMENT, "list of matrices is null");

  const char* const words[] = {"number = 0", "gave up", "thrown by a body", "unknown type"};
  for (int kind = 0; kind < 4; ++kind) {
    pb_matrix Kind = {&kind, PB_INT, 0, {0}, {0}};
    EXPECT_STATUS(edges_Fail(context, &Kind, &S), PB_ERROR_RUN, words[kind]);
  }
  int kind = 4;
  pb_matrix Kind = {&kind, PB_INT, 0, {0}, {0}};
  EXPECT_OK(edges_Fail(context, &Kind, &S));
  EXPECT(s == 4);
  pb_context_destroy(context);
}

static void test_options(void) {
  pb_context* context = NULL;
  pb_options options = {0};
  const char* devices[] = {"none", "none"};
  EXPECT_STATUS(pb_context_create(NULL, NULL, &context), PB_ERROR_ARGUMENT, "null");
  EXPECT_STATUS(pb_context_create(edges_library(), NULL, NULL), PB_ERROR_ARGUMENT, "null");
  options.devices = devices;
  options.num_devices = 2;
  EXPECT_STATUS(pb_context_create(edges_library(), &options, &context), PB_ERROR_DEVICE, "`none` stands alone");
  devices[0] = "no such device";
  options.num_devices = 1;
  EXPECT_STATUS(pb_context_create(edges_library(), &options, &context), PB_ERROR_DEVICE, "no such device");
  options.num_devices = 0;
  options.configuration_file = "missing.cfg";
  EXPECT_STATUS(pb_context_create(edges_library(), &options, &context), PB_ERROR_CONFIGURATION, "missing.cfg");
  options.configuration_file = NULL;
  options.configuration_text = "{\"program\": \"edges\", \"transforms\": {\"Nobody\": {}}}";
  EXPECT_STATUS(pb_context_create(edges_library(), &options, &context), PB_ERROR_CONFIGURATION, "Nobody");
  options.configuration_text = "what is this";
  EXPECT_STATUS(pb_context_create(edges_library(), &options, &context), PB_ERROR_CONFIGURATION, "configuration text");
  options.configuration_text = "{\"program\": \"other\", \"global\": {}}";
  EXPECT_STATUS(pb_context_create(edges_library(), &options, &context), PB_ERROR_CONFIGURATION, "other");
  EXPECT(context == NULL);
  options.configuration_text = "{\"program\": \"edges\", \"global\": {\"threads\": 3}}";
  context = context_with(options);
  double n = 10, f = 0;
  pb_matrix N = number_at(&n), F = number_at(&f);
  EXPECT_OK(edges_Fibonacci(context, &N, &F));
  EXPECT(f == 55);
  pb_context_destroy(context);
  options.threads = -1;
  EXPECT_STATUS(pb_context_create(edges_library(), &options, &context), PB_ERROR_ARGUMENT, "number of threads is -1");
}

static void test_tables(void) {
  const pb_library* library = edges_library();
  EXPECT(strcmp(library->name, "edges") == 0 && library->num_transforms == 9);
  const pb_transform* blur = NULL;
  for (int t = 0; t < library->num_transforms; ++t)
    if (strcmp(library->transforms[t].name, "Blur") == 0) blur = &library->transforms[t];
  if (blur == NULL) exit(1);
  EXPECT(blur->num_numbers == 1 && strcmp(blur->numbers[0], "factor") == 0);
  EXPECT(blur->num_inputs == 1 && blur->num_outputs == 1);
  EXPECT(blur->arguments[1].rank == 2 && blur->arguments[1].element == PB_FLOAT);
  EXPECT(strcmp(blur->arguments[1].name, "Out") == 0 && strcmp(blur->arguments[1].extents[0], "w-2") == 0);
  float in[15] = {1, 2, 3}, out[9];
  pb_matrix In = plane_of(in, 5, 3), Out = plane_of(out, 3, 3);
  const pb_matrix* const matrices[] = {&In, &Out};
  const int64_t factor = 2;
  pb_context* context = context_on(1);
  EXPECT_OK(pb_call(context, (int32_t)(blur - library->transforms), &factor, matrices));
  EXPECT(out[0] == 12 && out[1] == 10);
  EXPECT_STATUS(pb_call(context, (int32_t)(blur - library->transforms), NULL, matrices), PB_ERROR_ARGUMENT, "numbers");
  pb_context_destroy(context);
}

static void test_extents(void) {
  const pb_library* library = edges_library();
  int32_t blur = -1, add = -1;
  for (int32_t t = 0; t < library->num_transforms; ++t) {
    if (strcmp(library->transforms[t].name, "Blur") == 0) blur = t;
    if (strcmp(library->transforms[t].name, "Add") == 0) add = t;
  }
  EXPECT(strcmp(library->transforms[add].documentation, "Adds to what the caller passes.") == 0);
  EXPECT(strcmp(library->transforms[blur].documentation, "") == 0);
  EXPECT(library->transforms[add].arguments[1].is_read && !library->transforms[blur].arguments[1].is_read);
  float in[15];
  pb_matrix In = plane_of(in, 5, 3);
  const pb_matrix* const inputs[] = {&In};
  const int64_t factor = 2;
  int64_t extents[2] = {0, 0};
  pb_context* context = context_on(1);
  EXPECT_OK(pb_output_extents(context, blur, &factor, inputs, extents));
  EXPECT(extents[0] == 3 && extents[1] == 3);
  EXPECT_STATUS(pb_output_extents(context, add, NULL, inputs, extents), PB_ERROR_ARGUMENT, "rank");
  const int64_t large = ((int64_t)1 << 32) + 5;
  EXPECT_STATUS(pb_output_extents(context, blur, &large, inputs, extents), PB_ERROR_ARGUMENT,
                "`factor` is 4294967301, which is no integer of 32 bits");
  In.extents[0] = 1;
  EXPECT_STATUS(pb_output_extents(context, blur, &factor, inputs, extents), PB_ERROR_ARGUMENT,
                "call of Blur: dimension 0 of Out would be negative, `w-2` is -1");
  EXPECT_STATUS(pb_output_extents(NULL, blur, &factor, inputs, extents), PB_ERROR_ARGUMENT, "null");
  pb_context_destroy(context);
}

static void* call_often(void* context) {
  double a[50], b[50], n = 12, f;
  pb_matrix A = row_of(a, 50), B = row_of(b, 50), N = number_at(&n), F = number_at(&f);
  fill(a, 50);
  for (int round = 0; round < 300; ++round) {
    memset(b, 0, sizeof b);
    EXPECT_OK(edges_Scale(context, &A, &B));
    for (int i = 0; i < 50; ++i) EXPECT(b[i] == 2 * a[i]);
    f = 0;
    EXPECT_OK(edges_Fibonacci(context, &N, &F));
    EXPECT(f == 144);
  }
  return NULL;
}

/* Several threads, each with a context of its own, and several with one. */
static void test_threads(void) {
  enum { kThreads = 6 };
  pb_context* contexts[kThreads];
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) contexts[i] = i % 3 == 2 ? contexts[i - 1] : context_on(1 + i % 3);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, call_often, contexts[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i)
    if (i % 3 != 2) pb_context_destroy(contexts[i]);
}

static void* call_endless(void* context) {
  double a[4] = {0}, b[4];
  pb_matrix A = row_of(a, 4), B = row_of(b, 4);
  EXPECT_STATUS(edges_Endless(context, &A, &B), PB_ERROR_CANCELLED, "cancelled");
  return NULL;
}

static void test_cancellation(void) {
  for (int threads = 1; threads <= 2; ++threads) {
    pb_context* context = context_on(threads);
    pthread_t caller;
    pthread_create(&caller, NULL, call_endless, context);
    while (pthread_tryjoin_np(caller, NULL) != 0) { /* the call may not have begun yet */
      EXPECT_OK(pb_context_cancel(context));
      usleep(1000);
    }
    call_often(context);
    pb_context_destroy(context);
  }
  EXPECT_STATUS(pb_context_cancel(NULL), PB_ERROR_ARGUMENT, "null");
}

static void test_fork(void) {
  pb_context* context = context_on(2);
  call_often(context);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    num_faults = 0;
    double a[2] = {0}, b[2];
    pb_matrix A = row_of(a, 2), B = row_of(b, 2);
    pb_context* another = NULL;
    EXPECT_STATUS(edges_Scale(context, &A, &B), PB_ERROR_FORKED, "forked");
    EXPECT_STATUS(pb_context_cancel(context), PB_ERROR_FORKED, "forked");
    EXPECT_STATUS(pb_context_create(edges_library(), NULL, &another), PB_ERROR_FORKED, "forked");
    pb_context_destroy(context);
    fflush(stdout);
    exit(num_faults != 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
  call_often(context);
  pb_context_destroy(context);
}

static long resident_kb(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) exit(1);
  fclose(file);
  return pages * 4;
}

static void test_growth(void) {
  double a[16], b[16];
  fill(a, 16);
  pb_matrix A = row_of(a, 16), B = row_of(b, 16);
  pb_context* context = context_on(1);
  long before = 0;
  for (int round = 0; round < 1001000; ++round) {
    if (round == 1000) before = resident_kb();
    const pb_status status = edges_Scale(context, &A, &B);
    if (status.code != PB_OK) exit(1);
  }
  EXPECT(resident_kb() - before < 300);
  pb_context_destroy(context);
  for (int round = 0; round < 200; ++round) {
    if (round == 20) before = resident_kb();
    context = context_on(2);
    EXPECT_OK(edges_Scale(context, &A, &B));
    pb_context_destroy(context);
  }
  EXPECT(resident_kb() - before < 3000);
}

/* Signals, locale, rounding and the environment are the host's, and threads end with the last context. */
static void test_host_is_left_alone(void) {
  static const int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGXFSZ, SIGINT};
  struct sigaction before[8], after[8];
  stack_t stack_before, stack_after;
  for (int i = 0; i < 8; ++i) sigaction(kSignals[i], NULL, &before[i]);
  sigaltstack(NULL, &stack_before);
  enum { kMaxVariables = 1000 };
  static const char* variables[kMaxVariables];
  int num_variables = 0;
  for (; environ[num_variables] != NULL && num_variables < kMaxVariables; ++num_variables)
    variables[num_variables] = environ[num_variables];
  fesetround(FE_UPWARD);
  pb_context* context = context_on(3);
  double a[3] = {1, 2, 3}, b[3], s;
  pb_matrix A = row_of(a, 3), B = row_of(b, 3), S = number_at(&s);
  EXPECT_OK(edges_Scale(context, &A, &B));
  for (int kind = 0; kind < 3; ++kind) {
    pb_matrix Kind = {&kind, PB_INT, 0, {0}, {0}};
    EXPECT_STATUS(edges_Fail(context, &Kind, &S), PB_ERROR_RUN, "");
  }
  pb_context_destroy(context);
  EXPECT(fegetround() == FE_UPWARD);
  for (int i = 0; i < 8; ++i) {
    sigaction(kSignals[i], NULL, &after[i]);
    EXPECT(after[i].sa_handler == before[i].sa_handler);
  }
  sigaltstack(NULL, &stack_after);
  EXPECT(stack_after.ss_sp == stack_before.ss_sp && stack_after.ss_flags == stack_before.ss_flags);
  for (int i = 0; i < num_variables; ++i) EXPECT(environ[i] == variables[i]);
  EXPECT(environ[num_variables] == NULL);
  EXPECT(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
}

static pb_options on_device(const char* const* device) {
  pb_options options = {0};
  options.configuration_text =
      "{\"program\": \"edges\", \"global\": {\"threads\": 2, \"sequential_cutoff\": 1}, \"transforms\": {"
      "\"Scale\": {\"sites\": {\"B#1\": [{\"rule\": \"B#1\", \"on\": \"opencl\"}]}},"
      "\"Blur\": {\"sites\": {\"Out#1\": [{\"rule\": \"Out#1\", \"on\": \"opencl_local\"}]}}}}";
  options.devices = device;
  options.num_devices = device != NULL;
  options.is_strict = 1; /* what does not run on the device is an error */
  return options;
}

/* Calls on a device, in memory that changes between calls, and in layouts that need copies and that do not. */
static void test_device(void) {
  enum { kNum = 3000 };
  const char* const devices[] = {"0", "none"};
  pb_context *context = context_with(on_device(devices)), *by_configuration = context_with(on_device(NULL));
  for (int round = 0; round < 20; ++round) {
    pb_context* caller = round % 2 == 0 ? context : by_configuration;
    double* memory = aligned_alloc(128, 4 * kNum * sizeof(double));
    if (memory == NULL) exit(1);
    for (int i = 0; i < kNum; ++i) memory[2 * i] = memory[2 * i + 1] = i + round;
    pb_matrix A = row_of(memory, kNum), B = row_of(memory + 2 * kNum + round % 3, kNum);
    A.strides[0] = 1 + round % 2;
    EXPECT_OK(edges_Scale(caller, &A, &B));
    for (int i = 0; i < kNum; ++i) EXPECT(((double*)B.data)[i] == 2 * memory[i * A.strides[0]]);
    free(memory);
  }
  static float in[40 * 30], out[38 * 30];
  for (int i = 0; i < 40 * 30; ++i) in[i] = (float)(i % 17);
  pb_matrix In = plane_of(in, 40, 30), Out = plane_of(out, 38, 30);
  EXPECT_OK(edges_Blur(context, 2, &In, &Out));
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 38; ++x) {
      const float* at = in + 40 * y + x;
      EXPECT(out[38 * y + x] == 2 * (at[0] + at[1] + at[2]));
    }
  /* Rows whose distance is no multiple of that of their cells. */
  float* apart = aligned_alloc(128, 128 * 81 * sizeof(float));
  if (apart == NULL) exit(1);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) apart[81 * y + 2 * x] = in[40 * y + x] + 1;
  pb_matrix Apart = plane_of(apart, 40, 30);
  Apart.strides[0] = 2;
  Apart.strides[1] = 81;
  EXPECT_OK(edges_Blur(context, 2, &Apart, &Out));
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 38; ++x) {
      const float* at = in + 40 * y + x;
      EXPECT(out[38 * y + x] == 2 * (at[0] + at[1] + at[2] + 3));
    }
  free(apart);
  pb_context_destroy(by_configuration);
  /* Without a device, the version that the configuration chose cannot run. */
  pb_context* without = context_with(on_device(devices + 1));
  EXPECT_STATUS(edges_Blur(without, 2, &In, &Out), PB_ERROR_RUN, "--strict");
  pb_context_destroy(without);
  pb_context_destroy(context);
}

/* Scales a long row, and looks at the results. The status may also be that the device failed, if `may_fail`. */
static pb_status scale_row(pb_context* context, int may_fail) {
  enum { kNum = 100000 };
  double* memory = aligned_alloc(128, 2 * kNum * sizeof(double));
  if (memory == NULL) exit(1);
  for (int i = 0; i < kNum; ++i) memory[i] = i + 1;
  pb_matrix A = row_of(memory, kNum), B = row_of(memory + kNum, kNum);
  const pb_status status = edges_Scale(context, &A, &B);
  int num_wrong = 0;
  for (int i = 0; i < kNum; ++i) num_wrong += memory[kNum + i] != 2 * (i + 1);
  EXPECT(status.code == PB_OK || (may_fail && status.code == PB_ERROR_DEVICE));
  EXPECT(status.code != PB_OK || num_wrong == 0);
  free(memory);
  return status;
}

static void scale_long_row(pb_context* context) { EXPECT_OK(scale_row(context, 0)); }

/* The memory, limit and verification of devices are those of all contexts that use devices at the same time. */
static void test_device_settings(void) {
  const char* const devices[] = {"0", "none"};
  const pb_options silent = on_device(devices);
  pb_options options = silent, other, on_cpu;
  pb_context* made = NULL;
  options.device_memory = 1 << 20;
  options.device_limit = 1000;
  options.verifies_device = 1;
  pb_context *context = context_with(options), *same = context_with(options), *without = context_with(silent);
  pb_context* const callers[] = {context, same, without};
  for (int i = 0; i < 3; ++i) scale_long_row(callers[i]);
  pb_statistics statistics;
  EXPECT_OK(pb_context_statistics(context, &statistics));
  EXPECT(statistics.kernels > 3);                      /* two rows do not fit, so there are pieces */
  EXPECT(statistics.bytes_to_device >= 3 * 8 * 100000); /* and memory with a limit is not the host's */
  for (int i = 0; i < 3; ++i) {
    other = options;
    if (i == 0) other.device_memory = 2 << 20;
    if (i == 1) other.device_limit = 999;
    if (i == 2) other.verifies_device = 0;
    EXPECT_STATUS(pb_context_create(edges_library(), &other, &made), PB_ERROR_DEVICE,
                  "in use with another memory, limit or verification");
    EXPECT(made == NULL);
  }
  on_cpu = other;
  on_cpu.devices = devices + 1;
  on_cpu.is_strict = 0;
  pb_context* cpu = context_with(on_cpu); /* it uses no device, so it does not matter what it says of them */
  for (int i = 0; i < 3; ++i) pb_context_destroy(callers[i]);
  context = context_with(other);
  scale_long_row(context);
  scale_long_row(cpu);
  pb_context_destroy(context);
  pb_context_destroy(cpu);
  options.device_limit = -1;
  EXPECT_STATUS(pb_context_create(edges_library(), &options, &made), PB_ERROR_ARGUMENT, "no number of seconds");
}

/* A device whose first kernel hangs or is wrong, as the environment says. A call whose results are lost fails; the calls
   after it run on the CPU. */
static void test_device_faults(void) {
  const char* const devices[] = {"0"};
  pb_options options = on_device(devices);
  options.is_strict = 0;
  options.device_limit = 0.3;
  options.verifies_device = 1;
  pb_context* context = context_with(options);
  if (scale_row(context, 1).code != PB_OK) printf("lost\n");
  for (int round = 0; round < 3; ++round) scale_long_row(context);
  pb_context_destroy(context);
}

static void* call_on_device(void* context) {
  double a[200], b[200];
  pb_matrix A = row_of(a, 200), B = row_of(b, 200);
  fill(a, 200);
  for (int round = 0; round < 50; ++round) {
    EXPECT_OK(edges_Scale(context, &A, &B));
    for (int i = 0; i < 200; ++i) EXPECT(b[i] == 2 * a[i]);
    a[round] = -round;
  }
  return NULL;
}

static void test_threads_on_device(void) {
  enum { kThreads = 4 };
  const char* const devices[] = {"0"};
  pthread_t threads[kThreads];
  pb_context* contexts[2] = {context_with(on_device(devices)), context_with(on_device(devices))};
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, call_on_device, contexts[i % 2]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; ++i) pb_context_destroy(contexts[i]);
}

static pb_matrix resident_row(pb_context* context, int64_t n) {
  pb_matrix matrix = row_of(NULL, n);
  EXPECT_OK(pb_matrix_create(context, &matrix));
  EXPECT(matrix.data != NULL && matrix.strides[0] == 1);
  return matrix;
}

static pb_statistics statistics_of(pb_context* context) {
  pb_statistics statistics;
  EXPECT_OK(pb_context_statistics(context, &statistics));
  return statistics;
}

/* What a device has written stays there until somebody needs it. */
static void test_resident(void) {
  enum { kNum = 5000 };
  const char* const devices[] = {"0"};
  pb_context *context = context_with(on_device(devices)), *on_cpu = context_on(2);
  pb_matrix A = resident_row(context, kNum), B = resident_row(context, kNum);
  double *a = A.data, *b = B.data, sum, plain[kNum];
  for (int i = 0; i < kNum; ++i) a[i] = i + 1;
  EXPECT_OK(edges_Scale(context, &A, &B));
  const pb_statistics first = statistics_of(context);
  for (int round = 0; round < 5; ++round) {
    EXPECT_OK(edges_Scale(context, &B, &A));
    EXPECT_OK(edges_Scale(context, &A, &B));
  }
  const pb_statistics last = statistics_of(context);
  EXPECT(last.kernels == first.kernels + 10);
  EXPECT(last.bytes_to_device == first.bytes_to_device && last.bytes_to_host == first.bytes_to_host);
  EXPECT(first.bytes_to_host == 0);

  EXPECT_OK(pb_matrix_fetch(context, &B));
  for (int i = 0; i < kNum; ++i) EXPECT(b[i] == 2048.0 * (i + 1));
  b[7] = 0;
  EXPECT_OK(pb_matrix_changed(context, &B));
  pb_matrix P = row_of(plain, kNum), S = {&sum, PB_DOUBLE, 0, {0}, {0}};
  EXPECT_OK(edges_Scale(context, &B, &P)); /* into memory of the host */
  for (int i = 0; i < kNum; ++i) EXPECT(plain[i] == (i == 7 ? 0 : 4096.0 * (i + 1)));

  /* A number is a cell that the device has made. */
  pb_matrix fours = resident_row(context, 8), eights = resident_row(context, 8);
  pb_matrix N = number_at((double*)eights.data + 5);
  for (int i = 0; i < 8; ++i) ((double*)fours.data)[i] = 4;
  EXPECT_OK(edges_Scale(context, &fours, &eights));
  EXPECT_OK(edges_Fibonacci(context, &N, &S));
  EXPECT(sum == 21);
  EXPECT_OK(pb_matrix_destroy(context, &fours));
  EXPECT_OK(pb_matrix_destroy(context, &eights));

  EXPECT_OK(edges_Scale(context, &B, &A));
  if (statistics_of(context).bytes_to_device > 0) /* else the device works in this memory */
    EXPECT_STATUS(pb_matrix_changed(context, &A), PB_ERROR_ARGUMENT, "fetch them");
  EXPECT_OK(edges_Sum(on_cpu, &A, &S)); /* another context, without a device */
  EXPECT(sum == 4096.0 * (kNum * (kNum + 1) / 2 - 8));
  EXPECT_OK(edges_Scale(context, &A, &B));
  pb_context_destroy(context); /* the last one with a device */
  EXPECT_OK(edges_Sum(on_cpu, &B, &S));
  EXPECT(sum == 8192.0 * (kNum * (kNum + 1) / 2 - 8));

  /* A box of a plane, from and to parts of resident planes. */
  context = context_with(on_device(devices));
  pb_matrix planes[2] = {plane_of(NULL, 50, 40), plane_of(NULL, 60, 33)};
  for (int i = 0; i < 2; ++i) EXPECT_OK(pb_matrix_create(context, &planes[i]));
  float *from = planes[0].data, *to = planes[1].data;
  for (int i = 0; i < 50 * 40; ++i) from[i] = (float)(i % 19);
  for (int i = 0; i < 60 * 33; ++i) to[i] = -1;
  pb_matrix In = {from + 50 * 4 + 7, PB_FLOAT, 2, {40, 30}, {1, 50}}, Out = {to + 60 * 2 + 9, PB_FLOAT, 2, {38, 30}, {1, 60}};
  EXPECT_OK(edges_Blur(context, 2, &In, &Out));
  EXPECT_OK(edges_Blur(context, 3, &In, &Out));
  EXPECT_OK(pb_matrix_fetch(on_cpu, &planes[1]));
  for (int y = 0; y < 33; ++y)
    for (int x = 0; x < 60; ++x) {
      const float* const at = from + 50 * (y - 2 + 4) + (x - 9 + 7);
      const int is_written = 2 <= y && y < 32 && 9 <= x && x < 47;
      EXPECT(to[60 * y + x] == (is_written ? 3 * (at[0] + at[1] + at[2]) : -1));
    }
  pb_context_destroy(context);
  for (int i = 0; i < 2; ++i) EXPECT_OK(pb_matrix_destroy(on_cpu, &planes[i]));

  pb_matrix beyond = A;
  beyond.extents[0] = kNum + 1;
  EXPECT_STATUS(edges_Sum(on_cpu, &beyond, &S), PB_ERROR_ARGUMENT, "partly");
  EXPECT_STATUS(pb_matrix_fetch(on_cpu, &P), PB_ERROR_ARGUMENT, "does not lie in memory of pb_matrix_create");
  EXPECT_STATUS(pb_matrix_destroy(on_cpu, &P), PB_ERROR_ARGUMENT, "none of pb_matrix_create");
  EXPECT_STATUS(pb_matrix_create(on_cpu, NULL), PB_ERROR_ARGUMENT, "null");
  pb_matrix nothing = row_of(NULL, 0);
  EXPECT_OK(pb_matrix_create(on_cpu, &nothing));
  EXPECT_OK(pb_matrix_changed(on_cpu, &nothing));
  EXPECT_OK(pb_matrix_destroy(on_cpu, &nothing));
  pb_matrix again = A;
  EXPECT_OK(pb_matrix_destroy(on_cpu, &A));
  EXPECT_STATUS(pb_matrix_destroy(on_cpu, &again), PB_ERROR_ARGUMENT, "destroyed before");
  EXPECT_OK(pb_matrix_destroy(on_cpu, &B));
  pb_context_destroy(on_cpu);
}

/* A part of `whole`: any offset, every cell or every other one, forwards or backwards. */
static pb_matrix random_part(const pb_matrix* whole, int64_t n) {
  const int64_t step = 1 + rand() % 2, first = rand() % (whole->extents[0] - step * (n - 1));
  pb_matrix part = row_of((double*)whole->data + first, n);
  part.strides[0] = step;
  if (rand() % 4 != 0) return part;
  part.data = (double*)part.data + step * (n - 1);
  part.strides[0] = -step;
  return part;
}

/* Random calls on device and CPU, and changes by the host, give what the same steps give in plain memory. */
static void test_resident_at_random(void) {
  enum { kRows = 3, kNum = 300, kSteps = 400 };
  const char* const devices[] = {"0"};
  pb_context* contexts[2] = {context_with(on_device(devices)), context_on(1)};
  pb_matrix rows[kRows];
  static double wanted[kRows][kNum];
  for (int r = 0; r < kRows; ++r) {
    rows[r] = resident_row(contexts[0], kNum);
    memset(rows[r].data, 0, sizeof wanted[r]);
  }
  srand(5);
  for (int step = 0; step < kSteps; ++step) {
    const int64_t n = 1 + rand() % (kNum / 2);
    const int from = rand() % kRows, to = rand() % kRows, operation = rand() % 4;
    pb_context* context = contexts[rand() % 2];
    pb_matrix A = random_part(&rows[from], n), B = random_part(&rows[to], n);
    double* const a = wanted[from] + ((double*)A.data - (double*)rows[from].data);
    double* const b = wanted[to] + ((double*)B.data - (double*)rows[to].data);
    double results[kNum];
    for (int64_t i = 0; i < n; ++i) {
      const double left = a[i * A.strides[0]], right = b[i * B.strides[0]];
      results[i] = operation == 0 ? 2 * left : operation == 1 ? right + left : operation == 2 ? step + (double)i : right;
    }
    for (int64_t i = 0; i < n; ++i) b[i * B.strides[0]] = results[i];
    if (operation == 0) {
      EXPECT_OK(edges_Scale(context, &A, &B));
    } else if (operation == 1) {
      EXPECT_OK(edges_Add(context, &A, &B));
    } else {
      EXPECT_OK(pb_matrix_fetch(context, &B));
      for (int64_t i = 0; operation == 2 && i < n; ++i) ((double*)B.data)[i * B.strides[0]] = results[i];
      if (operation == 2) EXPECT_OK(pb_matrix_changed(context, &B));
      for (int64_t i = 0; i < n; ++i) EXPECT(((double*)B.data)[i * B.strides[0]] == results[i]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    EXPECT_OK(pb_matrix_fetch(contexts[0], &rows[r]));
    EXPECT(memcmp(rows[r].data, wanted[r], sizeof wanted[r]) == 0);
    EXPECT_OK(pb_matrix_destroy(contexts[1], &rows[r]));
  }
  for (int i = 0; i < 2; ++i) pb_context_destroy(contexts[i]);
}

typedef struct {
  pb_context* on_cpu;
  pb_matrix rows[2];
} Visitor;

static void* come_and_go(void* visitor) {
  const char* const devices[] = {"0"};
  Visitor* me = visitor;
  double* const last = (double*)me->rows[1].data + 99;
  for (int round = 0; round < 20; ++round) {
    pb_context* context = context_with(on_device(devices));
    EXPECT_OK(edges_Scale(context, &me->rows[0], &me->rows[1]));
    pb_context_destroy(context);
    EXPECT_OK(pb_matrix_fetch(me->on_cpu, &me->rows[1]));
    EXPECT(*last == 198);
    *last = 0;
    EXPECT_OK(pb_matrix_changed(me->on_cpu, &me->rows[1]));
  }
  return NULL;
}

/* The device ends with its last context, while others use what it has left. */
static void test_resident_while_devices_end(void) {
  pthread_t threads[2];
  Visitor visitors[2];
  for (int i = 0; i < 2; ++i) {
    visitors[i].on_cpu = context_on(1);
    for (int r = 0; r < 2; ++r) visitors[i].rows[r] = resident_row(visitors[i].on_cpu, 100);
    for (int k = 0; k < 100; ++k) ((double*)visitors[i].rows[0].data)[k] = k;
    pthread_create(&threads[i], NULL, come_and_go, &visitors[i]);
  }
  for (int i = 0; i < 2; ++i) {
    double sum;
    pb_matrix S = {&sum, PB_DOUBLE, 0, {0}, {0}};
    pthread_join(threads[i], NULL);
    EXPECT_OK(edges_Sum(visitors[i].on_cpu, &visitors[i].rows[1], &S));
    EXPECT(sum == 2 * 4950.0 - 198);
    for (int r = 0; r < 2; ++r) EXPECT_OK(pb_matrix_destroy(visitors[i].on_cpu, &visitors[i].rows[r]));
    pb_context_destroy(visitors[i].on_cpu);
  }
}

/* Prints the nanoseconds of a call for 16 elements. */
static void test_overhead(void) {
  enum { kCalls = 100000, kRounds = 15 };
  double a[16], b[16], best = 1e9;
  fill(a, 16);
  pb_matrix A = row_of(a, 16), B = row_of(b, 16);
  pb_context* context = context_on(1);
  for (int round = 0; round < kRounds; ++round) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < kCalls; ++i) {
      const pb_status status = edges_Scale(context, &A, &B);
      if (status.code != PB_OK) exit(1);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double ns = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / kCalls;
    if (ns < best) best = ns;
  }
  printf("%.0f\n", best);
  pb_context_destroy(context);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } kTests[] = {{"calls", test_calls},
                {"layouts", test_layouts},
                {"errors", test_errors},
                {"options", test_options},
                {"tables", test_tables},
                {"extents", test_extents},
                {"threads", test_threads},
                {"cancellation", test_cancellation},
                {"fork", test_fork},
                {"growth", test_growth},
                {"host", test_host_is_left_alone},
                {"device", test_device},
                {"device_settings", test_device_settings},
                {"device_faults", test_device_faults},
                {"threads_on_device", test_threads_on_device},
                {"resident", test_resident},
                {"resident_at_random", test_resident_at_random},
                {"resident_while_devices_end", test_resident_while_devices_end},
                {"overhead", test_overhead}};
  for (size_t i = 0; argc == 2 && i < sizeof kTests / sizeof kTests[0]; ++i) {
    if (strcmp(argv[1], kTests[i].name) != 0) continue;
    kTests[i].run();
    return num_faults != 0;
  }
  fprintf(stderr, "usage: host TEST\n");
  return 2;
}
