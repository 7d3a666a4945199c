/* team_next.h - PURE. Which team is worth a trial beside the best one known. */
#ifndef YK_PARTITION_TEAM_NEXT_H
#define YK_PARTITION_TEAM_NEXT_H

#include "team.h"

/* The best one itself if none is. */
uint32_t yk_team_next(const struct yk_team *team, const struct yk_split_device *devices, int count);

#endif
