/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SPAN_FRAME_H
#define PMCGRP_SPAN_FRAME_H

#include <linux/types.h>
#include "span/span.h"

struct pmcgrp_frames;

struct pmcgrp_frames *pmcgrp_frames_alloc(const struct pmcgrp_span *span, unsigned int max_active,
					  u32 *why);
void pmcgrp_frames_free(struct pmcgrp_frames *frames);
bool pmcgrp_frame_begin(struct pmcgrp_frames *frames, unsigned long sp);
bool pmcgrp_frame_end(struct pmcgrp_frames *frames, unsigned long sp);

#endif /* PMCGRP_SPAN_FRAME_H */
