/* volume.c - NIfTI images: libniftiio unpacks and knows the header's layout; the rest is done here.
 *
 * The library's own loader prints to standard error, allocates whatever a header asks for, and
 * treats missing data at the end of a packed file as zeros. So the header is checked first: its
 * magic number, dimensions and datatype, and whether a file of this length can contain the voxels
 * (deflate never shrinks data more than 1032-fold). Then exactly the voxels are read, piece by
 * piece, so that a request to stop is noticed within some ms.
 */
#include "volume.h"

#include <stdlib.h>

#include "app.h"
#include "memory.h"
#include "stop.h"

#ifdef APP_NIFTI
#include <errno.h>
#include <math.h>
#include <nifti1_io.h>
#include <string.h>
#include <sys/stat.h>
#include <znzlib.h>

enum { DEFLATE_MOST = 1032 };

struct header {
    nifti_1_header fields;
    int swapped; /* 1: the file has the other byte order */
    int64_t file_bytes, offset /* of the first voxel */;
};

/* Bytes of a datatype; 0 if it is not a single real number. */
static int64_t datatype_bytes(int datatype)
{
    switch (datatype) {
    case DT_UINT8:
    case DT_INT8:
        return 1;
    case DT_INT16:
    case DT_UINT16:
        return 2;
    case DT_INT32:
    case DT_UINT32:
    case DT_FLOAT32:
        return 4;
    case DT_INT64:
    case DT_UINT64:
    case DT_FLOAT64:
        return 8;
    default:
        return 0;
    }
}

