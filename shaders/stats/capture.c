//go:build cgo && linux

// wgpu-native asks the linker for vkGetInstanceProcAddr. The binary is linked with --wrap=dlsym, so it asks here, and
// gets functions that copy the SPIR-V of each shader module before they hand it on to the driver.
#include <string.h>

#include "vulkan.h"

void *__real_dlsym(void *library, const char *name);
void captured(uint32_t *code, size_t bytes); // capture.go's

static VkGetProcAddr instanceProc, deviceProc;
static VkCreate createShaderModule;

static VkResult copied(VkThing device, const void *info, const void *allocator, VkHandle *module) {
	const VkModuleInfo *m = info;
	captured((uint32_t *)m->code, m->bytes);
	return createShaderModule(device, info, allocator, module);
}

static VkFunction fromDevice(VkThing device, const char *name) {
	VkFunction f = deviceProc(device, name);
	if (f && strcmp(name, "vkCreateShaderModule") == 0) {
		createShaderModule = (VkCreate)f;
		return (VkFunction)copied;
	}
	return f;
}

static VkFunction fromInstance(VkThing instance, const char *name) {
	VkFunction f = instanceProc(instance, name);
	if (f && strcmp(name, "vkGetDeviceProcAddr") == 0) {
		deviceProc = (VkGetProcAddr)f;
		return (VkFunction)fromDevice;
	}
	return f;
}

void *__wrap_dlsym(void *library, const char *name) {
	void *f = __real_dlsym(library, name);
	if (f && strcmp(name, "vkGetInstanceProcAddr") == 0) {
		instanceProc = (VkGetProcAddr)f;
		return (void *)fromInstance;
	}
	return f;
}
