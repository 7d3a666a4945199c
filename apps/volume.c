/* volume.c - NIfTI images: libniftiio unpacks and knows the header's layout, the rest is here.
 *
 * The library's own loader prints to standard error, allocates whatever a header says and takes
 * what is missing at the end of a packed file for zeros. So the header is judged first: its magic,
 * dimensions and datatype, and whether a file of this length can hold the voxels at all (deflate
 * never shrinks data more than 1032-fold); then exactly the voxels are read, to the last.
 */
#include "volume.h"

#include <stdlib.h>

#include "app.h"
#include "memory.h"

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
    int swapped; /* the file has the other byte order */
    int64_t file_bytes, offset /* of the first voxel */;
};

/* A datatype's bytes, or 0 for those that are no single real number. */
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

/* The first bytes of the file, unpacked if it is packed. */
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

/* Voxels as they lie in the file, in this machine's byte order, to floats. */
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
    for (int64_t i = 0; i < count; ++i)
        if (!isfinite(to[i]))
            to[i] = 0.0f;
}

/* A packed stream is over when it says so: the read beyond the last voxel makes zlib compare its
 * checksum. */
static yoke_status read_voxels(const char *path, int64_t offset, int64_t count, char *bytes)
{
    const int64_t most = 1 << 24;
    int64_t total = 0;
    char beyond;
    znzFile stream = znzopen(path, "rb", nifti_is_gzfile(path));
    if (znz_isnull(stream))
        return app_fail(YOKE_EIO, "cannot open the image %s: %s; name a NIfTI file with --input",
                        path, strerror(errno));
    int more = znzseek(stream, (long)offset, SEEK_SET) >= 0;
    while (more && total < count) {
        const size_t part = (size_t)(count - total < most ? count - total : most);
        const size_t got = znzread(bytes + total, 1, part, stream);
        more = got > 0 && got <= part; /* beyond: zlib's -1 */
        total += more ? (int64_t)got : 0;
    }
    if (total == count && znzread(&beyond, 1, 1, stream) > 1)
        total = 0;
    (void)znzclose(stream);
    if (total < count)
        return app_fail(YOKE_EIO,
                        "%s is truncated or damaged: its %lld bytes of voxels cannot all be read; "
                        "get the file again",
                        path, (long long)count);
    return YOKE_OK;
}

static void to_host_voxels(int swapped, int64_t width, int64_t count, void *bytes)
{
    if (swapped && width > 1)
        nifti_swap_Nbytes((size_t)count, (int)width, bytes);
}

static yoke_status load_checked(const char *path, const struct header *header, struct volume *out)
{
    const nifti_1_header *fields = &header->fields;
    const int64_t size[3] = { fields->dim[1], fields->dim[2], fields->dim[3] };
    const int64_t count = size[0] * size[1] * size[2], width = datatype_bytes(fields->datatype);
    void *bytes;
    float *voxels;
    yoke_status status = app_alloc("an image", count, (size_t)width, &bytes);
    if (status)
        return status;
    status = read_voxels(path, header->offset, count * width, bytes);
    if (!status)
        status = app_alloc("an image", count, sizeof *voxels, (void **)&voxels);
    if (!status) {
        to_host_voxels(header->swapped, width, count, bytes);
        convert(fields, bytes, count, voxels);
        *out = (struct volume){ { size[0], size[1], size[2] }, voxels };
    }
    free(bytes);
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
