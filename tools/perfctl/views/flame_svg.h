/* SPDX-License-Identifier: GPL-2.0 */
/* A flame graph as a picture that any browser shows. */
#ifndef PERFCTL_VIEWS_FLAME_SVG_H
#define PERFCTL_VIEWS_FLAME_SVG_H

#include "flame.h"

/**
 * struct flame_style - how to draw
 * @title:  above the picture; NULL: the recorded command
 * @width:  pixels
 * @least:  pixels; narrower boxes are left out
 * @icicle: from the top downwards
 * @waits:  weights are ns, samples are waits
 * @wall:   weights are ns, samples are samples and waits
 */
struct flame_style {
	const char *title;
	uint64_t width;
	double least;
	bool icicle;
	bool waits;
	bool wall;
};

void flame_svg(const struct flame *f, const struct flame_style *style, FILE *out);

#endif
