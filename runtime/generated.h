// SPDX-License-Identifier: MIT
// The one header of generated programs. Before it, PB_ELEMENT says what ElementT is.
// Kept as light as its standard headers: every user pays for it at each compilation.
#pragma once

#include "runtime/body_api.h"
#include "runtime/config/current_instance.h"
#include "runtime/config/errors.h"
#include "runtime/gpu/launch.h"
#include "runtime/gpu/share.h"
#include "runtime/gpu/spawned_regions.h"
#include "runtime/main/program/memo.h"
#include "runtime/main/program/program_desc.h"
#include "runtime/main/program/run_context.h"
#include "runtime/main/program/tunable_values.h"
#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/read_ahead.h"
#include "runtime/matrix/region_handle.h"
#include "runtime/matrix/row_blocks.h"
#include "runtime/matrix/scatters.h"
#include "runtime/matrix/strips.h"
#include "runtime/matrix/versions.h"
#include "runtime/matrix/view.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/loops/divided_bins.h"
#include "runtime/sched/loops/divided_folds.h"
#include "runtime/sched/loops/parallel_for.h"
#include "runtime/sched/loops/tile_grid.h"
#include "runtime/sched/recursion.h"
