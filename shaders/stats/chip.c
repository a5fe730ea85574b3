//go:build cgo && linux

// Compute pipelines on a Vulkan device with VK_KHR_pipeline_executable_properties, as wgpu makes them: buffers are
// robust, the uniform block has a dynamic offset. Nothing is ever submitted.
#include "chip.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan.h"

void *__real_dlsym(void *library, const char *name); // the linker's own: nothing is to be captured here

static VkThing device;
static VkGetProcAddr fromDevice;

typedef VkResult (*createInstance)(const VkInstanceInfo *, const void *, VkThing *);
typedef VkResult (*listDevices)(VkThing, uint32_t *, VkThing *);
typedef void (*properties)(VkThing, VkProperties *);
typedef VkResult (*createDevice)(VkThing, const VkDeviceInfo *, const void *, VkThing *);
typedef VkResult (*createPipelines)(
	VkThing, VkHandle, uint32_t, const VkComputePipelineInfo *, const void *, VkHandle *);
typedef VkResult (*listOf)(VkThing, const VkExecutableInfo *, uint32_t *, void *);
typedef void (*destroy)(VkThing, VkHandle, const void *);

const char *chip_open(uint32_t vendor) {
	void *library = dlopen("libvulkan.so.1", RTLD_NOW);
	if (!library) return "no libvulkan.so.1";
	VkGetProcAddr get = (VkGetProcAddr)__real_dlsym(library, "vkGetInstanceProcAddr");
	VkApplicationInfo application = {.type = VK_APPLICATION_INFO, .api = VK_API_1_1};
	VkInstanceInfo info = {.type = VK_INSTANCE_INFO, .application = &application};
	VkThing instance;
	if (((createInstance)get(NULL, "vkCreateInstance"))(&info, NULL, &instance)) return "no Vulkan instance";

	VkThing all[16], chosen = NULL;
	uint32_t count = 16;
	((listDevices)get(instance, "vkEnumeratePhysicalDevices"))(instance, &count, all);
	for (uint32_t i = 0; i < count && !chosen; i++) {
		VkProperties p;
		((properties)get(instance, "vkGetPhysicalDeviceProperties"))(all[i], &p);
		if (p.vendor == vendor) chosen = all[i];
	}
	if (!chosen) return "no such device";

	const char *extensions[] = {
		"VK_KHR_pipeline_executable_properties", "VK_EXT_robustness2", "VK_KHR_zero_initialize_workgroup_memory"};
	VkFeatures executables = {VK_EXECUTABLE_FEATURES, NULL, {1}};
	VkFeatures robust = {VK_ROBUSTNESS_FEATURES, &executables, {1, 0, 0}};
	VkFeatures zeros = {VK_ZERO_WORKGROUP_FEATURES, &robust, {1}};
	VkBool features[55] = {1};
	float priority = 1;
	VkQueueInfo queue = {.type = VK_QUEUE_INFO, .count = 1, .priorities = &priority};
	VkDeviceInfo made = {
		.type = VK_DEVICE_INFO, .next = &zeros, .queue_count = 1, .queues = &queue,
		.extension_count = 3, .extensions = extensions, .features = features,
	};
	if (((createDevice)get(instance, "vkCreateDevice"))(chosen, &made, NULL, &device))
		return "the device has no statistics of pipelines, or no robust buffers";
	fromDevice = (VkGetProcAddr)get(instance, "vkGetDeviceProcAddr");
	return NULL;
}

static VkResult create(const char *what, const void *info, VkHandle *made) {
	return ((VkCreate)fromDevice(device, what))(device, info, NULL, made);
}

static void drop(const char *what, VkHandle h) {
	if (h) ((destroy)fromDevice(device, what))(device, h, NULL);
}

