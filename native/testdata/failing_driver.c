// A Vulkan driver for tests: it hands everything on to the driver FAIL_DRIVER, but from the FAIL_AFTER-th time on the
// call FAIL_CALL does nothing and returns FAIL_RESULT (-4: device lost, -2: out of device memory); and where
// FAIL_STORAGE is set, storage buffers are limited to so many bytes; and where FAIL_TYPE is set, the device says that
// it is of that type (2: a GPU of its own). It needs no Vulkan headers: only the first fields of two structs are
// touched.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function)(void);
typedef function (*lookup)(void *, const char *);
typedef long (*call)(void *, void *, void *, void *, void *);

static lookup next_instance, next_device;
static call next_call;
static void (*next_properties)(void *, char *), (*next_properties2)(void *, char *);
static int calls;

static int number(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

static void *driver(const char *name) {
  static void *library;
  if (!library) library = dlopen(getenv("FAIL_DRIVER"), RTLD_NOW);
  return library ? dlsym(library, name) : 0;
}

static long fail(void *a, void *b, void *c, void *d, void *e) {
  if (calls++ >= number("FAIL_AFTER")) return number("FAIL_RESULT");
  return next_call(a, b, c, d, e);
}

// VkPhysicalDeviceProperties: 5 numbers, the last of which is the type, 256 bytes of name, 16 of identity, then
// aligned to 8 the limits, of which maxStorageBufferRange is the eighth number.
static void limit(char *properties) {
  uint32_t most = number("FAIL_STORAGE");
  uint32_t type = number("FAIL_TYPE");
  if (most) memcpy(properties + 296 + 28, &most, sizeof most);
  if (type) memcpy(properties + 16, &type, sizeof type);
}

static void properties(void *device, char *out) {
  next_properties(device, out);
  limit(out);
}

static void properties2(void *device, char *out) { // a type and a pointer stand before the properties
  next_properties2(device, out);
  limit(out + 16);
}

static function mine(const char *name, function f);

static function device_function(void *device, const char *name) { return mine(name, next_device(device, name)); }

static function mine(const char *name, function f) {
  const char *failing = getenv("FAIL_CALL");
  if (!f) return f;
  if (!strcmp(name, "vkGetDeviceProcAddr")) {
    next_device = (lookup)f;
    return (function)device_function;
  }
  if (!strcmp(name, "vkGetPhysicalDeviceProperties")) {
    next_properties = (void (*)(void *, char *))f;
    return (function)properties;
  }
  if (!strncmp(name, "vkGetPhysicalDeviceProperties2", 30)) {
    next_properties2 = (void (*)(void *, char *))f;
    return (function)properties2;
  }
  if (failing && !strcmp(name, failing)) {
    next_call = (call)f;
    return (function)fail;
  }
  return f;
}

function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
  if (!next_instance) next_instance = (lookup)driver("vk_icdGetInstanceProcAddr");
  return next_instance ? mine(name, next_instance(instance, name)) : 0;
}

int vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  int (*f)(uint32_t *) = (int (*)(uint32_t *))driver("vk_icdNegotiateLoaderICDInterfaceVersion");
  return f ? f(version) : -3;
}

function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
  lookup f = (lookup)driver("vk_icdGetPhysicalDeviceProcAddr");
  return f ? mine(name, f(instance, name)) : 0;
}
