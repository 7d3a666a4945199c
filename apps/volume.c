/* volume.c - NIfTI images through libniftiio, behind a check of our own.
 *
 * The library prints to standard error and allocates whatever a header says, so the header is read
 * and judged here first: its magic, dimensions and datatype, and whether a file of this length can
 * hold the voxels at all (deflate never shrinks data more than 1032-fold). What the library reads
 * after that is at most what the file could hold.
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
static yoke_status read_header(const char *path, nifti_1_header *header, int64_t *file_bytes)
{
    struct stat file;
    if (stat(path, &file))
        return app_fail(YOKE_EIO, "cannot read the image %s: %s; name a NIfTI file with --input",
                        path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return app_fail(YOKE_EIO, "%s is not a file; name a NIfTI file with --input", path);
    *file_bytes = file.st_size;
    errno = 0;
    znzFile stream = znzopen(path, "rb", nifti_is_gzfile(path));
    if (znz_isnull(stream))
        return app_fail(YOKE_EIO, "cannot open the image %s: %s; name a NIfTI file with --input",
                        path, errno ? strerror(errno) : "no memory");
    const size_t got = znzread(header, 1, sizeof *header, stream);
    (void)znzclose(stream);
    if (got != sizeof *header)
        return app_fail(YOKE_EIO,
                        "%s is truncated or not a NIfTI image: a header of 348 bytes is not there; "
                        "name a .nii or .nii.gz file with --input",
                        path);
    return YOKE_OK;
}

/* The fields judged here, brought to this machine's byte order. */
static yoke_status to_host_order(const char *path, nifti_1_header *header)
{
    if (header->sizeof_hdr == 540 || header->sizeof_hdr == 0x1c020000)
        return app_fail(YOKE_EIO,
                        "%s is NIfTI-2; convert it to NIfTI-1 (nifti_tool -convert2dtype)", path);
    if (memcmp(header->magic, "ni1", 4) == 0)
        return app_fail(YOKE_EIO,
                        "%s is the header of a .hdr/.img pair; convert it to one .nii file", path);
    if (memcmp(header->magic, "n+1", 4) != 0)
        return app_fail(YOKE_EIO,
                        "%s is not a NIfTI image (no \"n+1\" in its header); name a .nii or "
                        ".nii.gz file with --input",
                        path);
    if (header->sizeof_hdr != (int)sizeof *header)
        swap_nifti_header(header, 1);
    if (header->sizeof_hdr != (int)sizeof *header)
        return app_fail(YOKE_EIO, "%s has a damaged NIfTI header (size %d instead of 348)", path,
                        header->sizeof_hdr);
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

static yoke_status check_length(const char *path, const nifti_1_header *header, int64_t file_bytes)
{
    const int64_t voxels = (int64_t)header->dim[1] * header->dim[2] * header->dim[3];
    const int64_t bytes = voxels * datatype_bytes(header->datatype);
    if (!(header->vox_offset >= 0 && header->vox_offset <= (float)(1 << 30)))
        return app_fail(YOKE_EIO, "%s has a damaged NIfTI header (voxels at byte %g)", path,
                        (double)header->vox_offset);
    const int64_t needed = (int64_t)header->vox_offset + bytes;
    const int64_t most = nifti_is_gzfile(path) ? file_bytes * DEFLATE_MOST : file_bytes;
    if (most < needed)
        return app_fail(
            YOKE_EIO,
            "%s is truncated or damaged: its header promises %lld bytes, and %lld bytes "
            "of file cannot hold them; get the file again",
            path, (long long)needed, (long long)file_bytes);
    return YOKE_OK;
}

#define CONVERT(T)                                                                                 \
    do {                                                                                           \
        const T *from = image->data;                                                               \
        for (int64_t i = 0; i < count; ++i)                                                        \
            to[i] = (float)(slope * (double)from[i] + shift);                                      \
    } while (0)

static void convert(const nifti_image *image, int64_t count, float *to)
{
    const int scaled =
        image->scl_slope != 0.0f && isfinite(image->scl_slope) && isfinite(image->scl_inter);
    const double slope = scaled ? (double)image->scl_slope : 1.0;
    const double shift = scaled ? (double)image->scl_inter : 0.0;
    switch (image->datatype) {
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

static yoke_status load_checked(const char *path, struct volume *out)
{
    nifti_set_debug_level(0);
    yoke_status status = YOKE_OK;
    nifti_image *image = nifti_image_read(path, 0);
    if (!image)
        return app_fail(YOKE_EIO, "%s has a damaged NIfTI header; get the file again", path);
    if (nifti_image_load(image) || !image->data) {
        status = app_fail(YOKE_EIO,
                          "%s is truncated or damaged: not all of its voxels can be read; "
                          "get the file again",
                          path);
        goto out;
    }
    const int64_t count = (int64_t)image->nx * image->ny * image->nz;
    float *voxels;
    status = app_alloc("an image", count, sizeof *voxels, (void **)&voxels);
    if (status)
        goto out;
    convert(image, count, voxels);
    *out = (struct volume){ { image->nx, image->ny, image->nz }, voxels };
out:
    nifti_image_free(image);
    return status;
}

yoke_status volume_load(const char *path, struct volume *out)
{
    nifti_1_header header;
    int64_t file_bytes = 0;
    yoke_status status = read_header(path, &header, &file_bytes);
    if (!status)
        status = to_host_order(path, &header);
    if (!status)
        status = check_dimensions(path, &header);
    if (!status)
        status = check_length(path, &header, file_bytes);
    return status ? status : load_checked(path, out);
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