// asked reads what the compiler says of a pipeline's one executable.
static const char *asked(VkHandle pipeline, chip_pipeline *out) {
	VkExecutableInfo info = {VK_PIPELINE_INFO, NULL, pipeline, 0};
	VkExecutable executable = {.type = VK_EXECUTABLE_PROPERTIES};
	uint32_t count = 1;
	if (((listOf)fromDevice(device, "vkGetPipelineExecutablePropertiesKHR"))(device, &info, &count, &executable))
		return "a compute pipeline has more than one executable";
	out->subgroup = executable.subgroup;

	info.type = VK_EXECUTABLE_INFO;
	VkStatistic statistics[CHIP_STATISTICS] = {0};
	for (int i = 0; i < CHIP_STATISTICS; i++) statistics[i].type = VK_EXECUTABLE_STATISTIC;
	count = CHIP_STATISTICS;
	if (((listOf)fromDevice(device, "vkGetPipelineExecutableStatisticsKHR"))(device, &info, &count, statistics))
		return "more statistics than there is room for";
	out->count = count;
	for (uint32_t i = 0; i < count; i++) {
		VkStatistic *s = &statistics[i];
		memcpy(out->statistics[i].name, s->name, sizeof s->name);
		double values[] = {s->value.b, s->value.i, s->value.u, s->value.f};
		out->statistics[i].value = values[s->format];
	}

	VkText texts[8] = {0};
	for (int i = 0; i < 8; i++) texts[i].type = VK_EXECUTABLE_TEXT;
	count = 8;
	listOf list = (listOf)fromDevice(device, "vkGetPipelineExecutableInternalRepresentationsKHR");
	if (list(device, &info, &count, texts)) return "more texts than there is room for";
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(texts[i].name, "Assembly") == 0) texts[i].data = out->code = calloc(texts[i].bytes + 1, 1);
	list(device, &info, &count, texts); // gives VK_INCOMPLETE for those that are not wanted
	return NULL;
}

const char *chip_compile(const uint32_t *code, size_t bytes, int storage, chip_pipeline *out) {
	VkBinding bindings[16] = {{0, VK_UNIFORM_BUFFER_DYNAMIC, 1, VK_STAGE_COMPUTE, NULL}};
	for (int i = 1; i <= storage; i++)
		bindings[i] = (VkBinding){i, VK_STORAGE_BUFFER, 1, VK_STAGE_COMPUTE, NULL};
	VkSetLayoutInfo set = {.type = VK_SET_LAYOUT_INFO, .count = storage + 1, .bindings = bindings};
	VkHandle sets = 0, layout = 0, module = 0, pipeline = 0;
	VkPipelineLayoutInfo shape = {.type = VK_PIPELINE_LAYOUT_INFO, .set_count = 1, .sets = &sets};
	VkModuleInfo text = {.type = VK_MODULE_INFO, .bytes = bytes, .code = code};
	const char *wrong = NULL;
	if (create("vkCreateDescriptorSetLayout", &set, &sets) || create("vkCreatePipelineLayout", &shape, &layout) ||
		create("vkCreateShaderModule", &text, &module))
		wrong = "the driver refuses the shader";
	if (!wrong) {
		VkComputePipelineInfo info = {
			.type = VK_COMPUTE_PIPELINE_INFO, .flags = VK_CAPTURE_STATISTICS | VK_CAPTURE_TEXTS,
			.stage = {.type = VK_STAGE_INFO, .stage = VK_STAGE_COMPUTE, .module = module, .entry = "main"},
			.layout = layout, .base_index = -1,
		};
		if (((createPipelines)fromDevice(device, "vkCreateComputePipelines"))(device, 0, 1, &info, NULL, &pipeline))
			wrong = "the driver does not compile the shader";
	}
	if (!wrong) wrong = asked(pipeline, out);
	drop("vkDestroyPipeline", pipeline);
	drop("vkDestroyShaderModule", module);
	drop("vkDestroyPipelineLayout", layout);
	drop("vkDestroyDescriptorSetLayout", sets);
	return wrong;
}
