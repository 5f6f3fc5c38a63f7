/// Ground shared by every part of Billow: results and error messages, the allocator a host may replace,
/// the log hook, and the version. Nothing here knows of fluids.
/// ```c
/// printf("Billow %s\n", bw_version());
/// BwError err = {BW_ERR_FILE, "no such file"}; // what a call that fails leaves
/// if (err.code != BW_OK)
///     fprintf(stderr, "%s: %s\n", bw_result_text(err.code), err.message);
/// ```
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BW_VERSION_MAJOR 0
#define BW_VERSION_MINOR 1
#define BW_VERSION_PATCH 0

#if defined(__GNUC__)
#define BW_API                 __attribute__((visibility("default")))
#define BW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BW_API
#define BW_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Every kind of failure, with its plain text. What can fail returns a BwResult and takes a BwError last;
/// what gives a pointer instead gives NULL then. Wrong arguments fail like all else, with BW_ERR_DEF.
#define BW_ERRORS(X)                                                                                         \
    X(MEMORY, "out of memory")                                                                               \
    X(DEF, "a definition is not valid")                                                                      \
    X(SCENE, "scene is not valid")                                                                           \
    X(FILE, "file trouble")                                                                                  \
    X(FORMAT, "file content is not valid")                                                                   \
    X(BACKEND, "back end failed")                                                                            \
    X(NUMERICS, "the simulation broke down")                                                                 \
    X(INTERRUPTED, "interrupted")

typedef enum BwResult {
    BW_OK,
#define X(name, text) BW_ERR_##name,
    BW_ERRORS(X)
#undef X
} BwResult;

/// Where a failing call leaves its message. The caller owns it; every function takes NULL as well.
typedef struct BwError {
    BwResult code;
    char message[1024];
} BwError;

/// The plain text of a result: "ok", "out of memory", ...
BW_API const char *bw_result_text(BwResult result);

/// One function does all memory work. `block` NULL allocates, `new_size` 0 frees, else it resizes and keeps
/// the content. `align` is a power of two and the same over a block's life. Returns NULL when memory is
/// short, and then `block` lives on.
typedef void *BwResizeFn(void *user, void *block, size_t old_size, size_t new_size, size_t align);

/// Memory of the host's choice. All zero means malloc and free. Must serve several threads at once.
typedef struct BwAllocator {
    BwResizeFn *resize;
    void *user;
} BwAllocator;

typedef enum BwLogLevel { BW_LOG_INFO, BW_LOG_WARNING, BW_LOG_ERROR } BwLogLevel;

/// Receives one message, without a line end. Called from the thread that called into Billow.
typedef void BwLogFn(void *user, BwLogLevel level, const char *message);

/// Where messages go. All zero is silence.
typedef struct BwLog {
    BwLogFn *write;
    void *user;
} BwLog;

/// Asked a few times a second while a long call goes on, from the thread that called into Billow. `task` says
/// what is being done ("reading ball.obj"), `share` how much of it is done, 0 to 1, or less than 0 where
/// nobody can tell. Once it returns false the call ends with BW_ERR_INTERRUPTED.
typedef bool BwWatchFn(void *user, const char *task, double share);

/// Who watches over long calls. All zero is nobody.
typedef struct BwWatch {
    BwWatchFn *look;
    void *user;
} BwWatch;

/// One worker's part of a parallel job; `worker` runs from 0 to worker_count - 1.
typedef void BwWorkerFn(void *context, int worker);

/// A host's own scheduler. `run` must call work(context, w) once for each w below worker_count, on any
/// threads, in any order, one after another if it likes, and return when all calls have returned. Results do
/// not depend on its choices.
typedef struct BwScheduler {
    void (*run)(void *user, int worker_count, BwWorkerFn *work, void *context);
    void *user;
} BwScheduler;

/// The version of the library that runs, "0.1.0".
BW_API const char *bw_version(void);

/// The instruction set that worlds made from here on are computed with, the best that this build and the
/// processor have: "baseline", "v3" (AVX2) or "v4" (AVX-512); "native" in a build for one machine. The
/// environment's BILLOW_CPU chooses another; "unknown" where that cannot be had, and no world can be made
/// then. Results are the same for all of them.
BW_API const char *bw_instruction_set(void);

#ifdef __cplusplus
}
#endif
