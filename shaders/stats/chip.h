// A GPU's compiler without the GPU: see chip.c.
#include <stddef.h>
#include <stdint.h>

enum { CHIP_STATISTICS = 32 };

typedef struct {
	char name[256];
	double value;
} chip_statistic;

typedef struct {
	int count;
	chip_statistic statistics[CHIP_STATISTICS];
	uint32_t subgroup;
	char *code; // the chip's own, as text; the caller frees it; NULL: there is none
} chip_pipeline;

// Opens the first Vulkan device of a vendor. It returns NULL, or what went wrong.
const char *chip_open(uint32_t vendor);

// Compiles a compute shader whose bindings are a uniform block at a dynamic offset and so many storage buffers.
const char *chip_compile(const uint32_t *code, size_t bytes, int storage, chip_pipeline *out);
