/* team_next.h - PURE. Which team is worth a trial against the best one known. */
#ifndef YK_PARTITION_TEAM_NEXT_H
#define YK_PARTITION_TEAM_NEXT_H

#include "team.h"

/* Typical time per item of the figure's jobs; 0: unknown. */
double yk_team_typical_ns(const struct yk_team_figure *figure);
/* 1: by its known speed a single device would have been faster than the best team was. */
int yk_team_is_outdone(const struct yk_team *team, const struct yk_split_device *devices,
                       int count);
/* The team to try; the best one itself if no trial is worth it. */
uint32_t yk_team_next(const struct yk_team *team, const struct yk_split_device *devices, int count);

#endif
