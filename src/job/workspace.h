/* workspace.h - see workspace.c. */
#ifndef YK_JOB_WORKSPACE_H
#define YK_JOB_WORKSPACE_H

#include "job.h"

/* Gives the job a workspace for `count` devices. If the runtime awaits more of them, it has room
 * for these, too. With runtime.lock held. YOKE_ENOMEM: the job may have a part of a workspace,
 * which yk_job_close frees. */
yoke_status yk_workspace_take(struct yk_job *job, int count);
/* Opens the workspace's part for the runtime's next device, for which there must be room; drop:
 * closes it again. job->device_count stays as it is. With runtime.lock held. */
yoke_status yk_workspace_add(struct yk_job *job);
void yk_workspace_drop(struct yk_job *job);
/* Frees the job's workspace, if it has one. For a job that could not begin or that failed. */
void yk_workspace_close(struct yk_job *job);
/* Frees the idle workspaces. Call it when no job is left. */
void yk_workspaces_close(yoke_runtime *runtime);
/* Returns 1 if the workspace has memory for more decisions than one that is kept for later jobs may
 * have. */
int yk_workspace_is_large(const struct yk_workspace *workspace);
/* Adds a reference to the workspace of a running job. The caller must know of another reference
 * that stays meanwhile, or hold runtime.lock. */
void yk_job_look(struct yk_job *job);
/* Drops a reference to the workspace. The last one also releases the job. Takes runtime.lock, which
 * must not be held. */
void yk_job_look_away(struct yk_job *job);
/* Drops a reference to the workspace. With runtime.lock held. Returns 1 if it was the last; then
 * the caller must release the job, without the lock. */
int yk_job_look_away_locked(struct yk_job *job);
/* Decides whether the finished job keeps its workspace for its result. With runtime.lock held,
 * before other threads learn that the job is over. */
void yk_job_condense(struct yk_job *job);
/* Returns what the device did in a job that is over and still has its workspace. */
struct yk_figures yk_job_figures(const struct yk_job *job, int device);
/* Call it when no thread will ask for the job's result any more: drops the ticket's reference to
 * the job, and to its workspace. Without runtime.lock. */
void yk_job_forsake(struct yk_job *job);

#endif
