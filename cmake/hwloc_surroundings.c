/* SPDX-License-Identifier: MIT */
/* What Debian's libhwloc.a would use of a machine, in place of which it gets this. The build links a copy of it, in which
 * some symbols have other names (PbHwloc.cmake).
 *
 * Data of the C library: libhwloc.a is not compiled for shared libraries, where code may refer directly only to data of
 * the library itself.
 * dlopen: hwloc's plugins (OpenCL, PCI, GL) cost more than all the rest, and would open device drivers.
 * udev: it names disks and network cards, which no program of ours needs. Without it hwloc reads the rest from /sys, and
 * programs start on machines without libudev. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

FILE* pbrt_hwloc_stderr;
FILE* pbrt_hwloc_stdout;
char* pbrt_hwloc_program_invocation_name;

__attribute__((constructor)) static void copy_data(void) {
  pbrt_hwloc_stderr = stderr;
  pbrt_hwloc_stdout = stdout;
  pbrt_hwloc_program_invocation_name = program_invocation_name;
}

void* pbrt_hwloc_dlopen(const char* file, int flags);
void* pbrt_hwloc_dlopen(const char* file, int flags) {
  (void)file, (void)flags;
  return NULL;
}

struct udev;
struct udev_device;

struct udev* udev_new(void);
struct udev* udev_new(void) { return NULL; }

struct udev* udev_unref(struct udev* udev);
struct udev* udev_unref(struct udev* udev) {
  (void)udev;
  return NULL;
}

struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem, const char* name);
struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem, const char* name) {
  (void)udev, (void)subsystem, (void)name;
  return NULL;
}

const char* udev_device_get_property_value(struct udev_device* device, const char* key);
const char* udev_device_get_property_value(struct udev_device* device, const char* key) {
  (void)device, (void)key;
  return NULL;
}

struct udev_device* udev_device_unref(struct udev_device* device);
struct udev_device* udev_device_unref(struct udev_device* device) {
  (void)device;
  return NULL;
}
