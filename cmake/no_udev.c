// SPDX-License-Identifier: MIT
// hwloc's static library asks udev for names of disks and network cards, which no program
// of ours needs. Saying that there is no udev makes hwloc read the rest from /sys, and
// compiled programs start on machines without libudev.
struct udev;
struct udev_device;

struct udev *udev_new(void);
struct udev *udev_unref(struct udev *udev);
struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem, const char *name);
const char *udev_device_get_property_value(struct udev_device *device, const char *key);
struct udev_device *udev_device_unref(struct udev_device *device);

struct udev *udev_new(void) { return 0; }

struct udev *udev_unref(struct udev *udev) {
  (void)udev;
  return 0;
}

struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem, const char *name) {
  (void)udev, (void)subsystem, (void)name;
  return 0;
}

const char *udev_device_get_property_value(struct udev_device *device, const char *key) {
  (void)device, (void)key;
  return 0;
}

struct udev_device *udev_device_unref(struct udev_device *device) {
  (void)device;
  return 0;
}
