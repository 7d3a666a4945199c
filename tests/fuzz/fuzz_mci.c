/* fuzz_mci.c - any text as an input file of photons.
 *
 * Properties: the message about a refused text names an existing line, and the outputs are
 * unchanged; in an accepted one every number is within its bounds, all layers have a thickness in
 * single precision, and it is read again as the same; nothing leaks (checked by the sanitizers). */
#include "fuzz.h"

#include <math.h>

#include "../apps/photons/photons_mci.h"
#include "said.h"

static int lines_of(const char *text)
{
    int lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static int within(double value, double least, double most)
{
    return value >= least && value <= most;
}

static void check_optics(const struct mci_optics *optics)
{
    FUZZ_CHECK(within(optics->n, 0.1, 10) && within(optics->g, -1, 1));
    FUZZ_CHECK(within(optics->mua, 0, 1e6) && within(optics->mus, 0, 1e6));
}

static void check_run(const struct mci_run *run)
{
    double top = 0;
    FUZZ_CHECK(run->packets >= 1 && run->packets <= MCI_PACKETS_MOST);
    FUZZ_CHECK(run->nz >= 1 && run->nr >= 1 && run->na >= 1);
    FUZZ_CHECK((double)run->nr * (run->nz + 2.0 * run->na) <= 1 << 24);
    FUZZ_CHECK(run->dz > 0 && run->dr > 0 && isfinite(run->dz) && isfinite(run->dr));
    FUZZ_CHECK(within(run->n_above, 0.1, 10) && within(run->n_below, 0.1, 10));
    FUZZ_CHECK(run->layer_count >= 1 && run->layer_count <= MCI_LAYERS_MOST);
    FUZZ_CHECK(strlen(run->output) < MCI_NAME_MOST);
    for (int k = 0; k < run->layer_count; k++) {
        const struct mci_layer *layer = &run->layers[k];
        check_optics(&layer->light);
        check_optics(&layer->fluorescence);
        FUZZ_CHECK(within(layer->yield, 0, 1));
        FUZZ_CHECK((float)(top + layer->depth) > (float)top);
        top += layer->depth;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mci_run first = { .packets = 77 }, second = { .packets = 77 };
    char *text = size ? fuzz_text(bytes + 1, size - 1) : fuzz_text(bytes, 0);
    const struct mci_text from = { "it", text };
    const int64_t which = 1 + (size ? bytes[0] % 3 : 0);
    yoke_status status;
    int line = -1;
    said[0] = 0;
    status = mci_read(&from, which, &first);
    FUZZ_CHECK(mci_read(&from, which, &second) == status);
    if (status == YOKE_OK) {
        check_run(&first);
        FUZZ_CHECK(first.layer_count == second.layer_count && first.packets == second.packets);
        FUZZ_CHECK(memcmp(first.layers, second.layers,
                          (size_t)first.layer_count * sizeof *first.layers) == 0);
    } else {
        FUZZ_CHECK(status == YOKE_EINVAL && !first.layers && first.packets == 77);
        FUZZ_CHECK(sscanf(said, "it:%d: ", &line) == 1 && line >= 1 && line <= lines_of(text));
    }
    free(first.layers);
    free(second.layers);
    free(text);
    return 0;
}
