// What of Vulkan 1.1 and VK_KHR_pipeline_executable_properties the C files here use, so that no -dev package is needed
// to build. Layouts and values are the specification's; names are shorter.
#include <stddef.h>
#include <stdint.h>

typedef uint64_t VkHandle;        // of an object that functions are not found by
typedef struct VkObject *VkThing; // an instance, a physical device or a device
typedef void (*VkFunction)(void);
typedef int32_t VkResult; // 0: success
typedef uint32_t VkBool;

typedef VkFunction (*VkGetProcAddr)(VkThing, const char *);

// Each structure begins so.
#define VK_HEAD \
	int32_t type; \
	const void *next

enum {
	VK_APPLICATION_INFO = 0,
	VK_INSTANCE_INFO = 1,
	VK_QUEUE_INFO = 2,
	VK_DEVICE_INFO = 3,
	VK_MODULE_INFO = 16,
	VK_STAGE_INFO = 18,
	VK_COMPUTE_PIPELINE_INFO = 29,
	VK_PIPELINE_LAYOUT_INFO = 30,
	VK_SET_LAYOUT_INFO = 32,
	VK_EXECUTABLE_FEATURES = 1000269000,
	VK_PIPELINE_INFO = 1000269001,
	VK_EXECUTABLE_PROPERTIES = 1000269002,
	VK_EXECUTABLE_INFO = 1000269003,
	VK_EXECUTABLE_STATISTIC = 1000269004,
	VK_EXECUTABLE_TEXT = 1000269005,
	VK_ROBUSTNESS_FEATURES = 1000286000,
	VK_ZERO_WORKGROUP_FEATURES = 1000325000,

	VK_STORAGE_BUFFER = 7,
	VK_UNIFORM_BUFFER_DYNAMIC = 8,
	VK_STAGE_COMPUTE = 0x20,
	VK_CAPTURE_STATISTICS = 0x40,
	VK_CAPTURE_TEXTS = 0x80,

	VK_API_1_1 = 1 << 22 | 1 << 12,
};

typedef struct {
	VK_HEAD;
	const char *application;
	uint32_t application_version;
	const char *engine;
	uint32_t engine_version, api;
} VkApplicationInfo;

typedef struct {
	VK_HEAD;
	uint32_t flags;
	const VkApplicationInfo *application;
	uint32_t layer_count;
	const char *const *layers;
	uint32_t extension_count;
	const char *const *extensions;
} VkInstanceInfo;

typedef struct {
	VK_HEAD;
	uint32_t flags, family, count;
	const float *priorities;
} VkQueueInfo;

typedef struct {
	VK_HEAD;
	uint32_t flags, queue_count;
	const VkQueueInfo *queues;
	uint32_t layer_count;
	const char *const *layers;
	uint32_t extension_count;
	const char *const *extensions;
	const VkBool *features; // 55 of them, the first robustBufferAccess
} VkDeviceInfo;

typedef struct {
	VK_HEAD;
	VkBool on[3]; // robustness: buffers, images, null descriptors; else only the first exists
} VkFeatures;

typedef struct {
	uint32_t api, driver, vendor, device;
	int32_t kind;
	char name[256];
	char rest[1024]; // more than there is
} VkProperties;

typedef struct {
	VK_HEAD;
	uint32_t flags;
	size_t bytes;
	const uint32_t *code;
} VkModuleInfo;

typedef struct {
	uint32_t binding;
	int32_t type;
	uint32_t count, stages;
	const void *samplers;
} VkBinding;

typedef struct {
	VK_HEAD;
	uint32_t flags, count;
	const VkBinding *bindings;
} VkSetLayoutInfo;

typedef struct {
	VK_HEAD;
	uint32_t flags, set_count;
	const VkHandle *sets;
	uint32_t constant_count;
	const void *constants;
} VkPipelineLayoutInfo;

typedef struct {
	VK_HEAD;
	uint32_t flags, stage;
	VkHandle module;
	const char *entry;
	const void *specialization;
} VkStageInfo;

typedef struct {
	VK_HEAD;
	uint32_t flags;
	VkStageInfo stage;
	VkHandle layout, base;
	int32_t base_index;
} VkComputePipelineInfo;

typedef struct {
	VK_HEAD;
	VkHandle pipeline;
	uint32_t executable; // not in VK_PIPELINE_INFO
} VkExecutableInfo;

typedef struct {
	VK_HEAD;
	uint32_t stages;
	char name[256], description[256];
	uint32_t subgroup;
} VkExecutable;

typedef struct {
	VK_HEAD;
	char name[256], description[256];
	int32_t format; // 0 VkBool, 1 int64, 2 uint64, 3 double
	union {
		VkBool b;
		int64_t i;
		uint64_t u;
		double f;
	} value;
} VkStatistic;

typedef struct {
	VK_HEAD;
	char name[256], description[256];
	VkBool text;
	size_t bytes;
	void *data;
} VkText;

typedef VkResult (*VkCreate)(VkThing, const void *info, const void *allocator, VkHandle *);
