/* upload_copy.h - issues and records the single copies that bring one chunk's rows to a device. For
 * upload.c, which finds what is missing, and upload_shared.c, which finds routes through other
 * devices.
 *
 * Two queues bring rows to a device, and an overtaken copy (its source was lost) may be on either.
 * The next copy of the same rows waits for it.
 *
 * A copy is begun (noted in coherence) and issued under the upload_lock of its place: so the holder
 * of that lock knows that rows which are arriving are on a queue. Only the begin is done under the
 * array's lock: issuing takes some 10 us, in which all devices that share the rows would wait. A
 * source's replica is held until the copies out of it are settled; a writer of its rows waits for
 * that as it waits for every reader. Rows that are still on their way to a source are taken only if
 * they come from the host (replica.sent). If they came from a device, each copy of the chain would
 * have to learn the outcome of the one before.
 */
#ifndef YK_ARRAY_UPLOAD_COPY_H
#define YK_ARRAY_UPLOAD_COPY_H

#include "array.h"

/* One request for an array, or for each of its panels in turn (panel.h), because each panel has a
 * coherence state of its own. */
struct yk_upload {
    yoke_array *root;  /* the array that was asked for */
    yoke_array *array; /* that array, or its current panel */
    int part;          /* number of that panel */
    struct yk_replica *replica;
    struct yk_place *place;
    struct yk_load *load;
    /* Places from which no rows are taken any more, a bit each: they have no replica any more, or
     * failed. */
    uint32_t unable;
    /* Rows just passed on to `passed_to` and not copied from there yet. */
    struct yk_interval passed;
    int passed_to;
};

/* --- upload_copy.c --- */
/* Records that the place's upload of number `upload`, or an earlier one, sent the rows; 0: that
 * they are settled. See replica.sent. If there is no memory for the record, other devices do not
 * take the rows from there. array->lock held. */
void yk_replica_note_sent(struct yk_replica *replica, struct yk_interval rows, uint64_t upload);
/* Whether all of the rows were sent. array->lock held. */
int yk_replica_was_sent(const struct yk_replica *replica, struct yk_interval rows);

/* What is borrowed: rows that are there, or room for rows. */
enum yk_lending { YK_LEND_THERE, YK_LEND_ROOM };
/* Borrows the rows' memory at that place: it cannot be evicted until the load is settled. */
yoke_status yk_upload_borrow(struct yk_upload *upload, int place, struct yk_interval rows,
                             enum yk_lending lending);
int yk_upload_borrowed(const struct yk_upload *upload, int place, struct yk_interval rows);

/* A copy from another device, `via`, whose memory is borrowed. `via` has the rows, or they are
 * being sent there (after->upload). The first call tells coherence, with array->lock held, and adds
 * to `after` what else the copy has to wait for. The second issues the copy, without that lock.
 * Both under the upload_lock of the upload's place. */
yoke_status yk_upload_exchange_begin(struct yk_upload *upload, struct yk_interval rows, int via,
                                     struct yk_exchange_after *after);
yoke_status yk_upload_exchange_issue(struct yk_upload *upload, struct yk_interval rows, int via,
                                     const struct yk_exchange_after *after);
/* Copies rows from the host to the upload's place, or to another place that passes them on. Copies
 * that have begun are on the load's list and get settled with it. If a copy cannot be issued
 * completely, it is over, and coherence knows that, when this returns. Under the place's
 * upload_lock. Adds to the load's bytes. */
yoke_status yk_upload_from_host(const struct yk_upload *upload, struct yk_place *place,
                                struct yk_interval rows);

/* --- upload.c --- */
/* Issues copies of all rows that the place lacks, without sharing. */
yoke_status yk_upload_missing(struct yk_upload *upload, struct yk_interval rows);

/* --- upload_shared.c --- */
/* Issues copies of rows that other devices need as well, partly through these devices. Leaves rows
 * that cannot come in this way. YK_SHARE_OWN: only the pieces that this place owns. */
enum yk_share { YK_SHARE_OWN, YK_SHARE_ALL };
yoke_status yk_upload_share(struct yk_upload *upload, struct yk_interval rows,
                            enum yk_share pieces);

#endif
