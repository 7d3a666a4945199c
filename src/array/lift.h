/* lift.h - copies that bring one chunk's rows to a device, each issued and noted; for load.c, which
 * asks what is lacking, and share.c, which finds other ways for it.
 *
 * Two queues bring rows there, and a copy that was overtaken (its source was lost) may be on
 * either: the next one of the same rows comes after it.
 *
 * Both are begun and issued under the upload_lock of their place: who holds that knows that rows
 * which are arriving are on a queue. Only beginning is done under the array's lock: issuing takes
 * some 10 us, and all devices that share rows out would wait for it. A source's replica is held
 * until the copies out of it are settled, and those who write its rows wait for that as they wait
 * for every reader. Rows that are still on their way to a source are taken only where they come
 * from the host (replica.sent): a chain of exchanges would have to be told how each of them ended.
 */
#ifndef YK_ARRAY_LIFT_H
#define YK_ARRAY_LIFT_H

#include "array.h"

/* Of an array, or of one panel after the other (panel.h), which keep books of their own. */
struct yk_lift {
    yoke_array *root;
    yoke_array *array;
    int part;
    struct yk_replica *replica;
    struct yk_place *place;
    struct yk_load *load;
    /* Places that are not asked again: they have no replica any more, or failed. */
    uint32_t unable;
    /* Rows just passed on to `passed_to`, and not taken from there yet. */
    struct yk_interval passed;
    int passed_to;
};

/* --- lift.c --- */
/* Rows were sent, by the place's upload of that number or one before it, or (0) have been settled:
 * replica.sent. Without memory for a note that they are sent nobody takes them from there.
 * array->lock held. */
void yk_replica_note_sent(struct yk_replica *replica, struct yk_interval rows, uint64_t upload);
/* All of them were. array->lock held. */
int yk_replica_was_sent(const struct yk_replica *replica, struct yk_interval rows);

/* How a loan is come by: of what is there, or of room for more. */
enum yk_lending { YK_LEND_THERE, YK_LEND_ROOM };
/* The rows' memory at that place stays until the load is settled. */
yoke_status yk_lift_borrow(struct yk_lift *lift, int place, struct yk_interval rows,
                           enum yk_lending lending);
int yk_lift_borrowed(const struct yk_lift *lift, int place, struct yk_interval rows);

/* From another device, `via`, whose memory is borrowed, and which has the rows, or has them sent
 * (after->upload): told to coherence, array->lock held, and then issued, without it. What else
 * the copy has to come after is added. Both under the upload_lock of the lift's place. */
yoke_status yk_lift_exchange_begin(struct yk_lift *lift, struct yk_interval rows, int via,
                                   struct yk_exchange_after *after);
yoke_status yk_lift_exchange_issue(struct yk_lift *lift, struct yk_interval rows, int via,
                                   const struct yk_exchange_after *after);
/* From the host, to the lift's place or to another, which hands them on. Copies that were
 * begun are on the place's list, for who settles; one that cannot be issued whole is over and told
 * before this returns. Under the upload_lock of the place. Adds up the load's bytes. */
yoke_status yk_lift_from_host(const struct yk_lift *lift, struct yk_place *place,
                              struct yk_interval rows);

/* --- load.c --- */
/* All that the place lacks of the rows, on its own account. */
yoke_status yk_lift_missing(struct yk_lift *lift, struct yk_interval rows);

/* --- share.c --- */
/* What others want as well and the place can have part of from them; the rest is left. Or of that
 * only what the others count on this place for. */
enum yk_share { YK_SHARE_OWN, YK_SHARE_ALL };
yoke_status yk_lift_share(struct yk_lift *lift, struct yk_interval rows, enum yk_share pieces);

#endif
