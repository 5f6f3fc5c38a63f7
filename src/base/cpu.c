// x86-64-v3 and -v4 are the levels that compilers and distributions go by (System V ABI, AMD64 supplement,
// section 3.1.1): AVX2 with its companions, and AVX-512 with its.
#include "base/cpu.h"

#include <billow/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CpuEntry {
    const char *name;
    bool is_built;
} CpuEntry;

static const CpuEntry entries[BW_CPU_COUNT] = {
#ifdef BW_NATIVE
    [BW_CPU_BASELINE] = {"native", true},
#else
    [BW_CPU_BASELINE] = {"baseline", true},
#endif
    [BW_CPU_V3] = {"v3", BW_HAS_V3},
    [BW_CPU_V4] = {"v4", BW_HAS_V4},
    [BW_CPU_SCALAR] = {"scalar", BW_HAS_SCALAR},
};

static bool processor_has(BwCpu cpu)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    return cpu == BW_CPU_V3 ? has_v3 : cpu == BW_CPU_V4 ? has_v4 : true;
#else
    return cpu == BW_CPU_BASELINE || cpu == BW_CPU_SCALAR;
#endif
}

static bool is_to_be_had(BwCpu cpu)
{
    return entries[cpu].is_built && processor_has(cpu);
}

static BwResult fail_name(const char *name, BwCpu best, BwError *err)
{
    char known[128] = "";
    for (int n = 0; n < BW_CPU_COUNT; n++)
        if (is_to_be_had((BwCpu)n))
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", n > 0 ? ", " : "",
                     entries[n].name);
    return bw_fail(err, BW_ERR_DEF, "BILLOW_CPU is \"%s\"; known to this build and processor: %s; unset: %s",
                   name, known, entries[best].name);
}

BwResult bw_cpu_choose(BwCpu *cpu, BwError *err)
{
    const char *name = getenv("BILLOW_CPU");
    *cpu = is_to_be_had(BW_CPU_V4) ? BW_CPU_V4 : is_to_be_had(BW_CPU_V3) ? BW_CPU_V3 : BW_CPU_BASELINE;
    if (name == NULL || name[0] == '\0')
        return BW_OK;
    for (int n = 0; n < BW_CPU_COUNT; n++)
        if (strcmp(name, entries[n].name) == 0 && is_to_be_had((BwCpu)n)) {
            *cpu = (BwCpu)n;
            return BW_OK;
        }
    return fail_name(name, *cpu, err);
}

const char *bw_instruction_set(void)
{
    BwCpu cpu;
    return bw_cpu_choose(&cpu, NULL) == BW_OK ? entries[cpu].name : "unknown";
}