/* Reads the first bytes of the file, unpacked if it is packed. */
static yoke_status read_header(const char *path, struct header *header)
{
    struct stat file;
    if (stat(path, &file))
        return app_fail(YOKE_EIO, "cannot read the image %s: %s; name a NIfTI file with --input",
                        path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return app_fail(YOKE_EIO, "%s is not a file; name a NIfTI file with --input", path);
    header->file_bytes = file.st_size;
    errno = 0;
    znzFile stream = znzopen(path, "rb", nifti_is_gzfile(path));
    if (znz_isnull(stream))
        return app_fail(YOKE_EIO, "cannot open the image %s: %s; name a NIfTI file with --input",
                        path, errno ? strerror(errno) : "no memory");
    const size_t got = znzread(&header->fields, 1, sizeof header->fields, stream);
    (void)znzclose(stream);
    if (got != sizeof header->fields)
        return app_fail(YOKE_EIO,
                        "%s is truncated or not a NIfTI image: a header of 348 bytes is not there; "
                        "name a .nii or .nii.gz file with --input",
                        path);
    return YOKE_OK;
}

static yoke_status to_host_order(const char *path, struct header *header)
{
    nifti_1_header *fields = &header->fields;
    if (fields->sizeof_hdr == 540 || fields->sizeof_hdr == 0x1c020000)
        return app_fail(YOKE_EIO, "%s is NIfTI-2; convert it to NIfTI-1", path);
    if (memcmp(fields->magic, "ni1", 4) == 0)
        return app_fail(YOKE_EIO,
                        "%s is the header of a .hdr/.img pair; convert it to one .nii file", path);
    if (memcmp(fields->magic, "n+1", 4) != 0)
        return app_fail(YOKE_EIO,
                        "%s is not a NIfTI image (no \"n+1\" in its header); name a .nii or "
                        ".nii.gz file with --input",
                        path);
    header->swapped = fields->sizeof_hdr != (int)sizeof *fields;
    if (header->swapped)
        swap_nifti_header(fields, 1);
    if (fields->sizeof_hdr != (int)sizeof *fields)
        return app_fail(YOKE_EIO, "%s has a damaged NIfTI header (size %d instead of 348)", path,
                        fields->sizeof_hdr);
    return YOKE_OK;
}

static yoke_status check_dimensions(const char *path, const nifti_1_header *header)
{
    const int count = header->dim[0];
    if (count < 3 || count > 7)
        return app_fail(YOKE_EIO, "%s has %d dimensions; a 3-D image is needed", path, count);
    for (int d = 1; d <= count; ++d) {
        if (header->dim[d] < 1)
            return app_fail(YOKE_EIO, "%s has a damaged NIfTI header (dimension %d is %d)", path, d,
                            header->dim[d]);
        if (d > 3 && header->dim[d] > 1)
            return app_fail(YOKE_EIO,
                            "%s has %d images in dimension %d; extract one (nifti_tool -cbl)", path,
                            header->dim[d], d);
    }
    if (!datatype_bytes(header->datatype))
        return app_fail(YOKE_EIO, "%s has voxels of type %s; one real number a voxel is needed",
                        path, nifti_datatype_string(header->datatype));
    return YOKE_OK;
}

static yoke_status check_length(const char *path, struct header *header)
{
    const nifti_1_header *fields = &header->fields;
    const int64_t voxels = (int64_t)fields->dim[1] * fields->dim[2] * fields->dim[3];
    const int64_t bytes = voxels * datatype_bytes(fields->datatype);
    if (!(fields->vox_offset >= 0 && fields->vox_offset <= (float)(1 << 30)))
        return app_fail(YOKE_EIO, "%s has a damaged NIfTI header (voxels at byte %g)", path,
                        (double)fields->vox_offset);
    header->offset = (int64_t)fields->vox_offset;
    if (header->offset < (int64_t)sizeof *fields) /* old files say 0 */
        header->offset = (int64_t)sizeof *fields;
    const int64_t needed = header->offset + bytes;
    const int64_t most =
        nifti_is_gzfile(path) ? header->file_bytes * DEFLATE_MOST : header->file_bytes;
    if (most < needed)
        return app_fail(YOKE_EIO,
                        "%s is truncated or damaged: its header promises %lld bytes, and %lld "
                        "bytes of file cannot hold them; get the file again",
                        path, (long long)needed, (long long)header->file_bytes);
    return YOKE_OK;
}

#define CONVERT(T)                                                                                 \
    do {                                                                                           \
        const T *from = bytes;                                                                     \
        for (int64_t i = 0; i < count; ++i)                                                        \
            to[i] = (float)(slope * (double)from[i] + shift);                                      \
    } while (0)

static void drop_infinite(int64_t count, float *voxels)
{
    for (int64_t i = 0; i < count; ++i)
        if (!isfinite(voxels[i]))
            voxels[i] = 0.0f;
}

/* Converts voxels from the file's form, in this machine's byte order, to floats. */
static void convert(const nifti_1_header *header, const void *bytes, int64_t count, float *to)
{
    const int scaled =
        header->scl_slope != 0.0f && isfinite(header->scl_slope) && isfinite(header->scl_inter);
    const double slope = scaled ? (double)header->scl_slope : 1.0;
    const double shift = scaled ? (double)header->scl_inter : 0.0;
    switch (header->datatype) {
    case DT_UINT8:
        CONVERT(uint8_t);
        break;
    case DT_INT8:
        CONVERT(int8_t);
        break;
    case DT_INT16:
        CONVERT(int16_t);
        break;
    case DT_UINT16:
        CONVERT(uint16_t);
        break;
    case DT_INT32:
        CONVERT(int32_t);
        break;
    case DT_UINT32:
        CONVERT(uint32_t);
        break;
    case DT_INT64:
        CONVERT(int64_t);
        break;
    case DT_UINT64:
        CONVERT(uint64_t);
        break;
    case DT_FLOAT32:
        CONVERT(float);
        break;
    default:
        CONVERT(double);
        break;
    }
    drop_infinite(count, to);
}

static void to_host_voxels(int swapped, int64_t width, int64_t count, void *bytes)
{
    if (swapped && width > 1)
        nifti_swap_Nbytes((size_t)count, (int)width, bytes);
}

/* Voxels read and converted at once. */
enum { PIECE = 1 << 20 };

static yoke_status cut_short(const char *path, int64_t bytes)
{
    return app_fail(YOKE_EIO,
                    "%s is truncated or damaged: its %lld bytes of voxels cannot all be read; "
                    "get the file again",
                    path, (long long)bytes);
}

/* Reads exactly `count` bytes. Returns 0 if there are fewer. */
static int read_bytes(znzFile stream, void *to, size_t count)
{
    size_t total = 0;
    while (total < count) {
        const size_t got = znzread((char *)to + total, 1, count - total, stream);
        if (got == 0 || got > count - total) /* greater: zlib's -1 */
            return 0;
        total += got;
    }
    return 1;
}

/* Skips the bytes before the first voxel. */
static yoke_status skip(const char *path, znzFile stream, int64_t bytes, void *piece)
{
    yoke_status status = YOKE_OK;
    for (int64_t left = bytes, part; left > 0 && status == YOKE_OK; left -= part) {
        part = left < PIECE ? left : PIECE;
        status = app_stop_check();
        if (status == YOKE_OK && !read_bytes(stream, piece, (size_t)part))
            status = cut_short(path, bytes);
    }
    return status;
}

/* Also reads beyond the last voxel: at the end of a packed stream this makes zlib compare its
 * checksum. */
static yoke_status read_voxels(const char *path, const struct header *header, void *piece,
                               struct volume *out)
{
    const int64_t width = datatype_bytes(header->fields.datatype);
    const int64_t count = out->size[0] * out->size[1] * out->size[2];
    char beyond;
    znzFile stream = znzopen(path, "rb", nifti_is_gzfile(path));
    if (znz_isnull(stream))
        return app_fail(YOKE_EIO, "cannot open the image %s: %s; name a NIfTI file with --input",
                        path, strerror(errno));
    yoke_status status = skip(path, stream, header->offset, piece);
    for (int64_t at = 0, part; at < count && status == YOKE_OK; at += part) {
        part = count - at < PIECE ? count - at : PIECE;
        status = app_stop_check();
        if (status == YOKE_OK && !read_bytes(stream, piece, (size_t)(part * width)))
            status = cut_short(path, count * width);
        if (status == YOKE_OK) {
            to_host_voxels(header->swapped, width, part, piece);
            convert(&header->fields, piece, part, out->voxels + at);
        }
    }
    if (status == YOKE_OK && znzread(&beyond, 1, 1, stream) > 1)
        status = cut_short(path, count * width);
    (void)znzclose(stream);
    return status;
}

static yoke_status load_checked(const char *path, const struct header *header, struct volume *out)
{
    const nifti_1_header *fields = &header->fields;
    struct volume volume = { .size = { fields->dim[1], fields->dim[2], fields->dim[3] } };
    const int64_t count = volume.size[0] * volume.size[1] * volume.size[2];
    const int64_t piece_bytes = PIECE * datatype_bytes(fields->datatype);
    void *piece = NULL;
    yoke_status status = app_memory_for_file(path, count * (int64_t)sizeof(float) + piece_bytes);
    if (!status)
        status = app_alloc("an image", piece_bytes, 1, &piece);
    if (!status)
        status = app_alloc("an image", count, sizeof(float), (void **)&volume.voxels);
    if (!status)
        status = read_voxels(path, header, piece, &volume);
    if (status)
        volume_close(&volume);
    else
        *out = volume;
    free(piece);
    return status;
}

yoke_status volume_load(const char *path, struct volume *out)
{
    struct header header = { .swapped = 0 };
    yoke_status status = read_header(path, &header);
    if (!status)
        status = to_host_order(path, &header);
    if (!status)
        status = check_dimensions(path, &header.fields);
    if (!status)
        status = check_length(path, &header);
    return status ? status : load_checked(path, &header, out);
}

#else

yoke_status volume_load(const char *path, struct volume *out)
{
    (void)out;
    return app_fail(YOKE_EINVAL,
                    "cannot read the image %s: built without NIfTI; install libnifti-dev and build "
                    "again",
                    path);
}

#endif

void volume_close(struct volume *volume)
{
    free(volume->voxels);
    volume->voxels = NULL;
}
