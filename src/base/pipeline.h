// Bands that follow one another: each must keep some way behind the one before it, but need not wait for its
// end. Sweeps whose order matters run on several workers this way, with the answer of one.
#pragma once

#include "base/pool.h"

typedef struct BwPipeline BwPipeline;

// The whole of one band. It calls bw_band_wait before it uses what the band before has made, and
// bw_band_reach as it goes. Bands begin in order, each on one worker.
typedef void BwBandFn(BwPipeline *pipeline, int band, void *context);

// Calls fn for the bands 0 to count - 1. Takes no memory. Ends even when a host runs its workers one after
// another: a band is only waited for when some worker is at work on it.
void bw_parallel_bands(BwPool *pool, int count, BwBandFn *fn, void *context);

// Until the band before has reached `place`, which is from 0 to 2^31 - 1; band 0 waits for nothing. A band
// that is done has reached every place.
void bw_band_wait(BwPipeline *pipeline, int band, int place);

// What this band did up to `place` may be used by the next.
void bw_band_reach(BwPipeline *pipeline, int band, int place);
