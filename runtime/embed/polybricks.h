/* SPDX-License-Identifier: MIT
 *
 * The C interface of libraries that `pbc --library` makes. A generated header `NAME.h` includes it and declares a
 * function for each transform. How to use it: docs/library.md. It is C99, and C++ may include it, too.
 *
 * No function here ends the process or installs a signal handler. All may be called from any thread.
 */
#ifndef POLYBRICKS_H
#define POLYBRICKS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A library of another version is refused when a context is made. */
#define PB_INTERFACE 3
#define PB_MAX_RANK 9

typedef enum pb_code {
  PB_OK = 0,
  PB_ERROR_ARGUMENT = 1,      /* null, or rank, extents, strides or element type do not fit the header */
  PB_ERROR_CONFIGURATION = 2, /* a configuration cannot be read, or does not fit the program */
  PB_ERROR_DEVICE = 3,        /* a device is missing, or failed */
  PB_ERROR_MEMORY = 4,        /* the system gives no memory, or no threads */
  PB_ERROR_CANCELLED = 5,     /* pb_context_cancel was called meanwhile */
  PB_ERROR_FORKED = 6,        /* the process was forked after it had made a context */
  PB_ERROR_RUN = 7            /* a rule failed: a cell that no rule computes, an exception, a failed JASSERT */
} pb_code;

/* The result of a function. If `code` is not PB_OK, `message` is one line that says why. */
typedef struct pb_status {
  pb_code code;
  char message[508];
} pb_status;

typedef enum pb_element {
  PB_DOUBLE = 0,
  PB_FLOAT = 1,
  PB_INT = 2,  /* 32 bits */
  PB_LONG = 3, /* 64 bits */
  PB_SHORT = 4,
  PB_UCHAR = 5,
  PB_USHORT = 6
} pb_element;

/* A matrix in memory of the caller. Dimension 0 is the header's first, as in `In[w, h]`: w. Strides count elements;
 * strides that are all 0 mean a dense matrix whose dimension 0 is the fastest. Of rank 0 it is one number. */
typedef struct pb_matrix {
  void* data; /* the cell (0, …, 0); a transform does not write to its inputs */
  pb_element element;
  int32_t rank;
  int64_t extents[PB_MAX_RANK];
  int64_t strides[PB_MAX_RANK];
} pb_matrix;

/* What a transform's header says about a matrix. */
typedef struct pb_argument {
  const char* name;
  pb_element element;
  int32_t rank;
  const char* const* extents; /* `rank` formulas, as "w" and "h" */
  int32_t is_read;            /* of an output: rules may read what the caller has put there; of an input it is 1 */
} pb_argument;

/* A transform: the arguments of its function are numbers, then matrices, inputs before outputs. */
typedef struct pb_transform {
  const char* name;
  const char* const* numbers; /* names of `param`s that no matrix determines */
  int32_t num_numbers;
  int32_t num_inputs;
  int32_t num_outputs;
  const pb_argument* arguments; /* inputs, then outputs */
  const char* documentation;    /* the comment above the transform, without its signs; "" if there is none */
} pb_transform;

/* How a context works. All members may be 0. */
typedef struct pb_options {
  const char* configuration_file; /* as pbtune writes it; null: the defaults of the program */
  const char* configuration_text; /* the text of such a file */
  const char* const* devices;     /* each an index or a part of a name; or one that is "none" or "all" */
  size_t num_devices;             /* 0: a device only if the configuration wants one */
  int32_t threads;                /* 0: as the configuration says */
  int32_t is_strict;              /* a version that was chosen and cannot run is an error */
  uint64_t seed;                  /* of random numbers */
  /* How devices are used, by all contexts: one that names other values than devices in use have is an error, and one
     that names none takes these. */
  uint64_t device_memory;  /* the most bytes that are used on each device; 0: what the library chooses */
  double device_limit;     /* seconds after which an operation of a device counts as hung; 0: it may take any time */
  int32_t verifies_device; /* each step of a device also runs on the CPU, and the results are compared */
} pb_options;

/* Settings for calls of transforms. Several threads may use one context at the same time. */
typedef struct pb_context pb_context;

/* What the device of a context did since it was opened, for all contexts that use it. */
typedef struct pb_statistics {
  int64_t kernels; /* executions */
  int64_t bytes_to_device;
  int64_t bytes_to_host;
} pb_statistics;

