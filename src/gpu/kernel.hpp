#pragma once
// The whole kernel language. A kernel file includes this header and, for its registrar,
// registry/register.hpp; nothing else of the GPU vocabulary.
#include "gpu/async_copy.hpp"
#include "gpu/block.hpp"
#include "gpu/language.hpp"
#include "gpu/launch.hpp"
#include "gpu/math.hpp"
#include "gpu/matrix_load.hpp"
#include "gpu/memory.hpp"
#include "gpu/mma.hpp"
#include "gpu/types.hpp"
#include "gpu/warp.hpp"
