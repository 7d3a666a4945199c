/* team_next.h - PURE. Which team is worth a trial beside the best one known. */
#ifndef YK_PARTITION_TEAM_NEXT_H
#define YK_PARTITION_TEAM_NEXT_H

#include "team.h"

/* The best one itself if none is. */
/* How long the figure's jobs take for an item; 0: nobody knows. */
double yk_team_typical_ns(const struct yk_team_figure *figure);
/* By the speed it has shown one device alone would have been faster than the best team was. */
int yk_team_is_outdone(const struct yk_team *team, const struct yk_split_device *devices,
                       int count);
uint32_t yk_team_next(const struct yk_team *team, const struct yk_split_device *devices, int count);

#endif
