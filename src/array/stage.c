/* stage.c - opens a place's staging buffers, and gives out their slots. See stage.h. */
#include "stage.h"

#include "../base/status.h"

int64_t yk_stage_slot_bytes = 1 << 20;

int yk_stage_open(struct yk_stage *stage, struct yk_device *device)
{
    void *memory;
    char *at;
    int i;
    if (stage->memory || stage->refused || !device->backend->host_alloc)
        return stage->memory != NULL;
    if (device->backend->host_alloc(device, (YK_STAGE_UP + YK_STAGE_DOWN) * yk_stage_slot_bytes,
                                    &memory) != YOKE_OK) {
        yk_log(YOKE_LOG_INFO,
               "%s: no staging buffers (%s); its driver copies what is not pinned, which takes "
               "longer",
               device->desc.name, yoke_error_text());
        stage->refused = 1;
        return 0;
    }
    stage->memory = at = memory;
    for (i = 0; i < YK_STAGE_UP; i++, at += yk_stage_slot_bytes)
        stage->up[i].memory = at;
    for (i = 0; i < YK_STAGE_DOWN; i++, at += yk_stage_slot_bytes) {
        stage->down[i].memory = at;
        yk_stage_give_down(stage, &stage->down[i]);
    }
    return 1;
}

void yk_stage_close(struct yk_stage *stage, struct yk_device *device)
{
    int i;
    for (i = 0; i < YK_STAGE_UP; i++)
        if (stage->up[i].event)
            device->backend->event_close(stage->up[i].event);
    if (stage->memory)
        device->backend->host_free(device, stage->memory);
    *stage = (struct yk_stage){ 0 };
}

struct yk_slot *yk_stage_next_up(struct yk_stage *stage, int filled)
{
    return &stage->up[(stage->next_up + filled) % YK_STAGE_UP];
}

void yk_stage_used_up(struct yk_stage *stage)
{
    stage->next_up = (stage->next_up + 1) % YK_STAGE_UP;
}

struct yk_slot *yk_stage_take_down(struct yk_stage *stage, enum yk_stage_who who)
{
    struct yk_slot *slot = stage->free_down;
    if (!slot || (who == YK_STAGE_FLYING && stage->free_count <= YK_STAGE_KEPT))
        return NULL;
    stage->free_down = slot->next;
    stage->free_count--;
    slot->next = NULL;
    return slot;
}

void yk_stage_give_down(struct yk_stage *stage, struct yk_slot *slot)
{
    slot->next = stage->free_down;
    stage->free_down = slot;
    stage->free_count++;
}
