//go:build cgo && !darwin && !js

package webgpu

/*
#cgo linux LDFLAGS: -ldl
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define OPEN() LoadLibraryA("vulkan-1.dll")
#define FIND(library, name) GetProcAddress(library, name)
#else
#include <dlfcn.h>
#define OPEN() dlopen("libvulkan.so.1", RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#endif

// What is needed of Vulkan's interface, without its headers, which a machine that builds this may lack.
typedef struct {
	uint32_t kind;
	const void *next;
	const char *name;
	uint32_t version;
	const char *engine;
	uint32_t engineVersion, interfaceVersion;
} application;
typedef struct {
	uint32_t kind;
	const void *next;
	uint32_t flags;
	const application *app;
	uint32_t layers;
	const char *const *layerNames;
	uint32_t extensions;
	const char *const *extensionNames;
} instanceInfo;
typedef struct { // VkPhysicalDeviceDriverProperties
	uint32_t kind;
	void *next;
	uint32_t id;
	char name[256], info[256];
	uint8_t conformance[4];
} driverProperties;
typedef struct { // VkPhysicalDeviceProperties2; the name stands behind five numbers
	uint32_t kind;
	void *next;
	uint32_t numbers[5];
	char name[256];
	char rest[2048];
} deviceProperties;

typedef void (*function)(void);
typedef function (*lookup)(void *, const char *);

enum { most = 16 };

// driver writes what the driver of a device calls itself, or nothing.
static void driver(const char *adapter, char *out, int size) {
	void *library = OPEN(), *instance = 0, *devices[most];
	uint32_t n = most;
	out[0] = 0;
	if (!library) return;
	lookup find = (lookup)FIND(library, "vkGetInstanceProcAddr");
	if (!find) return;
	application app = {.interfaceVersion = 1 << 22 | 1 << 12};
	instanceInfo info = {.kind = 1, .app = &app};
	int (*create)(const instanceInfo *, void *, void **) = (void *)find(0, "vkCreateInstance");
	if (!create || create(&info, 0, &instance)) return;
	int (*list)(void *, uint32_t *, void **) = (void *)find(instance, "vkEnumeratePhysicalDevices");
	void (*describe)(void *, deviceProperties *) = (void *)find(instance, "vkGetPhysicalDeviceProperties2");
	void (*destroy)(void *, void *) = (void *)find(instance, "vkDestroyInstance");
	int failed = !list || !describe || list(instance, &n, devices) < 0;
	for (uint32_t i = 0; !failed && i < n; i++) {
		driverProperties of = {.kind = 1000196000};
		deviceProperties p = {.kind = 1000059001, .next = &of};
		describe(devices[i], &p);
		if (strcmp(p.name, adapter)) continue;
		snprintf(out, size, "%s%s%s", of.name, of.info[0] ? ", " : "", of.info);
		break;
	}
	if (destroy) destroy(instance, 0);
}
*/
import "C"

import "unsafe"

// Driver is what the Vulkan driver of an adapter calls itself, with its version, as in "NVIDIA, 550.54.14"; empty
// where it does not tell, or the adapter is Direct3D's.
func Driver(adapter string) string {
	name := C.CString(adapter)
	defer C.free(unsafe.Pointer(name))
	var text [600]C.char
	C.driver(name, &text[0], C.int(len(text)))
	return C.GoString(&text[0])
}