/* A library. Its members are for the functions below. */
typedef struct pb_library {
  int32_t interface;
  int32_t num_transforms;
  const char* name;
  const pb_transform* transforms;
  pb_status (*create)(const struct pb_library* library, const pb_options* options, pb_context** context);
  void (*destroy)(pb_context* context);
  pb_status (*cancel)(pb_context* context);
  pb_status (*call)(pb_context* context, int32_t transform, const int64_t* numbers, const pb_matrix* const* arguments);
  pb_status (*output_extents)(pb_context* context, int32_t transform, const int64_t* numbers,
                              const pb_matrix* const* inputs, int64_t* extents);
  pb_status (*create_matrix)(pb_context* context, pb_matrix* matrix);
  pb_status (*destroy_matrix)(pb_context* context, pb_matrix* matrix);
  pb_status (*fetch_matrix)(pb_context* context, const pb_matrix* matrix);
  pb_status (*change_matrix)(pb_context* context, const pb_matrix* matrix);
  pb_status (*statistics)(pb_context* context, pb_statistics* statistics);
} pb_library;

/* The first member of each context. */
struct pb_context {
  const pb_library* library;
};

/* Makes a context of `library`; `options` may be null. On failure `*context` is null. */
static inline pb_status pb_context_create(const pb_library* library, const pb_options* options, pb_context** context) {
  pb_status status = {PB_ERROR_ARGUMENT, ""};
  if (context != NULL) *context = NULL;
  if (library == NULL || context == NULL) {
    snprintf(status.message, sizeof status.message, "pb_context_create: the library or the result is null");
    return status;
  }
  if (library->interface != PB_INTERFACE) {
    snprintf(status.message, sizeof status.message, "the library has version %d of the interface, the caller has %d",
             (int)library->interface, PB_INTERFACE);
    return status;
  }
  return library->create(library, options, context);
}

/* Ends a context; null is ignored. No call may be in progress. In the child of a fork it does nothing. */
static inline void pb_context_destroy(pb_context* context) {
  if (context != NULL) context->library->destroy(context);
}

/* Ends the calls of this context that are in progress: they return PB_ERROR_CANCELLED when the bodies that run have
 * ended. Their outputs are undefined. Later calls run as usual. */
static inline pb_status pb_context_cancel(pb_context* context) {
  pb_status status = {PB_ERROR_ARGUMENT, "pb_context_cancel: the context is null"};
  return context == NULL ? status : context->library->cancel(context);
}

/* Calls the transform of this number in `library->transforms`, as its function does. */
static inline pb_status pb_call(pb_context* context, int32_t transform, const int64_t* numbers,
                                const pb_matrix* const* arguments) {
  pb_status status = {PB_ERROR_ARGUMENT, "pb_call: the context is null"};
  return context == NULL ? status : context->library->call(context, transform, numbers, arguments);
}

/* Writes the extents that the outputs of a call with these numbers and inputs have: those of the first output from
 * dimension 0 on, then those of the next. It is an error if only an output can say how large it is. */
static inline pb_status pb_output_extents(pb_context* context, int32_t transform, const int64_t* numbers,
                                          const pb_matrix* const* inputs, int64_t* extents) {
  pb_status status = {PB_ERROR_ARGUMENT, "pb_output_extents: the context is null"};
  return context == NULL ? status : context->library->output_extents(context, transform, numbers, inputs, extents);
}

/* Makes memory for a dense matrix, which may stay on devices between calls. Element type, rank and extents are given;
 * `data` and `strides` are filled in. The memory is no context's own: the contexts of all libraries that share a
 * runtime know it. A call that is given this matrix, or a part of it, leaves results where they are. */
static inline pb_status pb_matrix_create(pb_context* context, pb_matrix* matrix) {
  pb_status status = {PB_ERROR_ARGUMENT, "pb_matrix_create: the context is null"};
  return context == NULL ? status : context->library->create_matrix(context, matrix);
}

/* Frees what pb_matrix_create has made. No call that uses it may be in progress. */
static inline pb_status pb_matrix_destroy(pb_context* context, pb_matrix* matrix) {
  pb_status status = {PB_ERROR_ARGUMENT, "pb_matrix_destroy: the context is null"};
  return context == NULL ? status : context->library->destroy_matrix(context, matrix);
}

/* Brings cells of such a matrix, or of a part of it, to `data`, where the host may read and write them until the next
 * call that writes them. */
static inline pb_status pb_matrix_fetch(pb_context* context, const pb_matrix* matrix) {
  pb_status status = {PB_ERROR_ARGUMENT, "pb_matrix_fetch: the context is null"};
  return context == NULL ? status : context->library->fetch_matrix(context, matrix);
}

/* Says that the host wrote cells of such a matrix, or of a part of it. What a call has written must be fetched before.
 */
static inline pb_status pb_matrix_changed(pb_context* context, const pb_matrix* matrix) {
  pb_status status = {PB_ERROR_ARGUMENT, "pb_matrix_changed: the context is null"};
  return context == NULL ? status : context->library->change_matrix(context, matrix);
}

/* What the context's device did; 0 without a device. */
static inline pb_status pb_context_statistics(pb_context* context, pb_statistics* statistics) {
  pb_status status = {PB_ERROR_ARGUMENT, "pb_context_statistics: the context is null"};
  return context == NULL ? status : context->library->statistics(context, statistics);
}

#ifdef __cplusplus
}
#endif

#endif
