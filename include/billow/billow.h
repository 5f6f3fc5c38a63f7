/// Billow: smoke, water and fire for pictures and games. This header brings the whole public API.
#pragma once

#include <billow/base.h>
#include <billow/cache.h>
#include <billow/curve.h>
#include <billow/frame.h>
#include <billow/render.h>
#include <billow/scene.h>
#include <billow/shape.h>
#include <billow/stable.h>
#include <billow/vec.h>
#include <billow/volume.h>
#include <billow/world.h>
